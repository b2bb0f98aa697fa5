/** Streams of any size as Brotli (RFC 7932), by brotli in WebAssembly: the same bytes on every platform. */
import { withEngines } from '../../../wasm/loading/engine-files.ts'
import { runStream, withByteLimit } from './run-stream.ts'

/** Parameter numbers of encode.h (BrotliEncoderParameter). */
const QUALITY = 1
const WINDOW_LOG = 2
const BLOCK_LOG = 3
const SIZE_HINT = 5

/** Input and output between two yields to the event loop: about 0.1 seconds of quality 11. */
const BYTES_PER_PAUSE = 64 * 1024
/** The same for decompression. */
const DECODED_BYTES_PER_PAUSE = 8 * 1024 * 1024

const MB = 1_000_000

const engine = async () => (await withEngines(import('../../../wasm/brotli/brotli.ts'))).Brotli

/** Returns the quality for a file size. Speed per CPU second: quality 11 about 0.7 MB, 10 about 1.7 MB, 9 about 15 MB. */
export function brotliQuality(sourceBytes: number): number {
  if (sourceBytes <= 60 * MB) return 11
  return sourceBytes <= 250 * MB ? 10 : 9
}

/**
 * Compresses `input`. The window is at most 4 MB, because the memory of qualities 10 and 11 grows with it: 79 MB in total. A 2 MB window
 * needs 59 MB, but the result is 2 % larger. Block size shrinks from 256 to 64 KiB as the window grows, which keeps memory at 78 MB for
 * a 1 MB source. Small sources with long blocks are 0.1 to 1 % smaller.
 */
export function brotliStream(
  input: AsyncIterable<Uint8Array>,
  sourceBytes: number,
  quality = brotliQuality(sourceBytes),
): AsyncGenerator<Uint8Array, void, undefined> {
  const params = {
    [QUALITY]: quality,
    [WINDOW_LOG]: windowLog(sourceBytes),
    [BLOCK_LOG]: Math.min(18, 38 - windowLog(sourceBytes)),
    [SIZE_HINT]: Math.min(sourceBytes, 2 ** 30),
  }
  return runStream(async () => (await engine()).compressor(params), input, BYTES_PER_PAUSE)
}

/**
 * Decompresses `input`.
 * @throws EngineError `damaged`, `truncated`, or `too_large` if more than `maxBytes` are decoded
 */
export function unbrotliStream(input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  return withByteLimit(
    runStream(async () => (await engine()).decompressor(), input, DECODED_BYTES_PER_PAUSE),
    maxBytes,
  )
}

/** Returns the base-2 logarithm of the smallest window that holds the whole source: 64 KiB to 4 MB. */
const windowLog = (sourceBytes: number) => Math.max(16, Math.min(22, Math.ceil(Math.log2(sourceBytes + 16))))
