/** Streams of any size as gzip (RFC 1952), by libdeflate. */

import { concat } from './concat.ts'
import { crc32 } from './crc32.ts'
import { BEST_LEVEL, deflateStream, deflateThorough } from './deflate.ts'
import { inflateStream } from './inflate-stream.ts'
import { ByteWriter } from './writer.ts'

const MB = 1_000_000

/** Returns the level for a file size. Speed per CPU second: level 12 has 1.5 to 4 MB, level 9 about 20 MB. */
export const gzipLevel = (sourceBytes: number): number => (sourceBytes <= 250 * MB ? 12 : 9)

/** Largest file in bytes that is parsed optimally, where a smaller result is worth an extra second. */
const THOROUGH_UP_TO_BYTES = 2 << 20

/** Deflate method: the optimal parser, or a level of libdeflate. */
export type GzipMethod = 'optimal' | number

/** Returns the method for a file size: the optimal parser, or `gzipLevel` for large files. */
export const gzipMethod = (sourceBytes: number): GzipMethod => (sourceBytes <= THOROUGH_UP_TO_BYTES ? 'optimal' : gzipLevel(sourceBytes))

/** gzip header (RFC 1952, 2.3): ID1 ID2, CM = deflate, no FLG, no MTIME, XFL = 2 (slowest), OS = 255 (unknown). */
const HEAD = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]

/**
 * Compresses `input` to one member without name and time. Needs 12 MB of memory. The optimal parser holds the whole input, 24 MB for the
 * largest file that it is the default of.
 */
export function gzipStream(
  input: AsyncIterable<Uint8Array>,
  sourceBytes: number,
  method = gzipMethod(sourceBytes),
): AsyncGenerator<Uint8Array, void, undefined> {
  return method === 'optimal' ? thoroughMember(input) : segmentedMember(input, method)
}

async function* thoroughMember(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: Uint8Array[] = []
  for await (const chunk of input) chunks.push(chunk.slice())
  const bytes = concat(chunks)
  // The budget also fits incompressible data, whose stored blocks add five bytes per 64 KB. Only empty input has no result here.
  const raw = await deflateThorough(bytes, bytes.length + bytes.length / 1000 + 64)
  if (!raw) return yield* segmentedMember([bytes], BEST_LEVEL)
  yield concat([Uint8Array.from(HEAD), raw, gzipTrailer(crc32(bytes), bytes.length)])
}

async function* segmentedMember(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  level: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let crc = 0
  let length = 0
  async function* measured() {
    for await (const chunk of input) {
      crc = crc32(chunk, crc)
      length += chunk.length
      yield chunk
    }
  }
  yield Uint8Array.from(HEAD)
  yield* deflateStream(measured(), level)
  yield gzipTrailer(crc, length)
}

/** Returns the trailer of a member (RFC 1952, 2.3.1). */
const gzipTrailer = (crc: number, length: number) => new ByteWriter(new Uint8Array(8), true).u32(crc).u32(length).finish()

/**
 * Decompresses all members of `input`.
 * @throws EngineError `damaged`, or `too_large` if more than `maxBytes` are decoded
 */
export const gunzipStream = (input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> =>
  inflateStream('gzip', input, maxBytes)
