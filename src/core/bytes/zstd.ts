/** Zstandard (RFC 8878) in a stream, any size, over node:zlib. */
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { concat } from './concat.ts'
import { bounded } from './inflate-stream.ts'
import { through } from './pipe-transform.ts'

/** Parameters by the numbers of zstd.h (ZSTD_cParameter): workerd takes them, its constants do not name all of them. */
const COMPRESSION_LEVEL = 100
const WINDOW_LOG = 101
const HASH_LOG = 102
const CHAIN_LOG = 103
const SEARCH_LOG = 104
const CHECKSUM_FLAG = 201

const MB = 1_000_000

/** What a size gets: below 4 MB the very best, then level 19 (about 2.5 MB per CPU second), then what a job has time for. */
export function zstdLevel(sourceBytes: number): number {
  if (sourceBytes <= 4 * MB) return 22
  return sourceBytes <= 550 * MB ? 19 : 12
}

/** Places that a shallow search compares, as a power of two. */
const SHALLOW = 2
/** Smaller sources are not looked at first. */
const LOOKED_AT_BYTES = 512 * 1024
/** Both ends too: what a file begins and ends with is often of another kind than its middle. */
const SAMPLE_PLACES = [0, 1 / 3, 2 / 3, 1]
const SAMPLE_BYTES = 96 * 1024
/** What a shallow search may take more of a sample. */
const AS_GOOD = 1.001

export type Search = 'shallow' | 'as deep as its level'

/**
 * How to search a source. Numbers, hexadecimal digits and bases of DNA have everywhere what begins alike and nowhere what goes on alike:
 * trees of candidates are as deep as they get, and a shallow search finds as much, in a third to a thirteenth of 1.4 to 2.1 seconds a
 * megabyte. Markup and prose come out 4 to 20 % larger by it, which samples from four places tell.
 */
export async function searchFor(source: {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}): Promise<Search> {
  if (source.size < LOOKED_AT_BYTES) return 'as deep as its level'
  const at = SAMPLE_PLACES.map((share) => Math.floor((source.size - SAMPLE_BYTES) * share))
  const sample = concat(await Promise.all(at.map(async (offset) => (await source.read(offset, SAMPLE_BYTES)).slice())))
  const [deep, shallow] = [await packedBytes(sample, 'as deep as its level'), await packedBytes(sample, 'shallow')]
  return shallow <= deep * AS_GOOD ? 'shallow' : 'as deep as its level'
}

async function packedBytes(sample: Uint8Array, search: Search): Promise<number> {
  let bytes = 0
  const once = (async function* () {
    yield sample
  })()
  for await (const chunk of zstdStream(once, sample.length, search, 19)) bytes += chunk.length
  return bytes
}

/**
 * One frame with content checksum and, as `sourceBytes` is known, content size. The search tree reaches back 4 MB instead of
 * the 8 MB of zstd's own level 19, which costs 0.6 % on very large texts, nothing on others, and takes 61 instead of 122 MB.
 * The window is 8 MB, as RFC 8878, section 3.1.1.1.2 advises for data that is to be read everywhere.
 */
export function zstdStream(
  input: AsyncIterable<Uint8Array>,
  sourceBytes: number,
  search: Search = 'as deep as its level',
  level = zstdLevel(sourceBytes),
): AsyncGenerator<Uint8Array, void, undefined> {
  const params = {
    [COMPRESSION_LEVEL]: level,
    ...(search === 'shallow' && { [SEARCH_LOG]: SHALLOW }),
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
