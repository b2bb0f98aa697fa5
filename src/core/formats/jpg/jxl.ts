/** Stores a JPEG in a JPEG XL file (ISO/IEC 18181-2, "JPEG bitstream reconstruction") and rebuilds it byte for byte. */

import { type EngineError, isEngineError } from '../../../../wasm/engine-error.ts'
import type { EngineInput } from '../../../../wasm/jxl/engine.ts'
import { rebuildJpeg } from '../../../../wasm/jxl-decoder/jxl-decoder.ts'
import { encodeJxl } from '../../../../wasm/jxl-encoder/jxl-encoder.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { JobMemory } from '../../../../wasm/memories/memories.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { outputFacts } from '../../catalog/outputs.ts'
import { message } from '../../i18n/message.ts'
import { refuseReduction } from '../../images/search/fit-to-size.ts'
import { fitsMemoryBudget, hasLargeMemoryBudget, maxPixelsOf } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { malformed, noGain, overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { freedChunks, memorySource, readAll } from '../../model/source.ts'
import { checkWork } from '../../model/work-estimate.ts'
import { findScanEnd } from './scan-end.ts'
import type { JpegHeader } from './segments.ts'

const JXL = outputFacts('jxl')

/** Fixed memory of the engines in bytes. */
const BASE_BYTES = 10 * 1024 * 1024
/** Bytes for each coefficient of the JPEG, which libjxl holds. */
const BYTES_PER_COEFFICIENT = 2
/** Bytes for each pixel: averages of blocks, their tokens and properties. libjxl gives grey pictures planes of chroma. */
const BYTES_PER_PIXEL = { colour: 1.35, grey: 1.65 }
/** Bytes for each byte of the file: the file itself, the result, and buffers while they grow. */
const BYTES_PER_FILE_BYTE = 3.3
/** Memory of Brotli, which compresses the metadata, for each of its bytes, and at most. */
const BROTLI = { perByte: 36, mostBytes: 18 * 1024 * 1024 }
/** Largest memory of an engine in an isolate (build-engine.sh). */
const ISOLATE_ENGINE_BYTES = 88 * 1024 * 1024
/** CPU seconds for each million pixels: encoding, rebuilding and comparing. Measured: 0.06 to 0.15. */
const SECONDS_PER_MEGAPIXEL = 0.15
/** CPU seconds for each million pixels and scan beyond the first. */
const SECONDS_PER_SCAN = 0.004
/** Most scans. Real progressive files have about ten, and optimised ones up to sixty. */
const MOST_SCANS = 200

/**
 * Stores the JPEG of `source` in a JPEG XL file. `evidence`: memory of the engine, which `verifyJxl` uses again and returns.
 * @throws CodecError `unsupported_feature` for a JPEG that cannot be stored exactly, and for a picture that must be reduced
 * @throws TargetUnreachable if the only possible result is too large
 */
export async function storeAsJxl(
  source: Source,
  sink: Sink,
  header: JpegHeader,
  options: Options,
): Promise<Outcome & { readonly evidence: JobMemory }> {
  refuseReduction(JXL, header, options)
  const { components } = header
  if (components !== 1 && components !== 3) throw unsupported(message('jxl_holds_one_or_three_components', { components }))
  await checkBudgets(source, header, options)
  const memory = new JobMemory()
  try {
    await encode(source, sink, memory, options)
    options.progress(0.6)
    return { kind: 'compressed', steps: [message('jxl_holds_jpeg')], evidence: memory }
  } catch (error) {
    memory[Symbol.dispose]()
    throw isEngineError(error, 'jxl') ? refusalOf(error) : error
  }
}

async function encode(source: Source, sink: Sink, memory: JobMemory, { targetSize, signal }: Options): Promise<void> {
  const fits = targetSize ?? source.size
  let bytes = 0
  await encodeJxl(inputOf(source), memory, async (piece) => {
    signal.throwIfAborted()
    bytes += piece.length
    if (bytes >= source.size) throw noGain()
    // Beyond the target, pieces are only counted, for the size that can be reached.
    if (bytes < fits) await sink.write(piece)
  })
  if (bytes >= fits) throw new TargetUnreachable(bytes)
}

const inputOf = (source: Source): EngineInput => ({ chunks: freedChunks(source), size: source.size })

/** Converts an error of the encoder. libjxl does not say why it refuses a JPEG. */
const refusalOf = (error: EngineError): Error => (error.failure === 'memory' ? error : unsupported('jxl_cannot_hold_jpeg'))

/** @throws CodecError `over_budget` if the picture needs more memory or time than the job has */
async function checkBudgets(source: Source, header: JpegHeader, options: Options): Promise<void> {
  const { width, height } = header
  const mostPixels = mostPixelsOf(options)
  if (width * height > mostPixels)
    throw overBudget(message('more_pixels_than_job_may', { width, height, megapixels: Math.floor(mostPixels / 1e6) }))
  const needed = memoryFor(source, header)
  const most = hasLargeMemoryBudget(options) ? options.memoryBudget : ISOLATE_ENGINE_BYTES
  if (!fitsMemoryBudget(options, needed, most))
    throw overBudget(message('about_mb_of_memory_would_be_needed', { megabytes: Math.ceil(needed / 1048576) }))
  const { scans } = await findScanEnd(source, header.scanOffset, options.signal)
  if (scans > MOST_SCANS) throw overBudget(message('jpeg_has_more_scans', { scans, limit: MOST_SCANS }))
  checkWork(((width * height) / 1e6) * (SECONDS_PER_MEGAPIXEL + scans * SECONDS_PER_SCAN), options)
}

/** Estimated memory of the encoder in bytes. The decoder needs less, also with the JPEG beside it. */
function memoryFor({ size }: Source, { width, height, components, coefficients, segments }: JpegHeader): number {
  const perPixel = components === 1 ? BYTES_PER_PIXEL.grey : BYTES_PER_PIXEL.colour
  const metadataBytes = segments.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const picture = coefficients * BYTES_PER_COEFFICIENT + width * height * perPixel + size * BYTES_PER_FILE_BYTE
  return BASE_BYTES + picture + Math.min(BROTLI.mostBytes, metadataBytes * BROTLI.perByte)
}

const mostPixelsOf = (options: Pick<Options, 'memoryBudget'>): number =>
  JXL.mostPixels ? maxPixelsOf(JXL.mostPixels, options) : Number.POSITIVE_INFINITY

/** Rebuilds the JPEG from `result` and compares every byte with `original`. */
export async function verifyJxl(original: Source, result: Source, options: Options, evidence: unknown): Promise<Verdict> {
  using memory = evidence instanceof JobMemory ? evidence : new JobMemory()
  const expected = await readAll(original)
  let at = 0
  try {
    await rebuildJpeg(inputOf(result), {
      memory,
      mostPixels: mostPixelsOf(options),
      write(piece) {
        if (!equalBytes(piece, expected.subarray(at, at + piece.length))) throw new Difference(`byte ${at} or one after it differs`)
        at += piece.length
      },
    })
  } catch (error) {
    if (error instanceof Difference) return { equal: false, difference: error.message }
    if (!isEngineError(error, 'jxl') || error.failure === 'memory') throw error
    return { equal: false, difference: error.message }
  } finally {
    discard(expected)
  }
  options.progress(1)
  if (at < original.size) return { equal: false, difference: `${at} of ${original.size} bytes were rebuilt` }
  return { equal: true, holdsOriginal: true }
}

class Difference extends Error {}

/**
 * Returns the JPEG that a JPEG XL file was made from.
 * @param mostBytes largest size of the JPEG @param mostPixels largest size of the picture
 * @throws CodecError if the file was not made from a JPEG, or is damaged or too large
 */
export async function jpegOfJxl(jxl: Source, mostBytes: number, mostPixels: number): Promise<Source> {
  using memory = new JobMemory()
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    await rebuildJpeg(inputOf(jxl), {
      memory,
      mostPixels,
      write(piece) {
        bytes += piece.length
        if (bytes > mostBytes) throw overBudget(message('file_becomes_larger_than', { limit: mostBytes }))
        pieces.push(piece.slice())
      },
    })
  } catch (error) {
    if (!isEngineError(error, 'jxl')) throw error
    if (error.failure === 'memory' || error.failure === 'limit') throw overBudget(message('engine_reports', { problem: error.message }))
    if (error.failure === 'unsupported') throw unsupported('jxl_holds_no_jpeg')
    throw malformed('jxl', 0, message('engine_reports', { problem: error.message }))
  }
  return memorySource(concatenated(pieces, bytes), `${jxl.name.replace(/\.jxl$/i, '')}.jpg`)
}

/** Joins pieces and frees each of them at once. */
function concatenated(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
    discard(piece)
  }
  return whole
}
