/** Compares a recompressed picture with the original: at its stored size, and on pages rendered at 144 dpi. */
import { minOf } from '../../../bytes/min-max.ts'
import { PictureMeter } from '../../../images/compare/compare.ts'
import { MAX_MEASURED_WIDTH, MIN_SCORED_SIDE } from '../../../metrics/perceptual.ts'
import type { Channels, Similarity } from '../../../metrics/ssim-psnr.ts'
import { NO_STILL_PICTURE } from '../../../model/loss.ts'
import { PdfSyntax } from '../objects.ts'
import type { Mask } from './mask.ts'
import { withOpacity } from './opacity.ts'
import { type PixelLayout, RowScaler, type ScaleMode, type Size } from './scale.ts'

/** Decoded rows at the stored size, with 1 or 3 channels. `isFromCmyk`: converted from CMYK, whose real appearance is unknown. */
export type DecodedPicture = PixelLayout & { strips: AsyncIterable<Uint8Array> | Iterable<Uint8Array>; isFromCmyk?: boolean }

/** Original and result of a picture, and the mask that applies to both. */
export interface PicturePair {
  original: DecodedPicture
  result: DecodedPicture
  mask: Mask | undefined
}

export interface PictureMeasurement {
  /** Similarity at the stored size, including hidden pixels. A larger original is averaged to the size of the result. */
  stored: Similarity
  /** SSIMULACRA 2 score at the stored size. `undefined`: not measured. */
  ssimulacra2: number | undefined
  /** Similarity at each page size, with both pictures scaled as a PDF renderer does, and weighted by the mask. */
  drawn: Similarity[]
}

/** Measures all sizes in one pass, while both pictures are decoded a few rows at a time. */
export async function measurePicture({ original, result, mask }: PicturePair, grids: readonly Size[]): Promise<PictureMeasurement> {
  if (result.channels !== original.channels || result.width > original.width || result.height > original.height)
    throw new PdfSyntax('picture_not_what_was_coded')
  const stored = new Comparison([original, result], result, 'area', original.isFromCmyk ? 'unscored' : 'scored')
  const drawn = grids.map((grid) => new Comparison(mask ? [original, result, { ...mask, channels: 1 }] : [original, result], grid, 'drawn'))
  const all = [stored, ...drawn]
  try {
    await readInParallel(mask ? [original, result, mask] : [original, result], (which, strip) => {
      for (const comparison of all) comparison.push(which, strip)
    })
    return { ssimulacra2: stored.score(), stored: stored.finish(), drawn: drawn.map((comparison) => comparison.finish()) }
  } finally {
    for (const comparison of all) comparison[Symbol.dispose]()
  }
}

interface PictureRows {
  width: number
  height: number
  strips: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Reads strips of several pictures in parallel. The next strip always comes from the picture with the smallest share read. */
async function readInParallel(flows: readonly PictureRows[], take: (which: number, strip: Uint8Array) => void): Promise<void> {
  const running = flows.map(({ width, height, strips }, which) => ({
    which,
    shareRead: 0,
    pixels: width * height,
    rows: asyncRows(strips),
  }))
  try {
    for (let left = [...running]; left.length > 0; ) {
      const next = left.reduce((a, b) => (a.shareRead <= b.shareRead ? a : b))
      const { value, done } = await next.rows.next()
      if (done) left = left.filter((each) => each !== next)
      else {
        take(next.which, value)
        next.shareRead += value.length / next.pixels
      }
    }
  } finally {
    for (const { rows } of running) await rows.return(undefined)
  }
}

async function* asyncRows(strips: PictureRows['strips']): AsyncGenerator<Uint8Array, undefined> {
  yield* strips
}

/** Compares two pictures at one size while their rows arrive alternately. An optional third picture is their opacity. */
class Comparison {
  private readonly scalers: RowScaler[]
  private readonly pendingRows: Uint8Array[]
  private readonly rowPixels: number
  private readonly meter: PictureMeter<'similarity'>
  /** Meter for the SSIMULACRA 2 score. `undefined`: the picture cannot be scored. `'small'`: too small for a score. */
  private readonly scorer: PictureMeter<'score'> | 'small' | undefined

  constructor(pictures: readonly PixelLayout[], size: Size, mode: ScaleMode, score: 'scored' | 'unscored' = 'unscored') {
    this.scalers = pictures.map((picture) => new RowScaler(picture, size, mode))
    this.pendingRows = pictures.map(() => new Uint8Array())
    this.rowPixels = size.width
    const channels = pictures[0]!.channels + (pictures.length > 2 ? 1 : 0)
    const samples = (channels === 2 ? 4 : channels) as Channels
    this.meter = new PictureMeter({ width: size.width, height: size.height, channels: samples }, ['similarity'])
    this.scorer = score === 'scored' ? scorerOf(size, samples) : undefined
  }

  push(which: number, strip: Uint8Array): void {
    const scaler = this.scalers[which]
    if (!scaler) return
    for (const rows of scaler.push(strip)) {
      this.pendingRows[which] = joined(this.pendingRows[which]!, rows)
      this.compare()
    }
  }

  /** Compares as many rows as have arrived from every picture. */
  private compare(): void {
    const strides = this.scalers.map(({ channels }) => channels * this.rowPixels)
    const rows = minOf(this.pendingRows.map((bytes, i) => bytes.length / strides[i]!))
    if (rows === 0) return
    const [original, result, opacity] = this.pendingRows.map((bytes, i) => bytes.subarray(0, rows * strides[i]!))
    const { channels } = this.scalers[0]!
    const shown = (pixels: Uint8Array) => (opacity ? withOpacity(pixels, channels, opacity) : pixels)
    this.meter.push(shown(original!), shown(result!))
    if (this.scorer instanceof PictureMeter) this.scorer.push(original!, result!)
    for (const [i, bytes] of this.pendingRows.entries()) this.pendingRows[i] = bytes.slice(rows * strides[i]!)
  }

  /** SSIMULACRA 2 score at the stored size, without the mask. */
  score(): number | undefined {
    return this.scorer === 'small' ? NO_STILL_PICTURE : this.scorer?.finish().score
  }

  finish(): Similarity {
    const { ssim, psnrDb, psnrRgbDb } = this.meter.finish().similarity
    // Pictures smaller than the SSIM window have no SSIM.
    return { ssim: Number.isNaN(ssim) ? 1 : ssim, psnrDb, psnrRgbDb }
  }

  [Symbol.dispose](): void {
    for (const scaler of this.scalers) scaler[Symbol.dispose]()
    this.meter[Symbol.dispose]()
    if (this.scorer instanceof PictureMeter) this.scorer[Symbol.dispose]()
  }
}

function scorerOf({ width, height }: Size, channels: Channels): PictureMeter<'score'> | 'small' | undefined {
  if (Math.min(width, height) < MIN_SCORED_SIDE) return 'small'
  return width > MAX_MEASURED_WIDTH ? undefined : new PictureMeter({ width, height, channels }, ['score'])
}

function joined(pending: Uint8Array, rows: Uint8Array): Uint8Array {
  const whole = new Uint8Array(pending.length + rows.length)
  whole.set(pending)
  whole.set(rows, pending.length)
  return whole
}
