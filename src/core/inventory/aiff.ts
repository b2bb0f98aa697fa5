/** Inventory of AIFF and AIFF-C files. */

import { iffChunksIn } from './aiff/chunks.ts'
import { readIffChunk } from './aiff/content.ts'
import type { InventoryReader } from './inventory.ts'
import { digestOfRange, isZero } from './media/digests.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { be16, be32, be64, nameAt, seconds } from './media/numbers.ts'
import { addChannels, type ChunkTarget } from './riff/content.ts'

export const aiff: InventoryReader = mediaReader('aiff', readAiff)

async function readAiff({ view, items }: Reading): Promise<void> {
  const head = (await view.bytesUpTo(0, 12)).slice()
  if (nameAt(head, 0) !== 'FORM' || !['AIFF', 'AIFC'].includes(nameAt(head, 8))) throw view.malformed(0)
  const end = Math.min(view.size, 8 + be32(head, 4))
  const target: ChunkTarget = { view, items, seen: new Set() }
  let common: Uint8Array | undefined
  for await (const chunk of iffChunksIn(view, 12, end)) {
    if (chunk.id === 'COMM') common ??= (await view.bytesUpTo(chunk.body, Math.min(18, chunk.end - chunk.body))).slice()
    else await readIffChunk(target, chunk)
  }
  if (!common) throw view.malformed(12)
  addChannels(items, be16(common, 0), 0)
  // Sample rate: 15 bits of exponent, 64 bits of significand (IEEE 754 extended).
  const hertz = be64(common, 10) * 2 ** ((be16(common, 8) & 0x7fff) - 16_446)
  if (hertz > 0) items.add('durations', `sound = ${seconds(be32(common, 2) / hertz)} s`)
  if (end < view.size && !(await isZero(view, end, view.size)))
    items.add('trailing_bytes', `behind the RIFF form = ${await digestOfRange(view, end, view.size - end)}`)
}
