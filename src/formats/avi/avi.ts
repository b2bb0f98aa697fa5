/** AVI: pictures to H.264 in the same container, sound and everything else copied, dead space dropped. */

import type { Codec } from '../../codec/codec.ts'
import {
  MalformedFile,
  NoGain,
  type Options,
  type Outcome,
  OverBudget,
  type Source,
  UnsupportedFeature,
  type Verdict,
} from '../../codec/codec.ts'
import { memorySink } from '../../codec/sink.ts'
import { MAX_JOB_CPU_SECONDS, secondsPerFrame } from '../../containers/film/analyse.ts'
import { cutByTime } from '../../containers/film/cut.ts'
import { levelOf } from '../../containers/film/levels.ts'
import { type PicturesHead, readPart, writePart } from '../../containers/film/part-file.ts'
import { encodePart, probe } from '../../containers/film/pictures.ts'
import { type Avi, readAvi } from '../../containers/riff/avi.ts'
import { type NewPictures, planAvi } from '../../containers/riff/write-avi.ts'
import { AVI } from './format.ts'
import { pictureTrack } from './picture-track.ts'
import { toMovie } from './to-movie.ts'
import { verifyAvi, verifyMovie } from './verify.ts'

const WORTH_IT = 0.97
/** Bits a pixel that are lean already, as for MP4. */
const LEAN_BITS = { low: 0.016, medium: 0.025, high: 0.045, ultra: 0.016 } as const

export const avi: Codec = {
  format: AVI,

  async compress(source, sink, options): Promise<Outcome> {
    const file = await readAvi(source)
    if (options.output !== 'avi') return toMovie(source, file, sink, options)
    const made = options.lossless ? { kept: 'only an exact result is wanted' } : await pictures(source, file, options)
    if ('kept' in made) {
      const plan = planAvi(source, file, undefined)
      if (plan.total >= source.size) {
        if (made.reason) return { kind: 'unchanged', reason: made.reason, detail: made.kept }
        throw new NoGain()
      }
      await plan.write(sink, options)
      return { kind: 'compressed', fidelity: 'lossless', steps: ['index written anew, dead space dropped'] }
    }
    await planAvi(source, file, made.pictures).write(sink, options)
    const { worstSsim, worstPsnrDb } = made.head.quality
    const steps = [`pictures: ${made.decoder} → H.264 crf ${made.head.crf}`, 'dead space dropped']
    return { kind: 'compressed', fidelity: 'perceptual', ssim: worstSsim, psnrDb: worstPsnrDb, steps }
  },

  async verify(original, result, outcome, options): Promise<Verdict> {
    return options.output === 'avi' ? verifyAvi(original, result, outcome, options) : verifyMovie(original, result, options)
  },
}

type Made =
  | { pictures: NewPictures; head: PicturesHead; decoder: string }
  | { kept: string; reason?: 'unsupported_feature' | 'over_budget' | 'malformed' }

/** The file's pictures as H.264, or why they stay. */
async function pictures(source: Source, file: Avi, options: Options): Promise<Made> {
  const track = pictureTrack(file)
  if ('kept' in track) return track
  const { samples, stream } = track.track
  const pixels = stream.width * stream.height
  const old = samples.size.reduce((sum, size) => sum + size, 0)
  if ((old * 8) / (pixels * samples.count) < LEAN_BITS[options.quality]) return { kept: 'lean already' }
  const [cut] = cutByTime(samples, track.track.timescale, Number.MAX_SAFE_INTEGER)
  if (!cut || cut.frames !== samples.count) return { kept: 'the pictures do not fit into one job', reason: 'over_budget' }
  if (samples.count * secondsPerFrame(pixels) > MAX_JOB_CPU_SECONDS)
    return { kept: 'this film needs more CPU time than a job has', reason: 'over_budget' }
  try {
    await probe(source, track.track)
    const part = await encodePart(source, track.track, cut, levelOf(options.quality), options)
    if (part.sizes.reduce((sum, size) => sum + size, 0) >= old * WORTH_IT) return { kept: 'H.264 is not smaller' }
    // With B-frames held back the order would change; the encoder is told not to use them here.
    const head: PicturesHead = { kind: 'pictures', headers: [], count: cut.frames, quality: part.quality, crf: part.crf }
    const into = memorySink(Number.POSITIVE_INFINITY, 'part')
    await writePart(head, part.pts, part.sizes, part.keys, part.packets, into)
    const made = await readPart(await into.finish())
    const found = {
      stream: track.index,
      fourCC: 'H264',
      sizes: made.sizes,
      keys: made.keys,
      from: made.source,
      offset: made.dataOffset,
      delay: part.delay,
    }
    return { pictures: found, head, decoder: stream.decoder }
  } catch (error) {
    if (error instanceof UnsupportedFeature) return { kept: error.message, reason: 'unsupported_feature' }
    if (error instanceof OverBudget) return { kept: error.message, reason: 'over_budget' }
    if (error instanceof MalformedFile) return { kept: error.message, reason: 'malformed' }
    throw error
  }
}
