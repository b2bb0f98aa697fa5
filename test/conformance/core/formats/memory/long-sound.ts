/** Long sounds with large tags, for processes whose memory is measured. The packets of a short sound are repeated. */
import { base64Of } from '../../../../../src/core/bytes/base64.ts'
import { concat } from '../../../../../src/core/bytes/concat.ts'
import { packetsOf } from '../../../../../src/core/formats/ogg/read-sound.ts'
import { eventsOf } from '../../../../../src/core/formats/ogg/read-streams.ts'
import { soundStream } from '../../../../../src/core/formats/ogg/sound-stream.ts'
import type { Source } from '../../../../../src/core/model/codec.ts'
import { memorySource } from '../../../../../src/core/model/source.ts'
import { commentBlock, flacFile, pictureBlock } from '../../../../support/flac-file.ts'
import { comments, oggPages, opusTags, randomBytes, type TestPage } from '../../../../support/ogg-file.ts'
import { opusSound, vorbisFixture } from '../../../../support/sound-file.ts'

const { signal } = new AbortController()
/** Cover nearly as large as all tags together may be. */
const COVER_BYTES = 3_000_000
const PACKETS_PER_PAGE = 20

/** Cover as a comment. Packets of more than 255 × 255 bytes take several pages. */
const coverEntry = () => `METADATA_BLOCK_PICTURE=${base64Of(pictureBlock(randomBytes(COVER_BYTES, 1))[1])}`

/** Opus of 256 kbit/s with two channels, of at least `bytes` bytes. */
export const longOpus = async (bytes: number): Promise<Uint8Array> =>
  await repeated(opusSound({ seconds: 2 }), bytes, () => opusTags([coverEntry()]))

/** Vorbis with two channels, of at least `bytes` bytes. */
export const longVorbis = async (bytes: number): Promise<Uint8Array> =>
  await repeated(vorbisFixture('chord.ogg'), bytes, () =>
    concat([Uint8Array.from(Buffer.from('\x03vorbis')), comments(coverEntry()), Uint8Array.of(1)]),
  )

/** FLAC with two channels and waves with grain, of about `bytes` bytes. */
export function longFlac(bytes: number): Uint8Array {
  const samples = Int32Array.from({ length: Math.round(bytes / 1.2) }, (_, i) =>
    Math.round(9000 * Math.sin(i / 100) + (Math.imul(i, 2_654_435_761) >>> 22)),
  )
  const blocks = [commentBlock('TITLE=Long'), pictureBlock(randomBytes(COVER_BYTES, 1))]
  return flacFile(samples, { channels: 2, hertz: 48_000, blocks })
}

async function repeated(file: Uint8Array, bytes: number, tags: () => Uint8Array): Promise<Uint8Array> {
  const source = memorySource(file, 'short')
  const packets: Uint8Array[] = []
  for await (const packet of packetsOf(source, signal)) packets.push(packet.slice())
  const [first, ...others] = await headersOf(source)
  const sound = soundStream(first!)!
  const headers = [first!, tags(), ...others.slice(1)]
  for (const [i, header] of headers.entries()) sound.header(header, i)
  const pages: TestPage[] = [{ flags: 2, packets: [first!] }, ...pagesOfHeaders(headers.slice(1))]
  let [position, size] = [0, 0]
  for (let at = 0; size < bytes; at += PACKETS_PER_PAGE) {
    const some = Array.from({ length: PACKETS_PER_PAGE }, (_, i) => packets[(at + i) % packets.length]!)
    for (const packet of some) {
      position += sound.samplesIn(packet.subarray(0, 16))!
      size += packet.length
    }
    pages.push({ packets: some, granule: position, flags: size < bytes ? 0 : 4 })
  }
  return oggPages(pages)
}

async function headersOf(source: Source): Promise<Uint8Array[]> {
  const headers: Uint8Array[] = []
  for await (const event of eventsOf(source, signal)) {
    if (event.kind === 'first') headers.push(event.stream.first)
    else if (event.kind === 'headers') return [...headers, ...event.packets]
  }
  return headers
}

/** Pages of header packets. A page holds 255 segments of at most 255 bytes, and one that begins inside a packet has flag 1. */
function pagesOfHeaders(packets: readonly Uint8Array[]): TestPage[] {
  const lacing = packets.flatMap(({ length }) => [...Array.from({ length: Math.floor(length / 255) }, () => 255), length % 255])
  const body = concat(packets)
  const pages: TestPage[] = []
  let at = 0
  for (let from = 0; from < lacing.length; from += 255) {
    const part = lacing.slice(from, from + 255)
    const size = part.reduce((sum, length) => sum + length, 0)
    const ends = part.some((length) => length < 255)
    const flags = from > 0 && lacing[from - 1] === 255 ? 1 : 0
    pages.push({ lacing: part, body: body.subarray(at, at + size), flags, granule: ends ? 0 : 0xffff_ffff_ffff_ffffn })
    at += size
  }
  return pages
}
