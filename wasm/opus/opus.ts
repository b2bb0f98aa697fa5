import { EngineError } from '../engine-error.ts'
import { CODEC_MEMORIES, type Engine, instantiate, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './opus.wasm'

interface Exports extends Engine {
  _initialize?(): void
  packet_buffer(): number
  packet_room(): number
  mapping_buffer(): number
  sample_buffer(): number
  open_decoder(channels: number, streams: number, coupled: number, gain: number): number
  decode(bytes: number): number
  open_encoder(channels: number, family: number, bitsPerSecond: number, complexity: number): number
  encoder_streams(): number
  encoder_coupled(): number
  encode(): number
}

/** Channels of a stream, as its header stores them (RFC 7845, section 5.1.1). */
export interface OpusChannels {
  readonly channels: number
  readonly streams: number
  readonly coupled: number
  /** Index of the decoded channel for each channel of the output. */
  readonly mapping: readonly number[]
}

export interface OpusSettings {
  readonly channels: number
  /** Channel mapping family: 0 (mono, stereo) or 1 (Vorbis order, at most eight channels). */
  readonly family: 0 | 1
  readonly bitsPerSecond: number
  /** libopus complexity, 0 (fast) to 10. Default: 10. */
  readonly complexity?: number
}

/** Sample rate of the decoder and the encoder. */
export const OPUS_HERTZ = 48_000
/** Samples of each channel in an encoded packet. */
export const OPUS_PACKET_FRAMES = 960

/** Initial memory of the engine in bytes, as in `build.sh`. */
const FIRST_BYTES = 2_097_152

function instance(): Exports {
  const exports = instantiate<Exports>(wasmModule, refusedWasi(wasmModule), CODEC_MEMORIES, FIRST_BYTES)
  exports._initialize?.()
  return exports
}

/** Decoder of libopus for one stream, at 48 kHz. Its memory is pooled, so use it with `using`. */
export class OpusDecoder implements Disposable {
  #exports: Exports
  readonly #channels: number

  /**
   * @param gain factor of the samples in 1/256 dB
   * @throws EngineError (unsupported) if libopus rejects the channels
   */
  constructor({ channels, streams, coupled, mapping }: OpusChannels, gain: number) {
    this.#exports = instance()
    this.#channels = channels
    new Uint8Array(this.#exports.memory.buffer, this.#exports.mapping_buffer(), 8).set(mapping.slice(0, 8))
    if (this.#exports.open_decoder(channels, streams, coupled, gain)) return
    this[Symbol.dispose]()
    throw new EngineError('opus', 'unsupported', `libopus rejected ${channels} channels in ${streams} streams`)
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  /** Decodes one packet to planar samples, a copy. `undefined`: the packet is damaged. */
  decode(packet: Uint8Array): Float32Array[] | undefined {
    const engine = this.#exports
    if (packet.length === 0 || packet.length > engine.packet_room()) return undefined
    new Uint8Array(engine.memory.buffer, engine.packet_buffer(), packet.length).set(packet)
    const frames = engine.decode(packet.length)
    if (frames < 0) return undefined
    const interleaved = new Float32Array(engine.memory.buffer, engine.sample_buffer(), frames * this.#channels)
    return Array.from({ length: this.#channels }, (_, channel) => {
      const planar = new Float32Array(frames)
      for (let i = 0, at = channel; i < frames; i++, at += this.#channels) planar[i] = interleaved[at]!
      return planar
    })
  }
}

/** Encoder of libopus for one stream at 48 kHz, with packets of 20 ms. Its memory is pooled, so use it with `using`. */
export class OpusEncoder implements Disposable {
  #exports: Exports
  readonly #channels: number
  /** Samples by which the decoded sound is late. */
  readonly delay: number
  readonly layout: OpusChannels

  /** @throws EngineError (unsupported) if libopus rejects the settings */
  constructor({ channels, family, bitsPerSecond, complexity = 10 }: OpusSettings) {
    this.#exports = instance()
    this.#channels = channels
    this.delay = this.#exports.open_encoder(channels, family, bitsPerSecond, complexity)
    if (this.delay < 0) {
      this[Symbol.dispose]()
      throw new EngineError('opus', 'unsupported', `libopus rejected ${channels} channels at ${bitsPerSecond} bit/s`)
    }
    const mapping = [...new Uint8Array(this.#exports.memory.buffer, this.#exports.mapping_buffer(), channels)]
    this.layout = { channels, streams: this.#exports.encoder_streams(), coupled: this.#exports.encoder_coupled(), mapping }
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  /** Encodes 960 samples of each channel. Shorter arrays are padded with silence. */
  encode(planar: readonly Float32Array[]): Uint8Array {
    const engine = this.#exports
    const room = new Float32Array(engine.memory.buffer, engine.sample_buffer(), OPUS_PACKET_FRAMES * this.#channels)
    room.fill(0)
    planar.forEach((samples, channel) => {
      for (let i = 0, at = channel; i < samples.length; i++, at += this.#channels) room[at] = samples[i]!
    })
    const bytes = engine.encode()
    if (bytes <= 0) throw new EngineError('opus', 'damaged', `libopus failed to encode (${bytes})`)
    return new Uint8Array(engine.memory.buffer, engine.packet_buffer(), bytes).slice()
  }
}
