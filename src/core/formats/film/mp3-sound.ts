/** Encodes sound as MP3 frames that do not use the bit reservoir. A stream can then be encoded in stretches and start at its first sample. */

import { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { delayFrames, FrameSplitter, samplesPerFrame } from '../../containers/mpeg-audio/frame-cutter.ts'
import { MeasuredMp3Encoder } from '../../containers/mpeg-audio/measured-encoder.ts'
import { malformed } from '../../model/error.ts'
import type { PartWriter, SoundHead } from './part-file.ts'
import { decodedSound, type EncodedSound, type StoredSound } from './sound.ts'

/** Sample rates of MPEG-1, MPEG-2 and MPEG-2.5 Layer III, in Hz. */
export const MP3_RATES = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]

/** Frames encoded and dropped before a stretch, so that the encoder's state has settled. */
const RUN_UP = 3
/**
 * Encodes frames `from` to `to` of a stream's sound as MP3. The last stretch takes all remaining sound.
 * @param sound blocks of one sample each (PCM, G.711)
 */
export async function encodeMp3Frames(
  sound: StoredSound,
  part: PartWriter,
  { from, to }: { from: number; to: number },
  vbrQuality: number,
): Promise<EncodedSound> {
  const { stream } = sound
  const { hertz, blockAlign } = stream
  const channels = stream.channels === 1 ? 1 : 2
  const perFrame = samplesPerFrame(hertz)
  using engine = new Ffmpeg()
  using encoder = new MeasuredMp3Encoder(engine, { channels, hertz, vbrQuality, maxKbps: 0, independentFrames: true })
  const lead = Math.max(0, from + delayFrames(hertz) - RUN_UP)
  const cutter = new FrameSplitter()
  // The encoder's first frame is reserved for a Xing tag, which a stream inside a container does not have.
  let drop = 1 + from + delayFrames(hertz) - lead
  let count = 0
  const write = async (bytes: Uint8Array) => {
    for (const frame of cutter.push(bytes)) {
      if (drop-- > 0 || count === to - from) continue
      count++
      await part.write(frame)
    }
  }
  const samplesNeeded = Number.isFinite(to) ? (to - lead + delayFrames(hertz) + RUN_UP) * perFrame : Number.POSITIVE_INFINITY
  let samples = 0
  for await (const planar of decodedSound(engine, sound, lead * perFrame * blockAlign)) {
    samples += planar[0]!.length
    for (const packet of encoder.encode([...planar])) await write(packet)
    if (samples >= samplesNeeded) break
  }
  if (samples === 0) throw malformed('sound', 0, 'no_samples')
  await write(encoder.finish().last)
  const head: SoundHead = { kind: 'sound', config: [], count, hertz, channels, delay: 0, samples, ...encoder.squareSums }
  return { head, memoryBytes: encoder.memoryBytes }
}
