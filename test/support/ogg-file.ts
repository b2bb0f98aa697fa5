/** Builds Ogg files for tests. The packets have valid first bytes, and random bytes instead of sound. */
import { concat } from '../../src/core/bytes/concat.ts'
import { latin1Bytes } from '../../src/core/bytes/latin1.ts'
import { ByteWriter } from '../../src/core/bytes/writer.ts'
import { lacingOf, pageBytes } from '../../src/core/containers/ogg/page.ts'
import { noise } from '../core/formats/media-fixtures.ts'

/** Page of a test file. `granule`: position; default: 0. `sequence` counts by itself. */
export interface TestPage {
  readonly packets?: readonly Uint8Array[]
  readonly granule?: bigint | number
  readonly flags?: number
  readonly serial?: number
  /** Lacing values and body instead of whole packets. */
  readonly lacing?: readonly number[]
  readonly body?: Uint8Array
}

/** Returns pages with numbers in order, for each serial number on its own. */
export function oggPages(pages: readonly TestPage[]): Uint8Array {
  const sequences = new Map<number, number>()
  return concat(
    pages.map(({ packets = [], granule = 0, flags = 0, serial = 7, lacing, body }) => {
      const sequence = sequences.get(serial) ?? 0
      sequences.set(serial, sequence + 1)
      return pageBytes({
        flags,
        granule: BigInt(granule),
        serial,
        sequence,
        lacing: Uint8Array.from(lacing ?? packets.flatMap((packet) => [...lacingOf(packet.length)])),
        body: body ?? concat(packets),
      })
    }),
  )
}

export const randomBytes = (length: number, seed: number): Uint8Array => {
  const random = noise(seed)
  for (let i = 0; i < 8; i++) random()
  return Uint8Array.from({ length }, () => random() * 256)
}

const withLength = (bytes: Uint8Array) => [new ByteWriter(new Uint8Array(4), true).u32(bytes.length).finish(), bytes]

/** Comments with a vendor. */
export function comments(...entries: readonly string[]): Uint8Array {
  const count = new ByteWriter(new Uint8Array(4), true).u32(entries.length).finish()
  return concat([...withLength(latin1Bytes('vendor')), count, ...entries.flatMap((entry) => withLength(new TextEncoder().encode(entry)))])
}

/** OpusHead for two channels with 312 skipped samples. */
export const opusHead = (): Uint8Array => ByteWriter.growing(true).ascii('OpusHead').u8(1).u8(2).u16(312).u32(48_000).u16(0).u8(0).finish()
export const opusTags = (entries: readonly string[] = [], padding = new Uint8Array(0)): Uint8Array =>
  concat([latin1Bytes('OpusTags'), comments(...entries), padding])
/** Opus packet of 20 ms: 960 samples at 48 kHz. */
export const opusPacket = (length: number, seed: number): Uint8Array => concat([Uint8Array.of(0xfc), randomBytes(length - 1, seed)])
export const OPUS_SAMPLES = 960

/** Vorbis headers with blocks of 256 and 2048 samples, and two modes: mode 0 short, mode 1 long. */
export function vorbisHeaders(entries: readonly string[] = []): [Uint8Array, Uint8Array, Uint8Array] {
  const first = ByteWriter.growing(true).ascii('\x01vorbis').u32(0).u8(2).u32(44_100).u32(0).u32(0).u32(0).u8(0xb8).u8(1).finish()
  const setup = [...'\x05vorbis'].flatMap((letter) => bitsOf(letter.charCodeAt(0), 8))
  setup.push(...bitsOf(0x5a5a5a5a, 31), ...bitsOf(1, 6))
  for (const [mode, isLong] of [0, 1].entries()) setup.push(isLong, ...bitsOf(0, 32), ...bitsOf(mode, 8))
  setup.push(1)
  return [first, concat([latin1Bytes('\x03vorbis'), comments(...entries), Uint8Array.of(1)]), bytesOfBits(setup)]
}

/** Vorbis packet of mode 0 (256 samples) or 1 (2048 samples). */
export const vorbisPacket = (mode: 0 | 1, length: number, seed: number): Uint8Array =>
  concat([Uint8Array.of(mode << 1), randomBytes(length - 1, seed)])

const bitsOf = (value: number, count: number) => Array.from({ length: count }, (_, bit) => (value >>> bit) & 1)
const bytesOfBits = (bits: readonly number[]) =>
  Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, i) =>
    bits.slice(8 * i, 8 * i + 8).reduce((sum, bit, at) => sum | (bit << at), 0),
  )

/** Opus file with `count` packets, `perPage` on each page. `tags`: comment packet; default: one comment and 512 bytes of padding. */
export function opusFile(count: number, perPage = 1, tags = opusTags(['TITLE=Song', 'R128_TRACK_GAIN=-256'], new Uint8Array(512))) {
  const pages: TestPage[] = [{ flags: 2, packets: [opusHead()] }, { packets: [tags] }]
  for (let at = 0; at < count; at += perPage) {
    const packets = Array.from({ length: Math.min(perPage, count - at) }, (_, i) => opusPacket(90 + ((at + i) % 40), at + i))
    const end = at + packets.length
    // The last packet has 100 samples that are not played.
    pages.push({ packets, flags: end === count ? 4 : 0, granule: end * OPUS_SAMPLES - (end === count ? 100 : 0) })
  }
  return oggPages(pages)
}

/** Vorbis file with short and long blocks, `perPage` packets on each page. */
export function vorbisFile(count: number, perPage = 1, entries: readonly string[] = ['TITLE=Song']): Uint8Array {
  const [first, comment, setup] = vorbisHeaders(entries)
  const pages: TestPage[] = [{ flags: 2, packets: [first] }, { packets: [comment, setup] }]
  let [position, before] = [0, 0]
  for (let at = 0; at < count; at += perPage) {
    const packets = Array.from({ length: Math.min(perPage, count - at) }, (_, i) => {
      const mode = (at + i) % 5 === 0 ? 0 : 1
      const size = mode === 0 ? 256 : 2048
      if (before > 0) position += (before + size) / 4
      before = size
      return vorbisPacket(mode, 200 + ((at + i) % 150), at + i)
    })
    pages.push({ packets, flags: at + perPage >= count ? 4 : 0, granule: position })
  }
  return oggPages(pages)
}

/** Speex file of 8 kHz with packets of one frame of 160 samples, one on each page (Speex manual, section 7.3). */
export function speexFile(count: number): Uint8Array {
  const head = ByteWriter.growing(true).ascii('Speex   1.2').bytes(new Uint8Array(17))
  // Version, bytes of the header, rate, mode, bitstream version, channels, bit rate, samples of a frame, VBR, frames of a packet.
  for (const value of [1, 80, 8000, 0, 4, 1, -1, 160, 0, 1, 0, 0, 0]) head.u32(value)
  const packets = Array.from(
    { length: count },
    (_, i): TestPage => ({
      packets: [randomBytes(38, i)],
      granule: (i + 1) * 160,
      flags: i === count - 1 ? 4 : 0,
    }),
  )
  return oggPages([{ flags: 2, packets: [head.finish()] }, { packets: [comments('TITLE=Talk')] }, ...packets])
}
