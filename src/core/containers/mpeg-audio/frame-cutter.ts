/** Splits LAME's output into MP3 frames. The first frames contain only the delay of encoder and decoder. */
import { DECODER_DELAY, frameHeader, LAME_DELAY } from './frame.ts'

/** Samples a frame: 1152 in ISO/IEC 11172-3, 576 at the lower sample rates of ISO/IEC 13818-3. */
export const samplesPerFrame = (hertz: number) => (hertz >= 32000 ? 1152 : 576)

const DELAY = LAME_DELAY + DECODER_DELAY

/** Number of LAME's first frames that contain only the delay (1105 samples). Whittle drops them: 1 frame, or 2 at lower sample rates. */
export const delayFrames = (hertz: number) => Math.round(DELAY / samplesPerFrame(hertz))

/** Samples of sound that the dropped frames contain, because the delay is not a whole number of frames. */
export const mp3LeadSamples = (hertz: number) => delayFrames(hertz) * samplesPerFrame(hertz) - DELAY

/** Splits LAME's output into frames. */
export class FrameSplitter {
  #rest: Uint8Array = new Uint8Array()

  /** Returns the frames that `bytes` complete. */
  push(bytes: Uint8Array): Uint8Array[] {
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
