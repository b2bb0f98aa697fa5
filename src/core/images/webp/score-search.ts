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
import { withAlpha } from './alpha.ts'
import { MOST_BYTES_PER_POINT, PERCEPTUAL_SCALE, QUALITY } from './tuning.ts'

export type Planes = 'means' | 'fitted'

/** Encoder that holds the planes of a picture. */
export interface FilledEncoder {
  readonly encoder: WebpEncoder
  readonly planes: Planes
  /** Body of the ALPH chunk, which the encoder does not code. `undefined`: the picture is opaque. */
  readonly alpha?: Uint8Array | undefined
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
export async function encodedToScore(form: FilledEncoder, job: ScoreJob, { quality, slope }: LikelyForm): Promise<ScoredEncoding> {
  const { reference, target, signal, method } = job
  const known = slope === undefined ? SCALE : { ...SCALE, pointsPerCoarseness: slope }
  const inBands = isMeasuredInBands(reference)
  let bytes = 0
  let last: { readonly similarity: Similarity; readonly perceptual: PerceptualFigures } | undefined
  const measured = () => {
    if (!last) throw new Error('no encoding exists yet: call encode() first')
    return last
  }
  const encodeAt = async (tried: number) => {
    await yieldToEventLoop(signal)
    bytes = encode(form, { quality: tried, method, frugal: job.isFrugal(bytes) })
    using rows = decoded(form, reference)
    const found = await comparePictures(reference, rows.strips(), inBands ? ['similarity'] : ['similarity', 'perceptual'])
    if (!found) throw new Error('the result has fewer rows than the picture')
    last = { similarity: found.similarity, perceptual: inBands ? await figuresInBands() : found.perceptual }
    return figuresOf(last.similarity, target)
  }
  const figuresInBands = async () => {
    using rows = decoded(form, reference)
    return await perceptualFiguresOf(reference, rows.strips())
  }
  const trials = {
    encode: encodeAt,
    perceptualFigures: async () => measured().perceptual,
    bytes: () => bytes,
    isPointless: (margin: number) => bytes * exp(-MOST_BYTES_PER_POINT * Math.max(0, margin)) >= job.sizeLimit,
  }
  const found = await lowestPerceptualQuality(trials, target, inBands ? withFewProbes(known) : known, { quality })
  return { ...found, bytes, similarity: measured().similarity }
}

/** Encodes and returns the size of the file in bytes, with alpha. */
export const encode = ({ encoder, alpha }: FilledEncoder, options: Parameters<WebpEncoder['encode']>[0]): number =>
  encoder.encode(options) + (alpha?.length ?? 0)

/** Last encoding as a file without metadata, but with alpha. */
export const fileOf = ({ encoder, alpha }: FilledEncoder, size: Pick<Raster, 'width' | 'height'>): Uint8Array =>
  withAlpha(encoder.file(), alpha, size)

export function decoded(form: FilledEncoder, { width, height }: Pick<Raster, 'width' | 'height'>): WebpRows {
  const rows = WebpRows.open(fileOf(form, { width, height }), width, height)
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
