/** Walks boxes of ISO base media files (ISO/IEC 14496-12, 4.2) and atoms of QuickTime by ranges. */
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { FileView } from '../file-view.ts'
import { isZero } from '../media/digests.ts'
import { be32, be64, nameAt } from '../media/numbers.ts'

export interface Box {
  readonly type: string
  /** File offset of the box header. */
  readonly start: number
  /** File offset of the first byte after the header. */
  readonly body: number
  readonly end: number
}

/**
 * How the children fill their parent. `exact`: completely, except for zeros at the end. `listed`: a child of size 0 ends the list
 * (QuickTime). `loose`: the list ends at the first bytes that are no box.
 */
export type Filling = 'exact' | 'listed' | 'loose'

const MAX_BOXES = 100_000

/** Yields the boxes between two offsets. @throws CodecError (malformed) if a box does not fit into its parent, unless `loose` */
export async function* boxesIn(view: FileView, { body: from, end: to }: Pick<Box, 'body' | 'end'>, filling: Filling): AsyncGenerator<Box> {
  let at = from
  for (let count = 0; at + 8 <= to; count++) {
    if (count > MAX_BOXES) throw overBudget(message('inventory_too_large', { items: MAX_BOXES }))
    const header = await view.bytesUpTo(at, Math.min(16, to - at))
    const wide = be32(header, 0) === 1 && header.length === 16
    const size = wide ? be64(header, 8) : be32(header, 0)
    const head = wide ? 16 : 8
    if (size === 0 && (filling === 'listed' || (filling === 'exact' && (await isZero(view, at, to))))) return
    if (size < head || at + size > to) {
      if (filling === 'loose') return
      throw view.malformed(at)
    }
    yield { type: nameAt(header, 4), start: at, body: at + head, end: at + size }
    at += size
  }
  if (filling === 'exact' && !(await isZero(view, at, to))) throw view.malformed(at)
}

/** Returns the children of a box by type, the first one of each type. */
export async function childrenByType(view: FileView, parent: Pick<Box, 'body' | 'end'>, filling: Filling): Promise<Map<string, Box>> {
  const found = new Map<string, Box>()
  for await (const box of boxesIn(view, parent, filling)) if (!found.has(box.type)) found.set(box.type, box)
  return found
}

/** Returns a copy of the body of a box, at most `limit` bytes. */
export async function bodyOf(view: FileView, { body, end }: Pick<Box, 'body' | 'end'>, limit: number): Promise<Uint8Array> {
  return (await view.bytesUpTo(body, Math.min(end - body, limit))).slice()
}
