/** Encodes MP3 with LAME and decodes the result at the same time. The noise is known when the last frame is written. */

import type { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { Lame } from '../../../../wasm/lame/lame.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { SnrMeter } from '../../metrics/snr.ts'
import { DECODER_DELAY, frameHeader, LAME_DELAY } from './frame.ts'
import { delayFrames, mp3LeadSamples } from './frame-cutter.ts'

/** Slot of the FFmpeg engine's decoder that decodes the encoded frames. */
const CHECK_SLOT = 1

export interface Mp3Settings {
  channels: 1 | 2
  hertz: number
  /** LAME's `-V` quality: 0 (best) to 9.999. */
  vbrQuality: number
  /** Highest bit rate of a frame in kbit/s. 0: no limit. */
  maxKbps: number
  /** True if no frame may use bytes of another frame (bit reservoir), so that the first frames can be dropped. Default: false. */
  independentFrames?: boolean
  /**
   * True if the frames with the delay will be dropped. The noise is then measured without them, and the first block must have
   * `mp3LeadSamples` samples more. Default: false.
   */
  dropsDelayFrames?: boolean
}

/** MP3 encoder that measures the noise it adds. It keeps a LAME instance until it is disposed. */
export class MeasuredMp3Encoder implements Disposable {
  readonly #lame: Lame
  readonly #decoder: Ffmpeg
  readonly #meter = new SnrMeter()
  readonly #channels: number
  /** Original samples that are not compared with decoded ones yet. */
  #pending: Float32Array[][] = []
  #pendingOffset = 0
  /** Decoded samples to skip: the delay of encoder and decoder. */
  #skip = LAME_DELAY + DECODER_DELAY
  #bytes: Uint8Array = new Uint8Array()
  /** Frames to skip before decoding: the tag frame, and dropped frames. */
  #framesToSkip = 1

  /** @param engine FFmpeg engine whose second decoder slot the encoder uses */
  constructor(
    engine: Ffmpeg,
    { channels, hertz, vbrQuality, maxKbps, independentFrames: alone = false, dropsDelayFrames: cut = false }: Mp3Settings,
  ) {
    this.#decoder = engine
    this.#channels = channels
    const noExtradata = { extradata: new Uint8Array(), bitsPerSample: 16, blockAlign: 0, tag: 0 }
    engine.openAudio({ decoder: 'mp3float', hertz, channels, ...noExtradata }, CHECK_SLOT)
    this.#lame = new Lame({ channels, hertz, vbrQuality, maxKbps, noReservoir: alone })
    if (!cut) return
    this.#framesToSkip += delayFrames(hertz)
    this.#skip = 0
    this.#pendingOffset = mp3LeadSamples(hertz)
  }

  [Symbol.dispose](): void {
    this.#lame[Symbol.dispose]()
  }

  /** Sums of squares of the signal and of the noise so far. */
  get squareSums(): { readonly signal: number; readonly noise: number } {
    const { signal, noise } = this.#meter
    return { signal, noise }
  }

  get snrDb(): number {
    return this.#meter.heardDecibels
  }

  get memoryBytes(): number {
    return this.#lame.memoryBytes + this.#decoder.memoryBytes
  }

  /**
   * Encodes planar samples in −1…1. The encoder takes ownership and frees them. The first frame returned is a placeholder for the tag
   * frame.
   */
  encode(planar: Float32Array[]): Uint8Array[] {
    if (planar[0]!.length === 0) return []
    this.#pending.push(planar)
    const packets = this.#lame.encode(planar)
    for (const packet of packets) this.#decode(packet)
    return packets
  }

  finish(): { last: Uint8Array; tag: Uint8Array } {
    const last = this.#lame.finish()
    this.#decode(last)
    this.#decoder.endAudio(CHECK_SLOT)
    this.#compare()
    return { last, tag: this.#lame.tagFrame() }
  }

  /** Splits LAME's output into frames and decodes them. */
  #decode(packet: Uint8Array): void {
    const joined = new Uint8Array(this.#bytes.length + packet.length)
    joined.set(this.#bytes)
    joined.set(packet, this.#bytes.length)
    let at = 0
    for (;;) {
      const header = frameHeader(joined, at)
      if (!header || at + header.bytes > joined.length) break
      if (this.#framesToSkip-- <= 0) {
        this.#decoder.sendAudio(joined.subarray(at, at + header.bytes), CHECK_SLOT)
        this.#compare()
      }
      at += header.bytes
    }
    this.#bytes = joined.slice(at)
  }

  #compare(): void {
    for (let sound = this.#decoder.nextSound(CHECK_SLOT); sound; sound = this.#decoder.nextSound(CHECK_SLOT)) {
      const count = sound.channels[0]!.length
      let at = Math.min(this.#skip, count)
      this.#skip -= at
      while (at < count) {
        const first = this.#pending[0]
        if (!first) break
        const part = Math.min(count - at, first[0]!.length - this.#pendingOffset)
        for (let channel = 0; channel < this.#channels; channel++) {
          const original = first[channel]!.subarray(this.#pendingOffset, this.#pendingOffset + part)
          this.#meter.add(original, sound.channels[channel]!.subarray(at, at + part))
        }
        at += part
        this.#pendingOffset += part
        if (this.#pendingOffset === first[0]!.length) {
          this.#pending.shift()?.forEach(discard)
          this.#pendingOffset = 0
        }
      }
      sound.channels.forEach(discard)
    }
  }
}
