import { type Engine, instantiate, retire } from '../memories/memories.ts'
import { refusedWasi } from '../wasi.ts'
import wasmModule from './lame.wasm'

interface Exports extends Engine {
  _initialize?(): void
  left_channel(): number
  right_channel(): number
  room_samples(): number
  packet_buffer(): number
  open_encoder(channels: number, hertz: number, vbrQuality: number, maxKbps: number, effort: number, alone: number): number
  encode(count: number): number
  finish(): number
  tag_frame(): number
}

export interface LameSettings {
  readonly channels: 1 | 2
  /** Sample rate in Hz: one of the nine rates of MPEG-1, -2 and -2.5 Layer III. */
  readonly hertz: number
  /** LAME's `-V`: 0 (best) to 9.999 (smallest). */
  readonly vbrQuality: number
  /** Highest bit rate of a frame in kbit/s. 0: no limit. Default: 0. */
  readonly maxKbps?: number
  /** True: frames do not use the bit reservoir, so any frame can be dropped. Default: false. */
  readonly noReservoir?: boolean
  /** LAME's `-q`, 0 (slow) to 9 (fast). Default: 2. */
  readonly effort?: number
}

/** LAME 3.100 encoder for one stream. Its memory is pooled, so use it with `using`. */
export class Lame implements Disposable {
  #exports: Exports
  readonly #channels: number

  /** @throws RangeError if LAME rejects the parameters */
  constructor({ channels, hertz, vbrQuality, maxKbps = 0, noReservoir: alone = false, effort = 2 }: LameSettings) {
    this.#exports = instantiate<Exports>(wasmModule, refusedWasi(wasmModule))
    this.#exports._initialize?.()
    this.#channels = channels
    if (this.#exports.open_encoder(channels, hertz, vbrQuality, maxKbps, effort, alone ? 1 : 0) >= 0) return
    this[Symbol.dispose]()
    throw new RangeError(`LAME rejected ${channels} channels at ${hertz} Hz, quality ${vbrQuality}`)
  }

  [Symbol.dispose](): void {
    this.#exports = retire(this.#exports)
  }

  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength
  }

  /**
   * Encodes planar samples, −1…1. The first packet starts with a placeholder for the tag frame.
   * @returns complete and partial frames, in order
   */
  encode(channels: readonly Float32Array[]): Uint8Array[] {
    const engine = this.#exports
    const room = engine.room_samples()
    const packets: Uint8Array[] = []
    const count = channels[0]!.length
    for (let at = 0; at < count; at += room) {
      const part = Math.min(room, count - at)
      const places = [engine.left_channel(), engine.right_channel()]
      for (let channel = 0; channel < this.#channels; channel++) {
        new Float32Array(engine.memory.buffer, places[channel]!, part).set(channels[channel]!.subarray(at, at + part))
      }
      const bytes = engine.encode(part)
      if (bytes < 0) throw new RangeError(`LAME failed (${bytes})`)
      if (bytes > 0) packets.push(this.#packet(bytes))
    }
    return packets
  }

  /** Returns the last MP3 frames. */
  finish(): Uint8Array {
    return this.#packet(Math.max(0, this.#exports.finish()))
  }

  /** After `finish`: returns the Xing/LAME frame (encoder delay, padding, seek table), which replaces the first frame. */
  tagFrame(): Uint8Array {
    return this.#packet(this.#exports.tag_frame())
  }

  #packet(bytes: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.packet_buffer(), bytes).slice()
  }
}
