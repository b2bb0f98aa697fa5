/** Zstandard (RFC 8878) in a stream, any size, over node:zlib. */
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { bounded } from './inflate-stream.ts'
import { through } from './through.ts'

/** Parameters by the numbers of zstd.h (ZSTD_cParameter): workerd takes them, its constants do not name all of them. */
const COMPRESSION_LEVEL = 100
const WINDOW_LOG = 101
const HASH_LOG = 102
const CHAIN_LOG = 103
const CHECKSUM_FLAG = 201

const MB = 1_000_000

/** What a size gets: below 4 MB the very best, then level 19 (about 2.5 MB per CPU second), then what a job has time for. */
export function zstdLevel(sourceBytes: number): number {
  if (sourceBytes <= 4 * MB) return 22
  return sourceBytes <= 550 * MB ? 19 : 12
}

/**
 * One frame with content checksum and, as `sourceBytes` is known, content size. The search tree reaches back 4 MB instead of
 * the 8 MB of zstd's own level 19, which costs 0.6 % on very large texts, nothing on others, and takes 61 instead of 122 MB.
 * The window is 8 MB, as RFC 8878, section 3.1.1.1.2 advises for data that is to be read everywhere.
 */
export function zstdStream(input: AsyncIterable<Uint8Array>, sourceBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  const params = {
    [COMPRESSION_LEVEL]: zstdLevel(sourceBytes),
    [WINDOW_LOG]: 23,
    [HASH_LOG]: 21,
    [CHAIN_LOG]: 23,
    [CHECKSUM_FLAG]: 1,
  }
  return through(createZstdCompress({ params, pledgedSrcSize: sourceBytes, chunkSize: 524_288 }), input)
}

/** @throws EngineError `damaged`, or `too_large` beyond `maxBytes` */
export function unzstdStream(input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  return bounded(through(createZstdDecompress({ chunkSize: 262_144 }), input), maxBytes)
}
