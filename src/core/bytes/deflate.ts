/**
 * Deflate for bytes in memory, by libdeflate, whose level 12 is within 0.2 % of zopfli. For larger data, see `inflate-stream.ts` and
 * `gzip.ts`. Memory is freed after use. Functions that may take more than a second yield to the event loop.
 */

import { EngineError, isEngineError } from '../../../wasm/engine-error.ts'
import { type Container, DeflateSegments, Libdeflate } from '../../../wasm/libdeflate/libdeflate.ts'
import { concat } from './concat.ts'
import { yieldToEventLoop } from './yield.ts'

/** Best level of libdeflate. It is used for data below about 10 MB. */
export const BEST_LEVEL = 12

/**
 * Whittle's own levels for picture samples after a predictor (priced.h). Fast: the size of level 10 for photographs, in the time of level 6
 * or 7. Close: near-optimal parsing in one pass, 25 % faster than level 10.
 */
export const SAMPLES_FAST = 13
export const SAMPLES_CLOSE = 14

/** Compresses to raw Deflate (RFC 1951). `level`: 0 (stored) to 12 (best), or one of the two sample levels; default: 12. */
export const deflateRaw = (bytes: Uint8Array, level = BEST_LEVEL): Uint8Array => compress('raw', bytes, level)

/** Compresses to zlib (RFC 1950). `level`: as in `deflateRaw`. */
export const zlibCompress = (bytes: Uint8Array, level = BEST_LEVEL): Uint8Array => compress('zlib', bytes, level)

/** Compresses to one gzip member without name and time (RFC 1952). `level`: as in `deflateRaw`. */
export const gzipCompress = (bytes: Uint8Array, level = BEST_LEVEL): Uint8Array => compress('gzip', bytes, level)

/**
 * Compresses if the result fits into `budget` bytes. `undefined`: it does not fit. This saves the memory of a result that is not needed.
 */
export function deflateWithin(container: Container, bytes: Uint8Array, budget: number, level = BEST_LEVEL): Uint8Array | undefined {
  return withEngine((engine) => engine.compress(container, bytes, level, Math.max(0, budget)))
}

/**
 * Compresses to raw Deflate (RFC 1951) as small as possible: 1 % smaller than level 12 and 0.2 % smaller than zopfli with five
 * iterations, but four times slower (1 MB a second, faster for data with few repetitions). `undefined`: larger than `budget` bytes.
 * @throws the signal's reason
 */
export async function deflateThorough(bytes: Uint8Array, budget: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
  const engine = takeEngine()
  let ended = false
  try {
    const deflated = await engine.compressThorough(bytes, Math.max(0, budget), () => yieldToEventLoop(signal))
    ended = true
    return deflated
  } finally {
    if (ended) returnEngine(engine)
    else engine[Symbol.dispose]()
  }
}

/** Bytes compressed between two yields: half a second at level 12. Segments of this size do not enlarge the result. */
const PIECE_BYTES = 1024 * 1024

/**
 * Compresses to raw Deflate as `deflateWithin` does, and yields to the event loop after every megabyte. `level`: 5 to 12.
 * @throws the signal's reason
 */
export async function deflateInPieces(
  bytes: Uint8Array,
  budget: number,
  level: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (bytes.length <= PIECE_BYTES) return deflateWithin('raw', bytes, budget, level)
  using segments = new DeflateSegments(level, PIECE_BYTES)
  const pieces: Uint8Array[] = []
  let length = 0
  for (const piece of segments.push(bytes)) {
    pieces.push(piece)
    length += piece.length
    if (length > budget) return undefined
    await yieldToEventLoop(signal)
  }
  pieces.push(segments.finish())
  const deflated = concat(pieces)
  return deflated.length <= budget ? deflated : undefined
}

/**
 * Compresses `input` of any length to one raw Deflate stream. Memory: 12 MB. `level`: 5 to 12. Yields to the event loop after every
 * megabyte.
 */
export async function* deflateStream(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  level: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  using segments = new DeflateSegments(level, PIECE_BYTES)
  for await (const chunk of input) {
    for (const compressed of segments.push(chunk)) {
      yield compressed
      await yieldToEventLoop()
    }
  }
  yield segments.finish()
}

/**
 * Decompresses raw Deflate. Bytes after the end of the stream are ignored.
 * @throws EngineError `damaged`, or `too_large` if more than `maxBytes` are decoded
 */
export const inflateRaw = (bytes: Uint8Array, maxBytes: number): Uint8Array => inflate('raw', bytes, maxBytes).bytes

/**
 * Decompresses zlib and checks its Adler-32. Bytes after the end of the stream are ignored.
 * @throws EngineError `damaged`, or `too_large` if more than `maxBytes` are decoded
 */
export const zlibDecompress = (bytes: Uint8Array, maxBytes: number): Uint8Array => inflate('zlib', bytes, maxBytes).bytes

/**
 * Decompresses the first gzip member and checks its CRC and length. Bytes after it are ignored.
 * @throws EngineError `damaged`, or `too_large` if more than `maxBytes` are decoded
 */
export const gzipDecompress = (bytes: Uint8Array, maxBytes: number): Uint8Array => inflate('gzip', bytes, maxBytes).bytes

/**
 * Decompresses one stream. `consumed`: bytes of the input that belong to it.
 * @throws EngineError `damaged`, or `too_large` if more than `maxBytes` are decoded
 */
export function inflate(container: Container, bytes: Uint8Array, maxBytes: number): { bytes: Uint8Array; consumed: number } {
  return withEngine((engine) => {
    // The output size is unknown and may be far below `maxBytes`, so the buffer starts small and grows by a factor of four.
    let budget = Math.min(maxBytes, Math.max(65_536, bytes.length * 4))
    for (;;) {
      const inflated = engine.decompress(container, bytes, budget)
      if (inflated.kind === 'done') return inflated
      if (inflated.kind === 'damaged') throw new EngineError('deflate', 'damaged', 'the compressed data is damaged')
      if (budget >= maxBytes)
        throw new EngineError('deflate', 'too_large', `the decompressed data is larger than the limit of ${maxBytes} bytes`)
      budget = Math.min(maxBytes, budget * 4)
    }
  })
}

/** Returns the Adler-32 (RFC 1950, section 9). `seed`: checksum of the preceding bytes; default: 1. */
export function adler32(bytes: Uint8Array, seed = 1): number {
  let a = seed & 0xffff
  let b = seed >>> 16
  // 5552 bytes are the most that can be summed before b exceeds 2^32.
  for (let start = 0; start < bytes.length; start += 5552) {
    const end = Math.min(start + 5552, bytes.length)
    for (let i = start; i < end; i++) {
      a += bytes[i]!
      b += a
    }
    a %= 65521
    b %= 65521
  }
  return ((b << 16) | a) >>> 0
}

/** Largest memory in bytes of an engine that is reused. Reuse makes thousands of small strips faster. */
const MAX_REUSED_ENGINE_BYTES = 24 * 1024 * 1024
let idleEngine: Libdeflate | undefined

/** Takes the engine that can be reused, or creates one. An engine that trapped is not returned for reuse. */
function takeEngine(): Libdeflate {
  const engine = idleEngine ?? new Libdeflate()
  idleEngine = undefined
  return engine
}

function returnEngine(engine: Libdeflate): void {
  if (!idleEngine && engine.memoryBytes <= MAX_REUSED_ENGINE_BYTES) idleEngine = engine
  else engine[Symbol.dispose]()
}

function withEngine<T>(use: (engine: Libdeflate) => T): T {
  const engine = takeEngine()
  let ended = false
  try {
    const result = use(engine)
    ended = true
    return result
  } catch (error) {
    ended = isEngineError(error, 'deflate')
    throw error
  } finally {
    if (ended) returnEngine(engine)
    else engine[Symbol.dispose]()
  }
}

/** Frees the engine that is kept for reuse, up to 24 MB, before a step that needs much memory. */
export function releaseDeflate(): void {
  idleEngine?.[Symbol.dispose]()
  idleEngine = undefined
}

function compress(container: Container, bytes: Uint8Array, level: number): Uint8Array {
  return withEngine((engine) => engine.compress(container, bytes, level)!)
}
