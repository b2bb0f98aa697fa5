/** Searches for the WebP quality that reaches a perceptual score, with encodings by the method of the result. */
import { type WebpEncoder, WebpRows } from '../../../../wasm/webp/webp.ts'
import { exp } from '../../bytes/same-math.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import { COLOUR_ALLOWANCE_DB, type ColourFigures } from '../../catalog/target.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { colourFiguresOf } from '../compare/colour-figures.ts'
import { comparePictures } from '../compare/compare.ts'
import { LEAST_RGB_PSNR_DB } from '../convert/tuning.ts'
import type { Raster } from '../raster/raster.ts'
import {
  isMeasuredInBands,
  lowestPerceptualQuality,
  type PerceptualResult,
  perceptualFiguresOf,
  type QualityScale,
  withFewProbes,
} from '../search/perceptual-search.ts'
import { MOST_BYTES_PER_POINT, PERCEPTUAL_SCALE, QUALITY } from './tuning.ts'

export type Planes = 'means' | 'fitted'

/** Encoder that holds the planes of a picture. */
export interface FilledEncoder {
  readonly encoder: WebpEncoder
  readonly planes: Planes
}

/** Picture of a search. */
export interface ScoreJob {
  readonly picture: Raster
  /** Picture as RGBA. */
  readonly reference: Raster
  readonly target: PicturePerceptualTarget
  readonly signal: AbortSignal
  /** Method of the result. */
  readonly method: number
  /** Size of the upload in bytes. A result of this size is useless. */
  readonly sizeLimit: number
  /** True if tokens of a result of so many bytes must be computed twice, because they would use too much memory. */
  isFrugal(bytes: number): boolean
}

export interface ScoredEncoding extends PerceptualResult<ColourFigures> {
  readonly bytes: number
  /** Comparison of the last encoding with the picture, both as viewers show them. */
  readonly similarity: Similarity
}

/** Quality and form that are expected to reach the target. */
export interface LikelyForm {
  readonly quality: number
  readonly slope: number | undefined
}

export const SCALE: QualityScale = {
  ...PERCEPTUAL_SCALE,
  highest: QUALITY.highest,
  coarseness: (quality) => -quality,
  qualityOf: (coarseness) => -coarseness,
}

/** Searches with the method of the result. The encoder then holds the file of the returned quality. */
export async function encodedToScore({ encoder }: FilledEncoder, job: ScoreJob, { quality, slope }: LikelyForm): Promise<ScoredEncoding> {
  const { reference, target, signal, method } = job
  const known = slope === undefined ? SCALE : { ...SCALE, pointsPerCoarseness: slope }
  const inBands = isMeasuredInBands(reference)
  let bytes = 0
  let last: { readonly similarity: Similarity; readonly perceptual: PerceptualFigures } | undefined
  const measured = () => {
    if (!last) throw new Error('no encoding exists yet: call encode() first')
    return last
  }
  const encode = async (tried: number) => {
    await yieldToEventLoop(signal)
    bytes = encoder.encode({ quality: tried, method, frugal: job.isFrugal(bytes) })
    using rows = decoded(encoder, reference)
    const found = await comparePictures(reference, rows.strips(), inBands ? ['similarity'] : ['similarity', 'perceptual'])
    if (!found) throw new Error('the result has fewer rows than the picture')
    last = { similarity: found.similarity, perceptual: inBands ? await figuresInBands() : found.perceptual }
    return figuresOf(last.similarity, target)
  }
  const figuresInBands = async () => {
    using rows = decoded(encoder, reference)
    return await perceptualFiguresOf(reference, rows.strips())
  }
  const trials = {
    encode,
    perceptualFigures: async () => measured().perceptual,
    bytes: () => bytes,
    isPointless: (margin: number) => bytes * exp(-MOST_BYTES_PER_POINT * Math.max(0, margin)) >= job.sizeLimit,
  }
  const found = await lowestPerceptualQuality(trials, target, inBands ? withFewProbes(known) : known, { quality })
  return { ...found, bytes, similarity: measured().similarity }
}

export function decoded(encoder: WebpEncoder, { width, height }: Pick<Raster, 'width' | 'height'>): WebpRows {
  const rows = WebpRows.open(encoder.file(), width, height)
  if (!rows) throw new Error('the result of the WebP encoder cannot be decoded')
  return rows
}

/**
 * Figures of the search. WebP halves chroma at every quality, so colours only have to keep the floor of conversions, which the search's
 * allowance would otherwise exceed.
 */
export function figuresOf(similarity: Similarity, { floor }: PicturePerceptualTarget): ColourFigures {
  const figures = colourFiguresOf(similarity)
  return { ...figures, colourPsnrDb: figures.colourPsnrDb + floor.psnrDb - COLOUR_ALLOWANCE_DB - LEAST_RGB_PSNR_DB }
}
