/**
 * JPEG in bounded memory (see src/jpeg.h). Four ways in and out:
 *
 *   JpegJob.read(file)         a JPEG as coefficients: requantise, halve chroma, re-optimise without loss, write
 *   JpegJob.fromRows(options)  the same from pixel rows; `encodeRows` is the one-call form
 *   JpegRows.open(file)        a JPEG as pixel rows, also scaled down
 *   recode(file)               a sequential JPEG that is too large to be held, without loss
 *
 * Everything throws `EngineError`, whose `failure` says whose fault it is. Nothing is shared between instances.
 */
import type { Intake, Measured, RowsIn, Scans } from './job.ts'
import { JpegJob } from './job.ts'

export type { JpegInput, Place } from './engine.ts'
export { type Intake, type JpegColour, type JpegInfo, JpegJob, type Measured, type RowsIn, type Scans, type Which } from './job.ts'
export { type Recoded, recode } from './recode.ts'
export { JpegRows, type RowsOutOptions } from './rows-out.ts'

export interface EncodeOptions extends RowsIn {
  /** 1–100, mozjpeg's scale. */
  readonly quality: number
  /** Default `progressive`. */
  readonly scans?: Scans
  /** Difference of the chroma tables' quality to luma's (default 0). */
  readonly chromaQuality?: number
  /** Without JFIF and Adobe segments: a stream for PDF, or for callers that write their own (default false). */
  readonly bare?: boolean
}

export interface Encoded extends Measured {
  readonly chunks: Uint8Array[]
  /** Peak of the Wasm memory in bytes. */
  readonly memoryBytes: number
}

/**
 * Pixel rows → JPEG at one quality, in one pass; memory is that of the result. `measured` compares with the rows as
 * JPEG's colour conversion and chroma sampling left them (58 dB below nothing).
 */
export async function encodeRows(options: EncodeOptions, rows: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Encoded> {
  const intake: Intake = { kind: 'stream', quality: options.quality }
  const taking = JpegJob.fromRows(options, intake, options.chromaQuality ?? 0)
  for await (const strip of rows) taking.write(strip)
  using job = taking.end()
  const chunks = job.write('made', options.scans ?? 'progressive', !options.bare)
  return { ...job.figures, chunks, memoryBytes: job.memoryBytes }
}
