import type { Message } from '../i18n/message.ts'
import type { Options, Sink, Source } from '../model/codec.ts'
import type { DecodedSound } from './decoded-sound.ts'

/** Format that decoded sound can become: its writer, and a reader that is used to verify results. */
export interface SoundOutput {
  /** Sample rate of the result for that of the sound, in Hz. */
  rate(hertz: number): number
  /** @throws CodecError (unsupported_feature) if the format cannot store the sound, or not as the caller asked */
  check(sound: DecodedSound, options: Options): void
  /** Writes the sound, whose rate is supported. `snrDb`: signal-to-noise ratio of the result; infinite: it is equal. */
  write(sound: DecodedSound, sink: Sink, options: Options): Promise<{ readonly snrDb: number; readonly steps: readonly Message[] }>
  /** Decodes a result and yields `frames` planar samples. @throws CodecError (malformed) if it has another length */
  samples(result: Source, frames: number, options: Options): AsyncGenerator<Float32Array[]>
}
