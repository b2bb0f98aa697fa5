/**
 * Compares two pictures of the same size, for formats, documents, conversions and the audit of receipts. `comparePictures` reads both
 * pictures and pairs their rows; `PictureMeter` gets its rows from the caller.
 */
import { MAX_MEASURED_WIDTH, MIN_SCORED_SIDE, type PerceptualFigures, PerceptualMeter, ScoreMeter } from '../../metrics/perceptual.ts'
import { type Channels, type Similarity, SimilarityMeter } from '../../metrics/ssim-psnr.ts'
import { NO_STILL_PICTURE } from '../../model/loss.ts'
import { as16Bits, type Raster16, rowsAsBytes } from '../raster/raster16.ts'
import { everyRow, type RowSelection } from './bands.ts'
import { pairRows, type Strips } from './paired-rows.ts'

export interface Figures {
  /** SSIM and PSNR figures. */
  readonly similarity: Similarity
  /**
   * SSIMULACRA 2 without the other perceptual figures, in a fifth of the time of `perceptual`. `undefined`: a side is shorter than 64
   * pixels.
   */
  readonly score: number | undefined
  /** SSIMULACRA 2 score of the picture and its worst tile, colour cast, banding and specks. */
  readonly perceptual: PerceptualFigures
}

export type Measure = keyof Figures

/** Size and channels of the rows of both pictures. */
export interface RowForm {
  readonly width: number
  readonly height: number
  readonly channels: Channels
  /** Bits of a sample; 16: little-endian, `similarity` only. `undefined`: 8. */
  readonly bits?: 8 | 16 | undefined
}

/** Picture whose rows can be read from the top. A strip of whole rows is valid until the next one is requested. */
export interface RowReader extends RowForm {
  rows(): AsyncIterable<Uint8Array>
}

type Meter<Result> = Disposable & { push(reference: Uint8Array, candidate: Uint8Array): void; finish(): Result }

const METERS: { readonly [M in Measure]: (form: RowForm) => Meter<Figures[M]> } = {
  similarity: ({ width, height, channels, bits }) => new SimilarityMeter(width, height, channels, bits),
  score: ({ width, height, channels }) => new ScoreMeter(width, height, channels),
  perceptual: ({ width, height, channels }) => new PerceptualMeter(width, height, channels),
}

/** Measures pairs of rows from the top. `finish` or disposal frees the memory. */
export class PictureMeter<M extends Measure> implements Disposable {
  readonly #meters: readonly (readonly [M, Meter<Figures[Measure]>])[]

  /** @throws RangeError if the picture has no pixels, or more columns than the metrics support */
  constructor(form: RowForm, measures: readonly M[]) {
    this.#meters = measures.map((measure) => [measure, METERS[measure](form)])
  }

  /** Adds the next rows of both pictures: the same whole number of rows. */
  push(reference: Uint8Array, candidate: Uint8Array): void {
    for (const [, meter] of this.#meters) meter.push(reference, candidate)
  }

  /** Returns the figures of all rows. @throws RangeError if rows are missing */
  finish(): Pick<Figures, M> {
    return Object.fromEntries(this.#meters.map(([measure, meter]) => [measure, meter.finish()])) as Pick<Figures, M>
  }

  [Symbol.dispose](): void {
    for (const [, meter] of this.#meters) meter[Symbol.dispose]()
  }
}

/**
 * Compares `candidate`, strips of whole rows, with `reference`. `undefined`: `candidate` has too few rows. @param selection rows that are
 * measured; default: all
 */
export async function comparePictures<M extends Measure>(
  reference: RowReader,
  candidate: Strips,
  measures: readonly M[],
  selection: RowSelection = everyRow(reference),
): Promise<Pick<Figures, M> | undefined> {
  const { width, channels, bits } = reference
  using meter = new PictureMeter({ width, height: selection.height, channels, bits }, measures)
  const isComplete = await pairRows(reference, candidate, (one, other) => selection.select(one, other, (a, b) => meter.push(a, b)))
  return isComplete ? meter.finish() : undefined
}

/** SSIM and PSNR of two pictures. `undefined`: `candidate` has too few rows. */
export const similarityOfRows = async (reference: RowReader, candidate: Strips): Promise<Similarity | undefined> =>
  (await comparePictures(reference, candidate, ['similarity']))?.similarity

/** SSIM and PSNR of 8-bit RGBA rows, compared with a 16-bit picture. `undefined`: `candidate` has too few rows. */
export const similarityTo16Bits = ({ width, height, rows }: Raster16, candidate: Strips): Promise<Similarity | undefined> =>
  similarityOfRows({ width, height, channels: 4, bits: 16, rows: () => rowsAsBytes(rows()) }, as16Bits(candidate, width))

/** SSIMULACRA 2 score as in `PictureLoss.ssimulacra2`. `undefined`: `candidate` has too few rows, or the picture is too wide. */
export async function scoreOfRows(reference: RowReader, candidate: Strips): Promise<number | undefined> {
  const { width, height } = reference
  if (Math.min(width, height) < MIN_SCORED_SIDE) return NO_STILL_PICTURE
  if (width > MAX_MEASURED_WIDTH) return undefined
  return (await comparePictures(reference, candidate, ['score']))?.score
}

/** Compares two pictures that are completely in memory. */
export function compareSamples<M extends Measure>(
  reference: Uint8Array,
  candidate: Uint8Array,
  form: RowForm,
  measures: readonly M[],
): Pick<Figures, M> {
  using meter = new PictureMeter(form, measures)
  meter.push(reference, candidate)
  return meter.finish()
}
