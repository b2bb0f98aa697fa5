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
import { secondsPerFrame } from '../../containers/film/analyse.ts'
import { cutByTime } from '../../containers/film/cut.ts'
import { levelOf } from '../../containers/film/levels.ts'
import { type PicturesHead, readPart, writePart } from '../../containers/film/part-file.ts'
import { encodePart, type PictureTrack, probe } from '../../containers/film/pictures.ts'
import type { Samples } from '../../containers/isobmff/tables.ts'
import { type Avi, readAvi } from '../../containers/riff/avi.ts'
import { fourCC } from '../../containers/riff/riff.ts'
import { type NewPictures, planAvi } from '../../containers/riff/write-avi.ts'
import { AVI } from './format.ts'
import { decoderOf } from './fourcc.ts'
import { verifyAvi } from './verify.ts'

/** One message has 300 CPU-seconds, and pictures may need a second try. */
const MAX_CPU_SECONDS = 130
const WORTH_IT = 0.97
/** Bits a pixel that are lean already, as for MP4. */
const LEAN_BITS = { low: 0.016, medium: 0.025, high: 0.045, ultra: 0.016 } as const

export const avi: Codec = {
  format: AVI,

  async compress(source, sink, options): Promise<Outcome> {
    if (options.output !== 'avi') throw new UnsupportedFeature('AVI files stay AVI files')
    const file = await readAvi(source)
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
    return verifyAvi(original, result, outcome, options)
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
  if (samples.count * secondsPerFrame(pixels) > MAX_CPU_SECONDS)
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
      delay: part.reordered ? 1 : 0,
    }
    return { pictures: found, head, decoder: stream.decoder }
  } catch (error) {
    if (error instanceof UnsupportedFeature) return { kept: error.message, reason: 'unsupported_feature' }
    if (error instanceof OverBudget) return { kept: error.message, reason: 'over_budget' }
    if (error instanceof MalformedFile) return { kept: error.message, reason: 'malformed' }
    throw error
  }
}

/** The first picture stream as a track whose frames count 0, 1, 2 … */
export function pictureTrack(file: Avi): { track: PictureTrack; index: number } | { kept: string; reason: 'unsupported_feature' } {
  const stream = file.streams.find(({ kind }) => kind === 'vids')
  if (!stream || stream.strf.length < 40) return { kept: 'no pictures', reason: 'unsupported_feature' }
  // BITMAPINFOHEADER: width at 4, height at 8 (negative is top-down), bits at 14, compression at 16.
  const view = new DataView(stream.strf.buffer, stream.strf.byteOffset, stream.strf.length)
  const [width, height] = [view.getInt32(4, true), Math.abs(view.getInt32(8, true))]
  const compression = fourCC(stream.strf, 16)
  const decoder = decoderOf(compression)
  if (!decoder) return { kept: `pictures of type '${compression}' are kept as they are`, reason: 'unsupported_feature' }
  if (width < 16 || height < 16 || width > 16384 || height > 16384)
    return { kept: `pictures of ${width}×${height}`, reason: 'unsupported_feature' }
  const used = file.chunks.filter((chunk) => chunk.stream === stream.index && chunk.size > 0)
  const samples: Samples = {
    count: used.length,
    offset: Float64Array.from(used, ({ offset }) => offset),
    size: Uint32Array.from(used, ({ size }) => size),
    dts: Float64Array.from({ length: used.length + 1 }, (_, i) => i),
    composition: new Int32Array(used.length),
    sync: Uint8Array.from(used, ({ key }, i) => (key || i === 0 ? 1 : 0)),
  }
  if (used.length === 0) return { kept: 'no pictures', reason: 'unsupported_feature' }
  const rate = { num: Math.max(1, Math.min(stream.rate, 0x7fffffff)), den: Math.max(1, Math.min(stream.scale, 0x7fffffff)) }
  const fps = rate.num / rate.den
  if (!(fps >= 0.1 && fps <= 1000)) return { kept: `${fps} frames a second`, reason: 'unsupported_feature' }
  return {
    index: stream.index,
    track: {
      stream: {
        decoder,
        extradata: stream.strf.slice(40),
        width,
        height,
        tag: view.getUint32(16, true),
        bitsPerSample: view.getUint16(14, true),
        ...(decoder === 'h264' ? { reorder: 4 } : {}),
      },
      timescale: Math.max(1, Math.round(fps)),
      samples,
      rate,
      counted: true,
      annexb: true,
    },
  }
}
