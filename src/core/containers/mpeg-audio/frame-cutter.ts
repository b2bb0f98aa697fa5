/** LAME's bytes as frames of their own, of which the first hold nothing but the delay of encoder and decoder. */
import { DECODER_DELAY, frameHeader, LAME_DELAY } from './frame.ts'

/** Samples in a frame: ISO/IEC 11172-3 has 1152, the lower rates of 13818-3 half of that. */
export const frameSamples = (hertz: number) => (hertz >= 32000 ? 1152 : 576)

const DELAY = LAME_DELAY + DECODER_DELAY

/** The delay of encoder and decoder, 1105 samples, is the first frame of LAME's (two at lower rates): it is left out. */
export const firstFrame = (hertz: number) => Math.round(DELAY / frameSamples(hertz))

/** By how many samples the sound begins before the first frame that is kept: the part of the frames left out that was no delay. */
export const mp3Lead = (hertz: number) => firstFrame(hertz) * frameSamples(hertz) - DELAY

/** Cuts frames out of LAME's bytes. */
export class FrameCutter {
  #rest: Uint8Array = new Uint8Array()

  /** The frames that `bytes` complete. */
  cut(bytes: Uint8Array): Uint8Array[] {
    const frames: Uint8Array[] = []
    const joined = new Uint8Array(this.#rest.length + bytes.length)
    joined.set(this.#rest)
    joined.set(bytes, this.#rest.length)
    let at = 0
    for (let header = frameHeader(joined, at); header && at + header.bytes <= joined.length; header = frameHeader(joined, at)) {
      frames.push(joined.slice(at, at + header.bytes))
      at += header.bytes
    }
    this.#rest = joined.slice(at)
    return frames
  }
}
