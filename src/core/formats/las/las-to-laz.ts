/** LAS 1.0–1.4, point formats 0–10, to LAZ: one chunk of points in memory at a time. */
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { ChunkEncoder } from './chunk-encoder.ts'
import { type LasFile, type RangeSource, readExactly, readLas, trailingOffsetFields } from './las-header.ts'
import { laszipVlr } from './laszip-vlr.ts'

export interface LazSink {
  /** Takes the bytes over. */
  write(bytes: Uint8Array): Promise<void>
  /** Overwrites bytes of the header or of the chunk table pointer, which are all inside the first 4 MiB + 300 bytes. */
  patch(offset: number, bytes: Uint8Array): void
}

/** What every reader expects; twice as many points a chunk would save 0.9 %. */
const POINTS_PER_CHUNK = 50_000
/** Points with many extra bytes get smaller chunks. */
const MAX_CHUNK_RECORD_BYTES = 8 << 20
const COPY_BYTES = 1 << 20

/**
 * Writes the LAZ form of a LAS file. VLRs, EVLRs and stray bytes are kept; header fields 96, 100, 104, 227 and 235 move.
 * @param tick called between chunks with the share done
 * @throws CodecError
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
  await write(movedHeader(las, pointOffset))
  await write(vlr)
  await write(head.slice(las.vlrEnd))
  await write(new Uint8Array(8)) // where the chunk table begins, patched below

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

  sink.patch(pointOffset, int64(BigInt(tableOffset)))
  for (const [at, value] of trailingOffsets(las)) sink.patch(at, int64(value + shift))
  return las
}

/** Header and VLRs with the fields that are known before the points are coded. */
export function movedHeader(las: LasFile, pointOffset: number): Uint8Array {
  // A copy by `set`: `slice` of a Node Buffer would alias the source.
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

/** Fields that point behind the points, with their values in the LAS file. */
export function* trailingOffsets(las: LasFile): Iterable<[field: number, value: bigint]> {
  for (const at of trailingOffsetFields(las.minor)) {
    const value = new ByteReader(las.head, true).bigU64(at)
    if (value !== 0n) yield [at, value]
  }
}

export const int64 = (value: bigint): Uint8Array => new ByteWriter(new Uint8Array(8), true).u64(value).finish()
