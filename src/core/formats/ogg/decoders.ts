/** Decoders for the packets of Opus, Vorbis and FLAC in Ogg. */
import { FlacDecoder } from '../../../../wasm/flac/flac.ts'
import { type OpusChannels, OpusDecoder } from '../../../../wasm/opus/opus.ts'
import { VorbisDecoder } from '../../../../wasm/vorbis/vorbis.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { MAX_VORBIS_CHANNELS, VORBIS_ORDERS } from '../../containers/ogg/channel-order.ts'
import { message } from '../../i18n/message.ts'
import { unsupported } from '../../model/error.ts'
import type { OggSound } from './read-sound.ts'
import { FLAC_INFO_AT, type SoundCodec } from './sound-stream.ts'

export interface PacketDecoder extends Disposable {
  /** Decodes a packet. @returns planar blocks that are ready, copies. `undefined`: the packet is damaged */
  decode(packet: Uint8Array): Float32Array[][] | undefined
  /** Returns the last blocks. `undefined`: the stream is damaged. */
  finish(): Float32Array[][] | undefined
}

/** Facts of the sound that its first packet tells. */
export interface SoundFacts {
  readonly codec: SoundCodec
  readonly hertz: number
  readonly channels: number
  /** For each channel in the order of WAVE, its index in the order of the codec. */
  readonly order: readonly number[]
}

/** @throws CodecError (unsupported_feature) for more than eight channels, and for channels without positions */
export function factsOf({ stream }: Pick<OggSound, 'stream'>): SoundFacts {
  const { first } = stream
  const { codec } = stream.sound!
  const reader = new ByteReader(first, true)
  const info = new ByteReader(first, false)
  const [hertz, channels] =
    codec === 'opus'
      ? [48_000, first[9] ?? 0]
      : codec === 'vorbis'
        ? [reader.u32(12), first[11] ?? 0]
        : [info.u32(FLAC_INFO_AT + 14) >>> 12, ((first[FLAC_INFO_AT + 16]! >> 1) & 7) + 1]
  const isNamed = codec !== 'opus' || (first[18] ?? 255) <= 1
  if (channels < 1 || channels > MAX_VORBIS_CHANNELS || !isNamed) throw unsupported(message('channels_not_converted', { channels }))
  const order = codec === 'flac' ? Array.from({ length: channels }, (_, i) => i) : VORBIS_ORDERS[channels]!
  return { codec, hertz, channels, order }
}

/** Channels in OpusHead (RFC 7845, section 5.1.1). @throws CodecError (unsupported_feature) if the header is too short */
export function opusChannels(first: Uint8Array): OpusChannels & { readonly family: number; readonly gain: number } {
  const channels = first[9] ?? 0
  const family = first[18] ?? 255
  const gain = new ByteReader(first, true).i16(16)
  if (family === 0) return { channels, family, gain, streams: 1, coupled: channels - 1, mapping: channels === 1 ? [0] : [0, 1] }
  if (first.length < 21 + channels) throw unsupported(message('channels_not_converted', { channels }))
  return { channels, family, gain, streams: first[19]!, coupled: first[20]!, mapping: [...first.subarray(21, 21 + channels)] }
}

/** Opens a decoder. `withGain`: true to apply the gain of OpusHead. */
export function decoderOf(sound: OggSound, withGain: boolean): PacketDecoder {
  const { first, sound: facts } = sound.stream
  if (facts!.codec === 'flac') return new FlacPackets(sound)
  const engine = facts!.codec === 'opus' ? openOpus(first, withGain) : new VorbisDecoder(first, sound.headers[1] ?? new Uint8Array(0))
  return {
    decode(packet) {
      const planar = engine.decode(packet)
      return planar && [planar]
    },
    finish: () => [],
    [Symbol.dispose]: () => engine[Symbol.dispose](),
  }
}

function openOpus(first: Uint8Array, withGain: boolean): OpusDecoder {
  const channels = opusChannels(first)
  return new OpusDecoder(channels, withGain ? channels.gain : 0)
}

/** libFLAC decodes a stream that begins with `fLaC`, STREAMINFO and frames. Other metadata blocks are no business of it. */
class FlacPackets implements PacketDecoder {
  readonly #decoder: FlacDecoder
  #ready: Float32Array[][] = []

  constructor({ stream: { first } }: OggSound) {
    const channels = ((first[FLAC_INFO_AT + 16]! >> 1) & 7) + 1
    const bits = (((first[FLAC_INFO_AT + 16]! & 1) << 4) | (first[FLAC_INFO_AT + 17]! >> 4)) + 1
    const hertz = new ByteReader(first, false).u32(FLAC_INFO_AT + 14) >>> 12
    const scale = 2 ** (1 - bits)
    const take = (interleaved: Int32Array) => {
      const frames = interleaved.length / channels
      this.#ready.push(
        Array.from({ length: channels }, (_, channel) =>
          Float32Array.from({ length: frames }, (__, i) => interleaved[i * channels + channel]! * scale),
        ),
      )
    }
    this.#decoder = new FlacDecoder(channels, take, { bits, hertz })
    const head = first.slice(FLAC_INFO_AT - 4)
    head[4] = 0x80
    this.#decoder.push(head)
  }

  [Symbol.dispose](): void {
    this.#decoder[Symbol.dispose]()
  }

  decode(packet: Uint8Array): Float32Array[][] | undefined {
    this.#decoder.push(packet.slice())
    return this.#decoder.run() ? this.#taken() : undefined
  }

  finish(): Float32Array[][] | undefined {
    this.#decoder.end()
    return this.#decoder.run() && this.#decoder.finish() ? this.#taken() : undefined
  }

  #taken(): Float32Array[][] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }
}
