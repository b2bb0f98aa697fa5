/** Decodes a stored LAZ file and compares it with the original LAS file, byte by byte. */
import { isCodecError } from '../../model/error.ts'
import { decodeChunk } from './chunk-decoder.ts'
import { readChunkTable } from './chunk-table.ts'
import { type LasFile, type RangeSource, readExactly, readLas, VLR_HEADER_BYTES, viewOf } from './las-header.ts'
import { int64Bytes, trailingOffsets, updatedHeader } from './las-to-laz.ts'
import { readLaszipVlr } from './laszip-vlr.ts'
import { COPY_BYTES, MAX_CHUNK_BYTES } from './tuning.ts'

/** Describes the first difference. `undefined`: no difference. */
export async function lazDifference(
  original: RangeSource,
  laz: RangeSource,
  tick: (share: number) => Promise<void>,
): Promise<string | undefined> {
  const las = await readLas(original)
  try {
    return await compare(las, original, laz, tick)
  } catch (error) {
    if (isCodecError(error) || error instanceof RangeError) return `the result cannot be decoded: ${error.message}`
    throw error
  }
}

async function compare(las: LasFile, original: RangeSource, laz: RangeSource, tick: (share: number) => Promise<void>) {
  const { layout } = las
  const vlrBytes = VLR_HEADER_BYTES + 34 + 6 * layout.items.length
  const pointOffset = las.pointOffset + vlrBytes
  const trailingBytes = original.size - las.pointsEnd
  const tableEnd = laz.size - trailingBytes

  const header = updatedHeader(las, pointOffset)
  for (const [at, value] of trailingOffsets(las)) header.set(int64Bytes(value + BigInt(tableEnd - las.pointsEnd)), at)
  const head = await readExactly(laz, 0, pointOffset + 8)
  const headerDiffers = firstDifference(header, head.subarray(0, header.length))
  if (headerDiffers >= 0) return `the header or a VLR differs at byte ${headerDiffers}`
  const pointsPerChunk = readLaszipVlr(head.subarray(las.vlrEnd, las.vlrEnd + vlrBytes), layout, las.vlrEnd)
  const strayDiffers = firstDifference(las.head.subarray(las.vlrEnd), head.subarray(las.vlrEnd + vlrBytes, pointOffset))
  if (strayDiffers >= 0) return `the bytes before the points differ at ${las.vlrEnd + strayDiffers}`

  const tableOffset = Number(viewOf(head).getBigInt64(pointOffset, true))
  if (tableOffset < pointOffset + 8 || tableOffset + 8 > tableEnd) return `the chunk table offset ${tableOffset} is outside the file`
  const table = await readExactly(laz, tableOffset, tableEnd - tableOffset)
  const chunks = readChunkTable(table, Math.ceil(las.pointCount / pointsPerChunk), tableOffset)

  let at = pointOffset + 8
  for (const [i, bytes] of chunks.entries()) {
    const first = i * pointsPerChunk
    const count = Math.min(pointsPerChunk, las.pointCount - first)
    if (at + bytes > tableOffset || bytes > MAX_CHUNK_BYTES) return `chunk ${i} of ${bytes} bytes reaches into the chunk table`
    const records = decodeChunk(layout, await readExactly(laz, at, bytes), count)
    const wanted = await readExactly(original, las.pointOffset + first * layout.recordLength, count * layout.recordLength)
    const differs = firstDifference(wanted, records)
    if (differs >= 0) return `point ${first + Math.floor(differs / layout.recordLength)} differs`
    at += bytes
    await tick((first + count) / las.pointCount)
  }
  if (at !== tableOffset) return `the chunks end at ${at}, the table begins at ${tableOffset}`

  for (let done = 0; done < trailingBytes; done += COPY_BYTES) {
    const length = Math.min(COPY_BYTES, trailingBytes - done)
    const [a, b] = [await readExactly(original, las.pointsEnd + done, length), await readExactly(laz, tableEnd + done, length)]
    const differs = firstDifference(a, b)
    if (differs >= 0) return `the bytes after the points differ at ${las.pointsEnd + done + differs}`
  }
  return undefined
}

/** Index of the first byte that differs, or −1. */
function firstDifference(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return Math.min(a.length, b.length)
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return i
  return -1
}
