/**
 * Deflate for bytes in memory: libdeflate, whose level 12 is within 0.2 % of zopfli. For data that does not fit in
 * memory there are `inflate-stream.ts` and `gzip.ts`. Everything here is synchronous and leaves no memory behind.
 */

import { crc32 as nativeCrc32 } from 'node:zlib'
import { EngineError, isEngineError } from '../../wasm/engine-error.ts'
import { type Container, Libdeflate } from '../../wasm/libdeflate/libdeflate.ts'

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
 * six times as slow (0.7 MB a second, and more where less repeats itself).
 */
export function deflateThorough(bytes: Uint8Array, budget: number): Uint8Array | undefined {
  return withEngine((engine) => engine.compressThorough(bytes, Math.max(0, budget)))
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

function withEngine<T>(use: (engine: Libdeflate) => T): T {
  const engine = kept ?? new Libdeflate()
  kept = undefined // after an exception (a trap) the engine is not used again
  let ended = false
  try {
    const result = use(engine)
    ended = true
    return result
  } catch (error) {
    ended = isEngineError(error, 'deflate')
    throw error
  } finally {
    if (ended && engine.memoryBytes <= KEPT_MEMORY_BYTES) kept = engine
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
