/** Codecs whose packets tell how many samples they hold, so that the position at the end of each packet is known. */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { opusPacketSamples } from '../../containers/xiph/opus-packets.ts'
import { vorbisPackets } from './vorbis-packets.ts'

export type SoundCodec = 'opus' | 'vorbis' | 'flac' | 'speex'

/** Bytes at the start of a packet that `samplesIn` needs. */
export const PREFIX_BYTES = 16

export interface SoundStream {
  readonly codec: SoundCodec
  /** Reads a header packet. `index`: 0 for the first packet. Returns true if it is the last one. */
  header(packet: Uint8Array, index: number): boolean
  /** Samples that a decoder returns for a packet of sound. `prefix`: its first bytes. `undefined`: the packet does not tell. */
  samplesIn(prefix: Uint8Array): number | undefined
}

/** Returns the stream that begins with a packet. `undefined`: its codec is another one. */
export function soundStream(first: Uint8Array): SoundStream | undefined {
  const name = latin1Of(first.subarray(0, 8))
  if (name === 'OpusHead') return { codec: 'opus', header: (_, index) => index === 1, samplesIn: opusSamples }
  if (name.startsWith('\x01vorbis')) return vorbisPackets(first)
  if (name.startsWith('\x7fFLAC')) return { codec: 'flac', header: isLastBlock, samplesIn: flacSamples }
  return name === 'Speex   ' ? speex(first) : undefined
}

/** Largest number of samples at 48 kHz in an Opus packet: 120 ms. */
const MAX_OPUS_SAMPLES = 5760

function opusSamples(prefix: Uint8Array): number | undefined {
  const samples = opusPacketSamples(prefix)
  return samples > 0 && samples <= MAX_OPUS_SAMPLES ? samples : undefined
}

/** Offset of the header of STREAMINFO in the first packet (RFC 9639, section 10.1). */
export const FLAC_INFO_AT = 13

/** True if a packet is the last metadata block (RFC 9639, section 8.1). The first packet holds STREAMINFO. */
const isLastBlock = (packet: Uint8Array, index: number): boolean => ((packet[index === 0 ? FLAC_INFO_AT : 0] ?? 0x80) & 0x80) !== 0

/** Samples of a FLAC frame (RFC 9639, section 9.1.1). */
function flacSamples(prefix: Uint8Array): number | undefined {
  // FFmpeg writes an empty packet at the end.
  if (prefix.length === 0) return 0
  if (prefix.length < 6 || prefix[0] !== 0xff || (prefix[1]! & 0xfc) !== 0xf8) return undefined
  const code = prefix[2]! >> 4
  if (code === 0) return undefined
  if (code === 1) return 192
  if (code < 6) return 576 << (code - 2)
  if (code >= 8) return 256 << (code - 8)
  // The size follows the coded number, whose length is the number of leading ones of its first byte.
  const at = 4 + Math.max(1, Math.clz32(~(prefix[4]! << 24)))
  const [high, low] = [prefix[at], prefix[at + 1]]
  if (high === undefined || low === undefined) return undefined
  return 1 + (code === 6 ? high : high * 256 + low)
}

/** Speex packets all hold the same number of samples (Speex manual, section 7.3). */
function speex(first: Uint8Array): SoundStream | undefined {
  if (first.length < 80) return undefined
  const reader = new ByteReader(first, true)
  const samples = reader.u32(56) * reader.u32(64)
  const extraHeaders = reader.u32(68)
  return {
    codec: 'speex',
    header: (_, index) => index === 1 + extraHeaders,
    samplesIn: () => (samples > 0 && samples <= MAX_SPEEX_SAMPLES ? samples : undefined),
  }
}

/** Ten frames of 40 ms at 32 kHz. */
const MAX_SPEEX_SAMPLES = 12_800
