/** Inventory of WAVE files, with their 64-bit forms RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088). */
import type { InventoryReader } from './inventory.ts'
import { digestOfRange, isZero } from './media/digests.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { le16, le32, le64, nameAt, seconds } from './media/numbers.ts'
import { type Chunk, chunksIn, type LongSizes, OPEN_SIZE } from './riff/chunks.ts'
import { addChannels, type ChunkTarget, readChunk } from './riff/content.ts'

export const wav: InventoryReader = mediaReader('wav', readWave)

const EXTENSIBLE = 0xfffe
/** Format tags whose blocks hold one sample of each channel: PCM, float, A-law, µ-law. */
const ONE_SAMPLE_BLOCKS = [1, 3, 6, 7]

async function readWave(reading: Reading): Promise<void> {
  const { view, items } = reading
  const head = (await view.bytesUpTo(0, 12)).slice()
  const container = nameAt(head, 0)
  if (!['RIFF', 'RF64', 'BW64'].includes(container) || nameAt(head, 8) !== 'WAVE') throw view.malformed(0)
  const { formBytes, sizes } =
    container === 'RIFF' ? { formBytes: le32(head, 4), sizes: new Map<string, number>() } : await longSizes(reading)
  const isOpen = formBytes === 0 || formBytes === OPEN_SIZE
  const end = isOpen ? view.size : Math.min(view.size, 8 + formBytes)
  const target: ChunkTarget = { view, items, seen: new Set() }
  let [format, data, frames]: [Uint8Array | undefined, Chunk | undefined, number | undefined] = [undefined, undefined, undefined]
  let last = 12
  for await (const chunk of chunksIn(view, 12, end, sizes)) {
    if (chunk.id === 'fmt ') format ??= (await view.bytesUpTo(chunk.body, Math.min(64, chunk.end - chunk.body))).slice()
    else if (chunk.id === 'fact') frames = le32(await view.bytesUpTo(chunk.body, 4), 0)
    // A `data` chunk of size 0 whose writer could not seek back lasts to the end of the file.
    data = chunk.id === 'data' ? (isOpen && chunk.end === chunk.body ? { ...chunk, end: view.size } : chunk) : data
    await readChunk(target, chunk)
    last = chunk.end + ((chunk.end - chunk.start) & 1)
    if (data?.end === view.size) break
  }
  if (!format || !data) throw view.malformed(12)
  describeSound(reading, format, data, frames)
  await addTail(reading, Math.max(last, data.end), end)
}

/** Sizes in the `ds64` chunk: form, `data`, samples, then a table of other chunks. */
async function longSizes({ view }: Reading): Promise<{ formBytes: number; sizes: LongSizes }> {
  const chunk = (await view.bytesUpTo(12, 36 + 12 * 64)).slice()
  if (nameAt(chunk, 0) !== 'ds64') return { formBytes: OPEN_SIZE, sizes: new Map() }
  const body = chunk.subarray(8, 8 + le32(chunk, 4))
  const sizes = new Map([['data', le64(body, 8)]])
  for (let at = 28; at + 12 <= body.length; at += 12) sizes.set(nameAt(body, at), le64(body, at + 4))
  return { formBytes: le64(body, 0), sizes }
}

function describeSound({ items }: Reading, format: Uint8Array, data: Chunk, stated: number | undefined): void {
  const tag = le16(format, 0)
  const isExtensible = tag === EXTENSIBLE && format.length >= 40
  addChannels(items, le16(format, 2), isExtensible ? le32(format, 20) : 0)
  const [hertz, blockBytes] = [le32(format, 4), le16(format, 12)]
  const isSimple = ONE_SAMPLE_BLOCKS.includes(isExtensible ? le16(format, 24) : tag) && blockBytes > 0
  const frames = isSimple ? Math.floor((data.end - data.body) / blockBytes) : stated
  if (frames !== undefined && hertz > 0) items.add('durations', `sound = ${seconds(frames / hertz)} s`)
}

/** Adds the bytes behind the last chunk, unless they are zeros that fill the form. */
async function addTail({ view, items }: Reading, last: number, end: number): Promise<void> {
  const from = (await isZero(view, Math.min(last, end), end)) ? Math.max(last, end + (end & 1)) : last
  if (from < view.size && !(await isZero(view, from, view.size)))
    items.add('trailing_bytes', `behind the RIFF form = ${await digestOfRange(view, from, view.size - from)}`)
}
