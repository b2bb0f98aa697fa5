/** Reads ranges of a file in pieces. */
import type { Sink, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { readHex } from './hex.ts'
import type { Range, RtfPicture } from './picture.ts'
import { CHUNK_BYTES } from './tuning.ts'

/** Yields the bytes of a range. @throws CodecError (malformed) if the file ends before */
export async function* bytesOf(source: Source, { start, end }: Range): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const chunk = await source.read(at, Math.min(CHUNK_BYTES, end - at))
    if (chunk.length === 0) throw malformed('rtf', at, 'file_ends_inside_picture')
    at += chunk.length
    yield chunk
  }
}

export async function copy(source: Source, range: Range, sink: Sink): Promise<void> {
  for await (const chunk of bytesOf(source, range)) await sink.write(chunk.slice())
}

/** Returns the decoded data of a picture. */
export async function dataOf(source: Source, { data, length, bytes }: RtfPicture): Promise<Uint8Array> {
  if (!length) return readHex(bytesOf(source, data), bytes)
  const whole = new Uint8Array(bytes)
  let filled = 0
  for await (const chunk of bytesOf(source, data)) {
    whole.set(chunk, filled)
    filled += chunk.length
  }
  return whole
}
