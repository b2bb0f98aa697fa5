/** Sample entries of sound (ISO/IEC 14496-12, 12.2.3), and the samples in each packet. */
import { latin1Of } from '../../../../bytes/latin1.ts'
import { ByteReader } from '../../../../bytes/reader.ts'
import { ByteWriter } from '../../../../bytes/writer.ts'
import { box, fullBox } from '../../../../containers/isobmff/box.ts'
import { aacEntry, mp3Entry, soundFields } from '../../../../containers/isobmff/sound-entry.ts'
import { layer2Header } from '../../../../containers/mpeg-audio/any-layer.ts'
import { frameHeader } from '../../../../containers/mpeg-audio/frame.ts'
import { opusPacketSamples } from '../../../../containers/xiph/opus-packets.ts'
import { aacFacts } from './aac.ts'
import { ac3Specific, eac3Specific } from './ac3.ts'
import { opusSpecific, preSkipOf } from './opus.ts'
import { notInMp4 } from './refusals.ts'
import type { MkvTrack } from './track.ts'

/** Returns the samples of a packet from its first two bytes. */
export type PacketLength = (start: Uint8Array) => number

export interface SoundEntry {
  readonly entry: Uint8Array
  /** Samples a second by which packets are counted. */
  readonly hertz: number
  /** Samples of each packet. `undefined`: not known, or packets differ. */
  readonly packet: number | undefined
  /** Samples at the start that are not played. */
  readonly skipped: number
  /** Samples of all packets, where the last one may be shorter. `undefined` or 0: not told. */
  readonly total?: number
}

/** Bytes of the first packet that tell what the container does not. */
export const FIRST_BYTES = 64

/** Returns what tells the length of each packet. `undefined`: packets have the same length, or an unknown one. */
export const packetLengthOf = ({ codec }: MkvTrack): PacketLength | undefined => (codec === 'A_OPUS' ? opusPacketSamples : undefined)

/**
 * @param first start of the first packet
 * @param packetBytes average size of a packet
 * @throws CodecError (unsupported_feature) for sound that MP4 cannot hold, or whose configuration is missing
 */
export function soundEntry(track: MkvTrack, first: Uint8Array, packetBytes: number): SoundEntry {
  const { codec, config, delayNanoseconds, sound } = track
  const { hertz, channels, bits = 16 } = sound!
  const broken = () => notInMp4(track, 'mkv_why_configuration')
  const counted = (rate: number, packet: number | undefined, entry: (bitsPerSecond: number) => Uint8Array): SoundEntry => ({
    entry: entry(packet ? Math.round((8 * packetBytes * rate) / packet) : 0),
    hertz: rate,
    packet,
    skipped: Math.round((delayNanoseconds * rate) / 1e9),
  })
  if (codec === 'A_AAC') {
    const facts = aacFacts(config)
    if (!facts) throw broken()
    return counted(facts.hertz, facts.samples, (rate) => aacEntry(config, facts.channels || channels, facts.hertz, rate, false))
  }
  if (codec === 'A_MPEG/L3') {
    const header = frameHeader(first, 0)
    if (!header) throw broken()
    return counted(header.hertz, header.samples, (rate) => mp3Entry({ ...header, channels: channels === 1 ? 1 : 2 }, rate, false))
  }
  if (codec === 'A_MPEG/L2') {
    const header = layer2Header(first)
    if (!header) throw broken()
    return counted(header.hertz, header.samples, (rate) => mp3Entry(header, rate, false))
  }
  if (codec === 'A_OPUS') {
    const specific = opusSpecific(config)
    if (!specific) throw broken()
    const skipped = preSkipOf(config)
    // A file whose delay differs would be played with another start.
    if (Math.abs((delayNanoseconds * OPUS_HERTZ) / 1e9 - skipped) > 1) throw notInMp4(track, 'mkv_why_padding')
    const entry = box('Opus', soundFields(channels, OPUS_HERTZ * 65_536, undefined), box('dOps', specific))
    return { entry, hertz: OPUS_HERTZ, packet: undefined, skipped }
  }
  if (codec === 'A_FLAC') {
    const facts = flacFacts(config)
    if (!facts) throw broken()
    const fields = withBits(soundFields(channels, facts.hertz < 65_536 ? facts.hertz * 65_536 : 0, undefined), bits)
    return { ...counted(facts.hertz, facts.packet, () => box('fLaC', fields, fullBox('dfLa', 0, facts.blocks))), total: facts.total }
  }
  if (codec === 'A_AC3' || codec === 'A_EAC3') {
    const isPlain = codec === 'A_AC3'
    const specific = isPlain ? ac3Specific(first) : eac3Specific(first, packetBytes, hertz)
    if (!specific) throw isPlain ? broken() : notInMp4(track, 'mkv_why_substreams')
    const [type, inner] = isPlain ? ['ac-3', 'dac3'] : ['ec-3', 'dec3']
    return counted(hertz, AC3_SAMPLES, () => box(type, soundFields(channels, hertz * 65_536, undefined), box(inner, specific)))
  }
  throw notInMp4(track, 'mkv_why_codec')
}

const OPUS_HERTZ = 48_000
/** Samples of a frame of six blocks (ETSI TS 102 366, 4.1). */
const AC3_SAMPLES = 1536

/** Bits of a sample, at offset 18 of an AudioSampleEntry. */
const withBits = (fields: Uint8Array, bits: number) => new ByteWriter(fields, false).at(18).u16(bits).finish()

const STREAMINFO_BYTES = 34

interface FlacFacts {
  /** Metadata blocks behind the mark of the format. */
  readonly blocks: Uint8Array
  readonly hertz: number
  /** Samples of each packet. `undefined`: packets differ. */
  readonly packet: number | undefined
  /** Samples of the whole stream. 0: not told. */
  readonly total: number
}

/** Reads STREAMINFO (RFC 9639, section 8.2). `undefined`: the configuration is not whole. */
function flacFacts(config: Uint8Array): FlacFacts | undefined {
  const mark = latin1Of(config.subarray(0, 4))
  if (mark !== 'fLaC' || (config[4]! & 127) !== 0 || config.length < 8 + STREAMINFO_BYTES) return undefined
  const reader = new ByteReader(config, false)
  const [least, most] = [reader.u16(8), reader.u16(10)]
  const hertz = reader.u32(18) >>> 12
  return {
    blocks: config.subarray(4),
    hertz,
    packet: least === most ? most : undefined,
    total: (config[21]! & 15) * 2 ** 32 + reader.u32(22),
  }
}
