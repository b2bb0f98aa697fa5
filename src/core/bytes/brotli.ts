/** Brotli (RFC 7932) in a stream, any size, over node:zlib. */
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib'
import { bounded } from './inflate-stream.ts'
import { through } from './pipe-transform.ts'

const MB = 1_000_000

/** What a size gets: quality 11 does about 0.7 MB per CPU second, 10 about 1.7, 9 about 15. */
export function brotliQuality(sourceBytes: number): number {
  if (sourceBytes <= 60 * MB) return 11
  return sourceBytes <= 250 * MB ? 10 : 9
}

/**
 * A 4 MB window, because the memory of qualities 10 and 11 grows with it: 79 MB in all, 59 with a window of 2 MB, which takes 2 % more
 * bytes. Blocks are the shorter the larger the window (256 to 64 KiB), which keeps memory there: 78 MB for a megabyte, 67 for two; what is
 * small enough for long ones takes a thousandth less, or a hundredth.
 */
export function brotliStream(input: AsyncIterable<Uint8Array>, sourceBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality(sourceBytes),
    [constants.BROTLI_PARAM_LGWIN]: windowLog(sourceBytes),
    [constants.BROTLI_PARAM_LGBLOCK]: Math.min(18, 38 - windowLog(sourceBytes)),
    [constants.BROTLI_PARAM_SIZE_HINT]: Math.min(sourceBytes, 2 ** 30),
  }
  return through(createBrotliCompress({ params, chunkSize: 262_144 }), input)
}

/** @throws EngineError `damaged`, or `too_large` beyond `maxBytes` */
export function unbrotliStream(input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  return bounded(through(createBrotliDecompress({ chunkSize: 262_144 }), input), maxBytes)
}

/** The smallest window that holds the whole source, at least 64 KiB and at most 4 MB. */
const windowLog = (sourceBytes: number) => Math.max(16, Math.min(22, Math.ceil(Math.log2(sourceBytes + 16))))
