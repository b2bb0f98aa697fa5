/** Encodes AAC with FFmpeg and decodes the packets at the same time, so that the noise is known at the end. */
import type { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { DelayedSnr } from '../metrics/delayed-snr.ts'

/** Samples of each channel in a packet. */
export const AAC_PACKET_FRAMES = 1024
/** Number of the engine's decoder that decodes the new packets. */
const CHECKING = 1

export interface AacSettings {
  readonly hertz: number
  readonly channels: number
  readonly bitsPerSecond: number
}

export class MeasuredAacEncoder {
  readonly #engine: Ffmpeg
  readonly #meter: DelayedSnr
  readonly #block: Float32Array[]
  #filled = 0
  /** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1). */
  readonly config: Uint8Array
  /** Samples of silence in front of the sound. */
  readonly delay: number

  /** @param engine FFmpeg engine whose AAC encoder and second audio decoder are used */
  constructor(engine: Ffmpeg, { hertz, channels, bitsPerSecond }: AacSettings) {
    this.#engine = engine
    const { config, delay } = engine.openAac(hertz, channels, bitsPerSecond)
    this.config = config
    this.delay = delay
    this.#meter = new DelayedSnr(delay)
    this.#block = Array.from({ length: channels }, () => new Float32Array(AAC_PACKET_FRAMES))
    engine.openAudio({ decoder: 'aac', extradata: config, hertz, channels, bitsPerSample: 16, blockAlign: 0, tag: 0 }, CHECKING)
  }

  get snrDb(): number {
    return this.#meter.decibels
  }

  /** Encodes planar samples. @returns the packets that are complete */
  encode(planar: readonly Float32Array[]): Uint8Array[] {
    const packets: Uint8Array[] = []
    const { length } = planar[0]!
    for (let from = 0; from < length; ) {
      const count = Math.min(AAC_PACKET_FRAMES - this.#filled, length - from)
      for (const [channel, samples] of planar.entries()) this.#block[channel]!.set(samples.subarray(from, from + count), this.#filled)
      this.#filled += count
      from += count
      if (this.#filled === AAC_PACKET_FRAMES) this.#flush(packets)
    }
    return packets
  }

  /** Returns the last packets. */
  finish(): Uint8Array[] {
    const packets: Uint8Array[] = []
    if (this.#filled > 0) this.#flush(packets)
    for (let packet = this.#engine.finishAac(); packet; packet = this.#engine.finishAac()) this.#check(packet, packets)
    this.#engine.endAudio(CHECKING)
    this.#compare()
    return packets
  }

  #flush(packets: Uint8Array[]): void {
    const block = this.#block.map((channel) => channel.slice(0, this.#filled))
    this.#filled = 0
    const packet = this.#engine.encodeAac(block)
    this.#meter.expect(block)
    if (packet) this.#check(packet, packets)
  }

  /** Adds a packet to `packets` and decodes it. */
  #check(packet: Uint8Array, packets: Uint8Array[]): void {
    packets.push(packet)
    this.#engine.sendAudio(packet, CHECKING)
    this.#compare()
  }

  #compare(): void {
    for (let sound = this.#engine.nextSound(CHECKING); sound; sound = this.#engine.nextSound(CHECKING)) this.#meter.decoded(sound.channels)
  }
}
