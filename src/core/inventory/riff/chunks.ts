/** Walks chunks of RIFF files (Multimedia Programming Interface 1.0, chapter 2) by ranges. */
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { FileView } from '../file-view.ts'
import { le32, nameAt } from '../media/numbers.ts'

export interface Chunk {
  readonly id: string
  /** Type of a list, for example `INFO`. Empty: not a list. */
  readonly list: string
  /** File offset of the chunk's header. */
  readonly start: number
  /** File offset of the content, behind the type of a list. */
  readonly body: number
  readonly end: number
  /** End that the size of the chunk tells, which may be behind its parent. */
  readonly toldEnd: number
}

const MAX_CHUNKS = 100_000

/** 64-bit sizes of RF64 and BW64 files by chunk id. Empty: a file with 32-bit sizes. */
export type LongSizes = ReadonlyMap<string, number>

/** Size of a chunk whose real size is in `ds64`, or that a writer left open. */
export const OPEN_SIZE = 0xffffffff

/**
 * Yields the chunks between two offsets. A chunk that is longer than its parent ends with the parent. The walk ends at zeros and at
 * bytes that are no chunk.
 */
export async function* chunksIn(view: FileView, from: number, to: number, longSizes: LongSizes = new Map()): AsyncGenerator<Chunk> {
  let at = from
  for (let count = 0; at + 8 <= to; count++) {
    if (count > MAX_CHUNKS) throw overBudget(message('inventory_too_large', { items: MAX_CHUNKS }))
    const header = await view.bytesUpTo(at, Math.min(12, to - at))
    const id = nameAt(header, 0)
    if (!/^[ -~]{4}$/.test(id)) return
    const stored = le32(header, 4)
    const size = stored === OPEN_SIZE ? (longSizes.get(id) ?? to - at - 8) : stored
    const toldEnd = at + 8 + size
    const end = Math.min(to, toldEnd)
    const list = id === 'LIST' && end >= at + 12 ? nameAt(header, 8) : ''
    yield { id, list, start: at, body: list ? at + 12 : at + 8, end, toldEnd }
    at = toldEnd + (size & 1)
  }
}
