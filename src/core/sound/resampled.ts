import type { DecodedSound } from './decoded-sound.ts'
import { Resampler } from './resample.ts'

/** Returns the same sound at another sample rate. */
export function resampled(sound: DecodedSound, hertz: number): DecodedSound {
  if (hertz === sound.hertz) return sound
  return {
    ...sound,
    hertz,
    frames: Resampler.samples(sound.frames, sound.hertz, hertz),
    async *samples(options) {
      const resampler = new Resampler(sound.channels, sound.hertz, hertz)
      for await (const planar of sound.samples(options)) yield resampler.push(planar)
      yield resampler.finish()
    },
  }
}
