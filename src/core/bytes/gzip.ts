/** gzip (RFC 1952) in a stream, any size, by libdeflate. */

import { DeflateSegments } from '../../../wasm/libdeflate/libdeflate.ts'
import { concat } from './concat.ts'
import { BEST_LEVEL, crc32, deflateThorough } from './deflate.ts'
import { inflateStream } from './inflate-stream.ts'
import { ByteWriter } from './writer.ts'
import { yieldToOthers } from './yield.ts'

const MB = 1_000_000

/** What a size gets: level 12 does 1.5 to 4 MB per CPU second, level 9 about 20. */
export const gzipLevel = (sourceBytes: number): number => (sourceBytes <= 250 * MB ? 12 : 9)

/** Up to here every bit counts more than the second it takes. */
const THOROUGH_UP_TO_BYTES = 2 << 20

/** True if `gzipStream` parses a file of this size optimally; it compresses larger ones at `gzipLevel`. */
export const isThorough = (sourceBytes: number): boolean => sourceBytes <= THOROUGH_UP_TO_BYTES

/** Between segments other tasks get their turn; 1 MiB costs no bytes. */
const SEGMENT_BYTES = 1024 * 1024

/** RFC 1952, 2.3: ID1 ID2, CM = deflate, no FLG, no MTIME, XFL = 2 (slowest), OS = 255 (unknown). */
const HEAD = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]

/** One member without name and time, in 12 MB of memory; what is parsed optimally is held, in up to 24. */
export function gzipStream(input: AsyncIterable<Uint8Array>, sourceBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  return isThorough(sourceBytes) ? thoroughMember(input) : segmentedMember(input, gzipLevel(sourceBytes))
}

async function* thoroughMember(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: Uint8Array[] = []
  for await (const chunk of input) chunks.push(chunk.slice())
  const bytes = concat(chunks)
  // Even what does not compress has room: stored, it takes five bytes more for each 64 KB. Only of nothing at all nothing is made.
  const raw = await deflateThorough(bytes, bytes.length + bytes.length / 1000 + 64)
  if (!raw) return yield* segmentedMember([bytes], BEST_LEVEL)
  yield concat([Uint8Array.from(HEAD), raw, gzipTrailer(crc32(bytes), bytes.length)])
}

async function* segmentedMember(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  level: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const segments = new DeflateSegments(level, SEGMENT_BYTES)
  yield Uint8Array.from(HEAD)
  let crc = 0
  let length = 0
  for await (const chunk of input) {
    crc = crc32(chunk, crc)
    length += chunk.length
    for (const compressed of segments.push(chunk)) {
      yield compressed
      await yieldToOthers()
    }
  }
  yield segments.finish()
  yield gzipTrailer(crc, length)
}

/** Behind a member (RFC 1952, 2.3.1). */
export const gzipTrailer = (crc: number, length: number) => new ByteWriter(new Uint8Array(8), true).u32(crc).u32(length).finish()

/** All members. @throws EngineError `damaged`, or `too_large` beyond `maxBytes` */
export const gunzipStream = (input: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> =>
  inflateStream('gzip', input, maxBytes)
