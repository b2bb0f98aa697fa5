/** Walks chunks of IFF files ("EA IFF 85") by ranges: big-endian, padded to even offsets. */
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { FileView } from '../file-view.ts'
import { be32, nameAt } from '../media/numbers.ts'

export interface IffChunk {
  readonly id: string
  readonly body: number
  readonly end: number
}

const MAX_CHUNKS = 100_000

/** Yields the chunks between two offsets. A chunk that is longer than its form ends with the form. */
export async function* iffChunksIn(view: FileView, from: number, to: number): AsyncGenerator<IffChunk> {
  let at = from
  for (let count = 0; at + 8 <= to; count++) {
    if (count > MAX_CHUNKS) throw overBudget(message('inventory_too_large', { items: MAX_CHUNKS }))
    const header = await view.bytesUpTo(at, 8)
    const [id, size] = [nameAt(header, 0), be32(header, 4)]
    if (!/^[ -~]{4}$/.test(id)) return
    yield { id, body: at + 8, end: Math.min(to, at + 8 + size) }
    at += 8 + size + (size & 1)
  }
}
