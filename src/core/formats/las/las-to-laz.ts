/** Converts LAS 1.0 to 1.4, point formats 0 to 10, to LAZ. One chunk of points is in memory at a time. */
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { ChunkEncoder } from './chunk-encoder.ts'
import { type LasFile, type RangeSource, readExactly, readLas, trailingOffsetFields } from './las-header.ts'
import { laszipVlr } from './laszip-vlr.ts'
import { COPY_BYTES, MAX_CHUNK_RECORD_BYTES, POINTS_PER_CHUNK } from './tuning.ts'

export interface LazSink {
  /** Writes `bytes` and takes ownership of the array. */
  write(bytes: Uint8Array): Promise<void>
  /** Overwrites bytes of the header or of the chunk table offset. All are within the first 4 MiB + 300 bytes. */
  patch(offset: number, bytes: Uint8Array): void
}

/**
 * Writes a LAS file as LAZ. Copies VLRs, EVLRs and unused bytes; updates header fields 96, 100, 104, 227 and 235.
 * @param tick called after each chunk with the share of points done, 0 to 1
 * @throws CodecError (malformed, unsupported_feature)
 */
export async function encodeLaz(source: RangeSource, sink: LazSink, tick: (share: number) => Promise<void>): Promise<LasFile> {
  const las = await readLas(source)
  const { layout, head } = las
  const pointsPerChunk = Math.max(1, Math.min(POINTS_PER_CHUNK, Math.floor(MAX_CHUNK_RECORD_BYTES / layout.recordLength)))
  const vlr = laszipVlr(layout, pointsPerChunk)
  const pointOffset = las.pointOffset + vlr.length

  let written = 0
  const write = async (bytes: Uint8Array) => {
    written += bytes.length
    await sink.write(bytes)
  }
  await write(updatedHeader(las, pointOffset))
  await write(vlr)
  await write(head.slice(las.vlrEnd))
  await write(new Uint8Array(8)) // offset of the chunk table, patched below

  const encoder = new ChunkEncoder(layout, pointsPerChunk * layout.recordLength)
  const chunkBytes: number[] = []
  for (let done = 0; done < las.pointCount; done += pointsPerChunk) {
    const count = Math.min(pointsPerChunk, las.pointCount - done)
    const records = await readExactly(source, las.pointOffset + done * layout.recordLength, count * layout.recordLength)
    const chunk = encoder.encode(records)
    chunkBytes.push(chunk.length)
    await write(chunk)
    await tick((done + count) / las.pointCount)
  }

  const tableOffset = written
  await write(encoder.table(chunkBytes))
  const shift = BigInt(written - las.pointsEnd)
  for (let at = las.pointsEnd; at < source.size; at += COPY_BYTES) {
    await write((await readExactly(source, at, Math.min(COPY_BYTES, source.size - at))).slice())
  }

  sink.patch(pointOffset, int64Bytes(BigInt(tableOffset)))
  for (const [at, value] of trailingOffsets(las)) sink.patch(at, int64Bytes(value + shift))
  return las
}

/** LAS header and VLRs with the fields that are known before the points are encoded. */
export function updatedHeader(las: LasFile, pointOffset: number): Uint8Array {
  // Copies by `set`, because `slice` of a Node Buffer would share memory with the source.
  const header = new Uint8Array(las.vlrEnd)
  header.set(las.head.subarray(0, las.vlrEnd))
  const format = las.head[104] ?? 0
  return new ByteWriter(header, true)
    .at(96)
    .u32(pointOffset)
    .u32(las.vlrCount + 1)
    .u8(format | 0x80)
    .finish()
}

/** Header fields that refer to data after the points, with their values in the LAS file. */
export function* trailingOffsets(las: LasFile): Iterable<[field: number, value: bigint]> {
  for (const at of trailingOffsetFields(las.minor)) {
    const value = new ByteReader(las.head, true).bigU64(at)
    if (value !== 0n) yield [at, value]
  }
}

export const int64Bytes = (value: bigint): Uint8Array => new ByteWriter(new Uint8Array(8), true).u64(value).finish()
