/** Writes decoded sound as Opus in Ogg (RFC 7845), and reads such files again. */
import { OPUS_HERTZ, OpusDecoder, OpusEncoder } from '../../../wasm/opus/opus.ts'
import { base64Of } from '../bytes/base64.ts'
import { concat } from '../bytes/concat.ts'
import { latin1Bytes, latin1Of } from '../bytes/latin1.ts'
import { ByteReader } from '../bytes/reader.ts'
import { ByteWriter } from '../bytes/writer.ts'
import { LEVELS } from '../catalog/levels.ts'
import { MAX_VORBIS_CHANNELS, VORBIS_ORDERS } from '../containers/ogg/channel-order.ts'
import { CONTINUES } from '../containers/ogg/page.ts'
import { pagesOf } from '../containers/ogg/read-pages.ts'
import { chapterComments } from '../containers/xiph/chapters.ts'
import { commentBytes } from '../containers/xiph/comments.ts'
import { pictureBlock } from '../containers/xiph/picture.ts'
import { commentsOf } from '../containers/xiph/tags.ts'
import { message } from '../i18n/message.ts'
import type { Options, Sink, Source } from '../model/codec.ts'
import { malformed, unsupported } from '../model/error.ts'
import type { DecodedSound } from './decoded-sound.ts'
import { OPUS_VENDOR, OpusFile } from './opus-file.ts'
import type { SoundOutput } from './sound-output.ts'
import { Trim } from './trim.ts'

/** Serial number of the only stream. Any number will do. */
const SERIAL = 1

export const OPUS_OUTPUT: SoundOutput = {
  rate: () => OPUS_HERTZ,
  write: writeOpus,
  samples: samplesOfOpus,
  check({ channels }, { lossless }) {
    if (lossless) throw unsupported('opus_cannot_be_exact')
    if (channels > MAX_VORBIS_CHANNELS) throw unsupported(message('channels_not_converted', { channels }))
  },
}

async function writeOpus(sound: DecodedSound, sink: Sink, options: Options) {
  const { channels, frames } = sound
  const bitsPerSecond = LEVELS.soundAsOpus[options.quality] * channels
  using encoder = new OpusEncoder({ channels, family: channels > 2 ? 1 : 0, bitsPerSecond })
  using file = new OpusFile({ serial: SERIAL, skip: encoder.delay, frames }, encoder, sink)
  await file.begin({ first: headOf(encoder), others: [tagsOf(sound)] })
  const order = VORBIS_ORDERS[channels]!
  for await (const planar of sound.samples(options)) {
    const coded: Float32Array[] = []
    for (const [channel, samples] of planar.entries()) coded[order[channel]!] = samples
    await file.add(coded)
  }
  await file.end()
  return { snrDb: file.snrDb, steps: [message('encoded_as_opus', { kilobits: Math.round(bitsPerSecond / 1000) })] }
}

/** OpusHead (RFC 7845, section 5.1): version, channels, pre-skip, rate of the input, gain, channel mapping. */
function headOf({ delay, layout: { channels, streams, coupled, mapping } }: OpusEncoder): Uint8Array {
  const head = ByteWriter.growing(true).ascii('OpusHead').u8(1).u8(channels).u16(delay).u32(OPUS_HERTZ).u16(0)
  return (channels > 2 ? head.u8(1).u8(streams).u8(coupled).bytes(mapping) : head.u8(0)).finish()
}

function tagsOf({ tags, covers, chapters }: DecodedSound): Uint8Array {
  const pictures = covers.map((cover) => `METADATA_BLOCK_PICTURE=${base64Of(pictureBlock(cover))}`)
  const entries = [...commentsOf(tags), ...chapterComments(chapters), ...pictures].map((entry) => new TextEncoder().encode(entry))
  return concat([latin1Bytes('OpusTags'), commentBytes({ vendor: OPUS_VENDOR, entries, rest: new Uint8Array(0) })])
}

/** Yields the samples behind the pre-skip, in the order of WAVE. @throws CodecError (malformed) if the last position tells another end */
async function* samplesOfOpus(result: Source, frames: number, { signal }: Options): AsyncGenerator<Float32Array[]> {
  const packets = packetsOf(result, signal)
  const head = (await packets.next()).value?.bytes
  if (!head || latin1Of(head.subarray(0, 8)) !== 'OpusHead') throw malformed('opus', 0, 'ogg_packet_damaged')
  await packets.next()
  const channels = head[9] ?? 0
  const isMapped = head[18] === 1
  const layout = isMapped
    ? { channels, streams: head[19]!, coupled: head[20]!, mapping: [...head.subarray(21, 21 + channels)] }
    : { channels, streams: 1, coupled: channels - 1, mapping: channels === 1 ? [0] : [0, 1] }
  const skip = new ByteReader(head, true).u16(10)
  using decoder = new OpusDecoder(layout, 0)
  const trim = new Trim(skip, frames)
  const order = VORBIS_ORDERS[channels]!
  let end = 0n
  for await (const { bytes, granule } of packets) {
    const planar = decoder.decode(bytes)
    if (!planar) throw malformed('opus', 0, 'ogg_packet_damaged')
    end = granule
    yield* trim.cut(order.map((index) => planar[index]!))
  }
  if (end !== BigInt(skip + frames)) throw malformed('opus', result.size, 'ogg_has_gaps')
}

/** Yields the packets of a file with one stream, with the position of the page on which they end. */
async function* packetsOf(result: Source, signal: AbortSignal): AsyncGenerator<{ bytes: Uint8Array; granule: bigint }> {
  let parts: Uint8Array[] = []
  for await (const { lacing, body, granule } of pagesOf(result, signal)) {
    let [from, at] = [0, 0]
    for (const [i, length] of lacing.entries()) {
      at += length
      if (length === CONTINUES && i < lacing.length - 1) continue
      parts.push(body.slice(from, at))
      from = at
      if (length === CONTINUES) continue
      yield { bytes: concat(parts), granule }
      parts = []
    }
  }
}
