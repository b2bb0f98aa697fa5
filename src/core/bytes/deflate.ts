/**
 * Deflate for bytes in memory: libdeflate, whose level 12 is within 0.2 % of zopfli. For data that does not fit in
 * memory there are `inflate-stream.ts` and `gzip.ts`. Nothing here leaves memory behind; what may take longer than a second lets others run.
 */

import { crc32 as nativeCrc32 } from 'node:zlib'
import { EngineError, isEngineError } from '../../../wasm/engine-error.ts'
import { type Container, DeflateSegments, Libdeflate } from '../../../wasm/libdeflate/libdeflate.ts'
import { concat } from './concat.ts'
import { yieldToOthers } from './yield.ts'

/** libdeflate's best level, and what everything uses below about 10 MB. */
export const BEST_LEVEL = 12

/**
 * Levels of our own for the samples of pictures, behind a predictor (priced.h). Fast: at photographs the bytes of level 10 in the
 * time of level 6 or 7. Close: near-optimal in one pass, a quarter faster than level 10.
 */
export const SAMPLES_FAST = 13
export const SAMPLES_CLOSE = 14

/** RFC 1951. `level` 0 (stored) to 12 (best), or one of the two for samples. */
export const deflateRaw = (bytes: Uint8Array, level = BEST_LEVEL): Uint8Array => compress('raw', bytes, level)

/** RFC 1950. */
export const zlibCompress = (bytes: Uint8Array, level = BEST_LEVEL): Uint8Array => compress('zlib', bytes, level)

/** RFC 1952, one member without name and time. */
export const gzipCompress = (bytes: Uint8Array, level = BEST_LEVEL): Uint8Array => compress('gzip', bytes, level)

/** As above, but undefined when the result would be longer than `room` bytes: saves the memory for a result nobody wants. */
export function deflateWithin(container: Container, bytes: Uint8Array, budget: number, level = BEST_LEVEL): Uint8Array | undefined {
  return withEngine((engine) => engine.compress(container, bytes, level, Math.max(0, budget)))
}

/**
 * RFC 1951, as small as it gets, for what is kept for long: 1 % below level 12 and 0.2 % below zopfli with five iterations,
 * four times as slow (1 MB a second, and more where less repeats itself).
 * @throws the signal's reason
 */
export async function deflateThorough(bytes: Uint8Array, budget: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
  const engine = takeEngine()
  let ended = false
  try {
    const deflated = await engine.compressThorough(bytes, Math.max(0, budget), () => yieldToOthers(signal))
    ended = true
    return deflated
  } finally {
    if (ended) giveBack(engine)
    else engine[Symbol.dispose]()
  }
}

/** Half a second at level 12. */
const PIECE_BYTES = 1024 * 1024

/** As `deflateWithin`, raw, with others let run after every megabyte. `level` 5 to 12. @throws the signal's reason */
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
    await yieldToOthers(signal)
  }
  pieces.push(segments.finish())
  const deflated = concat(pieces)
  return deflated.length <= budget ? deflated : undefined
}

/** Bytes after the end of the stream are ignored. @throws EngineError */
export const inflateRaw = (bytes: Uint8Array, maxBytes: number): Uint8Array => inflate('raw', bytes, maxBytes).bytes

/** Checks the Adler-32. Bytes after the end of the stream are ignored. @throws EngineError */
export const zlibDecompress = (bytes: Uint8Array, maxBytes: number): Uint8Array => inflate('zlib', bytes, maxBytes).bytes

/** Checks CRC and length of the first member. Bytes after it are ignored. @throws EngineError */
export const gzipDecompress = (bytes: Uint8Array, maxBytes: number): Uint8Array => inflate('gzip', bytes, maxBytes).bytes

/** One stream, and how many bytes of the input it took. @throws EngineError */
export function inflate(container: Container, bytes: Uint8Array, maxBytes: number): { bytes: Uint8Array; consumed: number } {
  return withEngine((engine) => {
    // The size is not known beforehand, and `maxBytes` may be far above it: begin small, so that memory follows the data.
    let budget = Math.min(maxBytes, Math.max(65_536, bytes.length * 4))
    for (;;) {
      const inflated = engine.decompress(container, bytes, budget)
      if (inflated.kind === 'done') return inflated
      if (inflated.kind === 'damaged') throw new EngineError('deflate', 'damaged', 'the compressed data is damaged')
      if (budget >= maxBytes) throw new EngineError('deflate', 'too_large', `more than ${maxBytes} bytes come out of the compressed data`)
      budget = Math.min(maxBytes, budget * 4)
    }
  })
}

/** CRC-32 of RFC 1952 and ISO 3309; `seed` continues an earlier one. */
export const crc32 = (bytes: Uint8Array, seed = 0): number => nativeCrc32(bytes, seed)

/** Adler-32 of RFC 1950, section 9; `seed` continues an earlier one. */
export function adler32(bytes: Uint8Array, seed = 1): number {
  let a = seed & 0xffff
  let b = seed >>> 16
  // 5552 is the most bytes that can be summed before b passes 2^32.
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

/** An instance is kept between calls: thousands of strips are faster with one. What grew beyond this is let go. */
const KEPT_MEMORY_BYTES = 24 * 1024 * 1024
let kept: Libdeflate | undefined

/** After an exception (a trap) it is not used again. */
function takeEngine(): Libdeflate {
  const engine = kept ?? new Libdeflate()
  kept = undefined
  return engine
}

function giveBack(engine: Libdeflate): void {
  if (!kept && engine.memoryBytes <= KEPT_MEMORY_BYTES) kept = engine
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
    if (ended) giveBack(engine)
    else engine[Symbol.dispose]()
  }
}

/** Lets go of it: up to 24 MB that someone who is about to need memory for something else may want. */
export function releaseDeflate(): void {
  kept?.[Symbol.dispose]()
  kept = undefined
}

function compress(container: Container, bytes: Uint8Array, level: number): Uint8Array {
  return withEngine((engine) => engine.compress(container, bytes, level)!)
}
