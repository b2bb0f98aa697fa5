/**
 * JPEG codec in bounded memory (see src/jpeg.h). It has four entry points:
 *
 *   JpegJob.read(file)         a JPEG as coefficients: requantise, halve chroma, re-optimise without loss, write
 *   JpegJob.fromRows(options)  pixel rows as coefficients; `encodeRows` combines all steps in one call
 *   JpegRows.open(file)        a JPEG as pixel rows, optionally reduced
 *   recode(file)               lossless recompression of a sequential JPEG that is too large for memory
 *
 * All of them throw `EngineError`, whose `failure` is the kind of error. Instances share no state.
 */
import type { IntakeMode, Measured, RowsIn, Scans } from './job.ts'
import { JpegJob } from './job.ts'

export type { FileRange, JpegInput } from './engine.ts'
export {
  type CoefficientSet,
  type IntakeMode,
  type JpegColour,
  type JpegInfo,
  JpegJob,
  type Measured,
  type RowsIn,
  type Scans,
} from './job.ts'
export { type Recoded, recode } from './recode.ts'
export { JpegRows, type RowsOutOptions } from './rows-out.ts'

export interface EncodeOptions extends RowsIn {
  /** Quality 1 to 100, on MozJPEG's scale. */
  readonly quality: number
  /** Order of scans. Default: `progressive`. */
  readonly scans?: Scans
  /** Quality of the chroma tables minus that of luma. Default: 0. */
  readonly chromaQuality?: number
  /** True to leave out JFIF and Adobe segments: for streams in PDF, or callers that write their own segments. Default: false. */
  readonly bare?: boolean
}

export interface EncodedJpeg extends Measured {
  readonly chunks: Uint8Array[]
  /** Peak of the WebAssembly memory in bytes. */
  readonly memoryBytes: number
}

/**
 * Encodes pixel rows as JPEG at one quality, in one pass; only the result is kept in memory. The figures compare with the rows after
 * JPEG's colour conversion and chroma sampling, whose own loss is not included.
 */
export async function encodeRows(options: EncodeOptions, rows: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<EncodedJpeg> {
  const intake: IntakeMode = { kind: 'stream', quality: options.quality }
  const rowInput = JpegJob.fromRows(options, intake, options.chromaQuality ?? 0)
  for await (const strip of rows) rowInput.write(strip)
  using job = rowInput.end()
  const chunks = job.write('made', options.scans ?? 'progressive', !options.bare)
  return { ...job.figures, chunks, memoryBytes: job.memoryBytes }
}
