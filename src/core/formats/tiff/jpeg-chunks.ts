/**
 * JPEG in strips and tiles: the same coefficients in fewer bytes. Each gets Huffman tables of its own, and the shared ones go: a
 * decoder keeps what a strip defines for those that it reads after it, in whatever order.
 */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import { isSparse } from '../../containers/tiff/decode.ts'
import type { TiffFile } from '../../containers/tiff/directory.ts'
import { DHT, DQT, headOf, jpegSegments, jpegStream, type Segment, tablesOf, withoutSegments } from '../../containers/tiff/jpeg.ts'
import type { Pixels } from '../../containers/tiff/pixels.ts'
import { isCodecError } from '../../model/error.ts'

/** Longer ones are copied: coefficients take twice their bytes, and what is written of them stands beside. */
const MAX_CHUNK_BYTES = 8 * 1024 * 1024
/** Looked at to see what comes of it. */
const SAMPLES = 6
const WORTH_IT = 0.995

/** The shared tables without those of Huffman codes. */
export const sharedTables = (pixels: Pixels): Uint8Array | undefined =>
  pixels.jpegTables && withoutSegments(pixels.jpegTables, ({ marker }) => marker === DHT)

/** A strip or tile with Huffman tables of its own, the best or else the shared ones. @throws EngineError, CodecError (malformed) */
export async function optimisedChunk(file: TiffFile, pixels: Pixels, index: number): Promise<Uint8Array> {
  using job = await JpegJob.read(jpegStream(file, pixels, index))
  const shared = pixels.jpegTables ? [...jpegSegments(pixels.jpegTables)] : []
  const own = [...jpegSegments(await headOf(file, pixels, index))].map(({ marker }) => marker)
  const codes = own.includes(DHT) ? [] : shared.filter(({ marker }) => marker === DHT).map(({ bytes }) => bytes)
  const keptBytes = codes.reduce((sum, { length }) => sum + length, pixels.lengths[index]!)
  // What else stands before and between the scans would be gone.
  const optimised =
    job.lateSegments.length > 0 || own.some(isOther) ? undefined : besideShared(concat(job.write('read', 'sequential')), shared)
  if (optimised && optimised.length < keptBytes) return optimised
  const stored = await file.source.read(pixels.offsets[index]!, pixels.lengths[index]!)
  return concat([stored.subarray(0, 2), ...codes, stored.subarray(2)])
}

/** Application segments, of which Adobe's says what the components are, and comments. */
const isOther = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

/** A stream without the steps that stand beside it; undefined where it has other ones in the same slots. */
function besideShared(stream: Uint8Array, shared: readonly Segment[]): Uint8Array | undefined {
  const known = tablesOf(shared)
  const isKnown = (segment: Segment) => [...tablesOf([segment])].every(([name, table]) => isSame(known.get(name), table))
  const steps = [...jpegSegments(stream)].filter(({ marker }) => marker === DQT)
  if (steps.every(isKnown)) return withoutSegments(stream, ({ marker }) => marker === DQT)
  return shared.some(({ marker }) => marker === DQT) ? undefined : stream
}

const isSame = (known: Uint8Array | undefined, table: Uint8Array) => known !== undefined && Buffer.compare(known, table) === 0

/** Whether strips or tiles become smaller, by some that are far from one another, and all of them can be read. */
export async function mayOptimise(file: TiffFile, pixels: Pixels): Promise<boolean> {
  const present = [...pixels.lengths.keys()].filter((index) => !isSparse(pixels, index))
  if (present.some((index) => pixels.lengths[index]! > MAX_CHUNK_BYTES)) return false
  const apart = Math.max(1, Math.floor(present.length / SAMPLES))
  let [before, after] = [0, 0]
  try {
    for (let at = 0; at < present.length; at += apart) {
      before += pixels.lengths[present[at]!]!
      after += (await optimisedChunk(file, pixels, present[at]!)).length
    }
    if (!(after < before * WORTH_IT)) return false
    for (const index of present) await chunkDigest(file, pixels, index)
    return true
  } catch (error) {
    if (isEngineError(error, 'jpeg') || isCodecError(error, 'malformed')) return false
    throw error
  }
}

/** What a strip or tile decodes to: a hash of its coefficients and their steps. */
export async function chunkDigest(file: TiffFile, pixels: Pixels, index: number): Promise<string> {
  using job = await JpegJob.read(jpegStream(file, pixels, index), { kind: 'hash' })
  return job.digest()
}
