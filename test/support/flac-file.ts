/** Builds FLAC files for tests, with libFLAC at a low level and any metadata blocks. */
import { concat } from '../../src/core/bytes/concat.ts'
import { latin1Bytes } from '../../src/core/bytes/latin1.ts'
import { ByteWriter } from '../../src/core/bytes/writer.ts'
import { blockHeader, COMMENTS, PADDING, PICTURE, SEEK_TABLE, STREAM_INFO } from '../../src/core/formats/flac/file.ts'
import { FlacEncoder } from '../../wasm/flac/flac.ts'

export interface FlacOptions {
  readonly channels?: number
  readonly bits?: number
  readonly hertz?: number
  /** Metadata blocks behind STREAMINFO: type and body. */
  readonly blocks?: readonly (readonly [type: number, body: Uint8Array])[]
}

/** Returns a FLAC file with `samples`, interleaved. */
export function flacFile(samples: Int32Array, { channels = 2, bits = 16, hertz = 44_100, blocks = [] }: FlacOptions = {}): Uint8Array {
  using encoder = new FlacEncoder(
    { channels, bits, hertz, level: 0, totalFrames: samples.length / channels },
    { comments: [], applications: [], pictures: [] },
  )
  encoder.encode(new Int32Array(0))
  const frames = encoder.encode(samples)
  const { chunks, streamInfo } = encoder.finish()
  const all = [[STREAM_INFO, streamInfo] as const, ...blocks]
  const head = all.flatMap(([type, body], i) => [blockHeader(type, body.length, i === all.length - 1), body])
  return concat([latin1Bytes('fLaC'), ...head, ...frames, ...chunks])
}

/** Returns a comment block with a vendor and the entries `NAME=value`. */
export function commentBlock(...entries: string[]): [number, Uint8Array] {
  const texts = ['a test', ...entries].map((text) => new TextEncoder().encode(text))
  const out = ByteWriter.growing(true).u32(texts[0]!.length).bytes(texts[0]!).u32(entries.length)
  for (const text of texts.slice(1)) out.u32(text.length).bytes(text)
  return [COMMENTS, out.finish()]
}

/** Returns a cover block of type 3 (front). */
export function pictureBlock(data: Uint8Array, mime = 'image/png', description = 'Front'): [number, Uint8Array] {
  const out = ByteWriter.growing(false).u32(3).u32(mime.length).ascii(mime).u32(description.length).ascii(description)
  return [PICTURE, out.u32(0).u32(0).u32(24).u32(0).u32(data.length).bytes(data).finish()]
}

export const paddingBlock = (bytes: number): [number, Uint8Array] => [PADDING, new Uint8Array(bytes)]

/** Returns a seek table with a point for each sample number. The offsets are wrong. */
export function seekTableBlock(...samples: number[]): [number, Uint8Array] {
  const out = ByteWriter.growing(false)
  for (const sample of samples) out.u64(sample).u64(0).u16(1)
  return [SEEK_TABLE, out.finish()]
}
