/** Streams of any size as Zstandard (RFC 8878), by zstd in WebAssembly: the same bytes on every platform. */
import { withEngines } from '../../../wasm/loading/engine-files.ts'
import { concat } from './concat.ts'
import { runStream, withByteLimit } from './run-stream.ts'

/** Parameter numbers of zstd.h (ZSTD_cParameter). */
const COMPRESSION_LEVEL = 100
const WINDOW_LOG = 101
const HASH_LOG = 102
const CHAIN_LOG = 103
const SEARCH_LOG = 104
const CHECKSUM_FLAG = 201

/** Input and output between two yields to the event loop: about 0.1 seconds of level 22. */
const BYTES_PER_PAUSE = 128 * 1024
/** The same for decompression. */
const DECODED_BYTES_PER_PAUSE = 8 * 1024 * 1024

const MB = 1_000_000

const engine = async () => (await withEngines(import('../../../wasm/zstd/zstd.ts'))).Zstd

/** Returns the level for a file size: 22 up to 4 MB, then 19 (about 2.5 MB per CPU second), then 12 to stay within a job's time. */
export function zstdLevel(sourceBytes: number): number {
  if (sourceBytes <= 4 * MB) return 22
  return sourceBytes <= 550 * MB ? 19 : 12
}

/** Search depth of a shallow search, as a power of two. */
const SHALLOW = 2
/** Smallest source in bytes that is sampled. Smaller sources are always searched deeply. */
const LOOKED_AT_BYTES = 512 * 1024
/** Positions of the four samples, as shares of the file. Both ends are included, because they often differ from the middle. */
const SAMPLE_PLACES = [0, 1 / 3, 2 / 3, 1]
const SAMPLE_BYTES = 96 * 1024
/** Largest size of a sample after a shallow search, relative to a deep search. */
const AS_GOOD = 1.001

export type SearchDepth = 'shallow' | 'as deep as its level'

/**
 * Chooses the search depth for a source. In numbers, hexadecimal digits and DNA bases, a deep search finds many short matches and no
 * longer ones. A shallow search is then as good, in 1/3 to 1/13 of the time (1.4 to 2.1 seconds per megabyte). Markup and prose would
 * be 4 to 20 % larger. Four samples of the source decide.
 */
export async function chooseSearchDepth(source: {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}): Promise<SearchDepth> {
  if (source.size < LOOKED_AT_BYTES) return 'as deep as its level'
  const at = SAMPLE_PLACES.map((share) => Math.floor((source.size - SAMPLE_BYTES) * share))
  const sample = concat(await Promise.all(at.map(async (offset) => (await source.read(offset, SAMPLE_BYTES)).slice())))
  const [deep, shallow] = [await packedBytes(sample, 'as deep as its level'), await packedBytes(sample, 'shallow')]
  return shallow <= deep * AS_GOOD ? 'shallow' : 'as deep as its level'
}

async function packedBytes(sample: Uint8Array, search: SearchDepth): Promise<number> {
  let bytes = 0
  const once = (async function* () {
    yield sample
  })()
  for await (const chunk of zstdStream(once, sample.length, search, 19)) bytes += chunk.length
  return bytes
}

/**
 * Compresses `input` to one frame with content checksum and content size. The search tree covers 4 MB instead of the 8 MB of level 19:
 * this costs 0.6 % for very large texts, nothing for others, and needs 61 instead of 122 MB. The window is 8 MB, which RFC 8878,
 * section 3.1.1.1.2 recommends for interchange.
 */
export function zstdStream(
  input: AsyncIterable<Uint8Array>,
  sourceBytes: number,
  search: SearchDepth = 'as deep as its level',
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
  return runStream(async () => (await engine()).compressor(sourceBytes, params), input, BYTES_PER_PAUSE)
}

/**
 * Decompresses the first frame of `input`.
 * @throws EngineError `damaged`, `truncated`, `memory` for windows above 90 MB, or `too_large` if more than `maxBytes` are decoded
 */
export function unzstdStream(input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  return withByteLimit(
    runStream(async () => (await engine()).decompressor(), input, DECODED_BYTES_PER_PAUSE),
    maxBytes,
  )
}
