/** Sound files with real packets for tests. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { concat } from '../../src/core/bytes/concat.ts'
import { latin1Bytes } from '../../src/core/bytes/latin1.ts'
import { ByteWriter } from '../../src/core/bytes/writer.ts'
import { FlacEncoder } from '../../wasm/flac/flac.ts'
import { OPUS_PACKET_FRAMES, OpusEncoder } from '../../wasm/opus/opus.ts'
import { tones } from '../core/formats/media-fixtures.ts'
import { commentBlock } from './flac-file.ts'
import { oggPages, opusTags, type TestPage } from './ogg-file.ts'

const fixture = (name: string) => new Uint8Array(readFileSync(join(import.meta.dirname, '../fixtures/sound', name)))

/** Vorbis files of `test/fixtures/sound`. */
export const vorbisFixture = (name: 'chord.ogg' | 'six-tones.ogg'): Uint8Array => fixture(name)
/** M4A with 0.2 s of Apple Lossless: 24 bits, two channels, 24 kHz, two tags. */
export const appleLossless = (): Uint8Array => fixture('chord.m4a')

/** M4A with 0.27 s of Apple Lossless in 5.1 at 16 kHz. Channels have the frequencies of `six-tones.ogg`. */
export const surroundM4a = (): Uint8Array => fixture('six-tones.m4a')
/** M4A with 1 s of AAC, two chapters (a text track and Nero's list) and a title. */
export const chaptersM4a = (): Uint8Array => fixture('chapters.m4a')

export interface OpusOptions {
  readonly seconds?: number
  readonly channels?: number
  readonly bitsPerSecond?: number
  /** Comments `NAME=value`. */
  readonly entries?: readonly string[]
  /** Gain of the header in 1/256 dB. */
  readonly gain?: number
  /** Samples to skip. Default: the delay of the encoder. */
  readonly preSkip?: number
}

/** Returns two tones as Ogg Opus, 20 packets a page, whose last packet is cut. */
export function opusSound({
  seconds = 1,
  channels = 2,
  bitsPerSecond = 256_000,
  entries = ['TITLE=Song', 'R128_TRACK_GAIN=-256'],
  gain = 0,
  preSkip,
}: OpusOptions = {}): Uint8Array {
  using encoder = new OpusEncoder({ channels, family: channels > 2 ? 1 : 0, bitsPerSecond, complexity: 3 })
  const skip = preSkip ?? encoder.delay
  const frames = Math.round(seconds * 48_000)
  const samples = tones(frames, channels, 48_000)
  const count = Math.ceil((frames + skip) / OPUS_PACKET_FRAMES)
  const packets = Array.from({ length: count }, (_, packet) =>
    encoder.encode(
      Array.from({ length: channels }, (__, channel) =>
        Float32Array.from({ length: OPUS_PACKET_FRAMES }, (___, i) => samples[(packet * OPUS_PACKET_FRAMES + i) * channels + channel] ?? 0),
      ),
    ),
  )
  const { streams, coupled, mapping } = encoder.layout
  const head = ByteWriter.growing(true).ascii('OpusHead').u8(1).u8(channels).u16(skip).u32(48_000).u16(gain)
  if (channels > 2) head.u8(1).u8(streams).u8(coupled).bytes(mapping)
  else head.u8(0)
  const pages: TestPage[] = [{ flags: 2, packets: [head.finish()] }, { packets: [opusTags(entries)] }]
  for (let at = 0; at < count; at += 20) {
    const end = Math.min(count, at + 20)
    const granule = Math.min(end * OPUS_PACKET_FRAMES, frames + skip)
    pages.push({ packets: packets.slice(at, end), flags: end === count ? 4 : 0, granule })
  }
  return oggPages(pages)
}

/** Returns FLAC in Ogg with interleaved samples of 16 bits at 44.1 kHz, a frame a page. `blocks`: bodies behind the comments, with type. */
export function oggFlac(
  samples: Int32Array,
  channels: number,
  entries: readonly string[] = ['TITLE=Song'],
  blocks: readonly (readonly [type: number, body: Uint8Array])[] = [],
): Uint8Array {
  using encoder = new FlacEncoder(
    { channels, bits: 16, hertz: 44_100, level: 5, totalFrames: samples.length / channels },
    { comments: [], applications: [], pictures: [] },
  )
  encoder.encode(new Int32Array(0))
  const frames = [...encoder.encode(samples)]
  const { chunks, streamInfo } = encoder.finish()
  frames.push(...chunks)
  const [, comments] = commentBlock(...entries)
  const others = [[4, comments] as const, ...blocks].map(([type, body], i) => {
    const last = i === blocks.length ? 0x80 : 0
    return concat([Uint8Array.of(last | type, body.length >> 16, (body.length >> 8) & 255, body.length & 255), body])
  })
  const first = concat([
    latin1Bytes('\x7fFLAC'),
    Uint8Array.of(1, 0, 0, others.length),
    latin1Bytes('fLaC'),
    Uint8Array.of(0, 0, 0, 34),
    streamInfo,
  ])
  const perFrame = 4096
  return oggPages([
    { flags: 2, packets: [first] },
    { packets: others },
    ...frames.map((frame, i) => ({
      packets: [frame],
      granule: Math.min((i + 1) * perFrame, samples.length / channels),
      flags: i === frames.length - 1 ? 4 : 0,
    })),
  ])
}
