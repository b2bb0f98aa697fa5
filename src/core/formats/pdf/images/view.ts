/** Pictures scaled to a given size, and their similarity at that size. */

import { JpegRows } from '../../../../../wasm/jpeg/jpeg.ts'
import { discard } from '../../../../../wasm/memories/discard.ts'
import { log10 } from '../../../bytes/same-math.ts'
import { yieldToEventLoop } from '../../../bytes/yield.ts'
import { PictureMeter } from '../../../images/compare/compare.ts'
import type { Similarity } from '../../../metrics/ssim-psnr.ts'
import { PdfSyntax } from '../objects.ts'
import { cmykToRgb } from './inks.ts'
import type { MaskRows } from './mask.ts'
import { meanOpacity, restoreHiddenPixels, visiblePartScores, withOpacity, withoutOpacity } from './opacity.ts'
import { type PixelLayout, RowScaler, type ScaleMode, type Size } from './scale.ts'

export type { Size }

const STRIP_PIXELS = 16 * 1024
/** Number of rows between two pauses of the event loop: about 20 ms of work for a page. */
const PAUSE_ROWS = 512

/** Picture scaled to `size`, as input of a similarity meter. */
export class ScaledPicture {
  private readonly scaler: RowScaler
  private readonly rows: Uint8Array
  private at = 0

  constructor(picture: PixelLayout, size: Size, mode: ScaleMode) {
    this.scaler = new RowScaler(picture, size, mode)
    this.rows = new Uint8Array(size.width * size.height * (picture.channels === 1 ? 1 : 3))
  }

  push(strip: Uint8Array): void {
    for (const reduced of this.scaler.push(strip)) {
      const rows = toGreyOrRgb(reduced, this.scaler.channels)
      this.rows.set(rows, this.at)
      this.at += rows.length
    }
  }

  /** Returns the grey or RGB rows. */
  finishRows(): Uint8Array {
    return this.rows
  }
}

/** Converts samples to grey or RGB. */
export const toGreyOrRgb = (rows: Uint8Array, channels: number): Uint8Array => (channels === 4 ? cmykToRgb(rows) : rows)

/** Picture at its target size, and the original at screen resolution. */
export interface Preview {
  size: Size
  channels: number
  /**
   * Pixels at target size as stored, so CMYK stays CMYK. Under a mask, colours are weighted by opacity, and hidden colours are the original
   * ones.
   */
  pixels: Uint8Array
  /** Opacity of `pixels`. `undefined`: the picture has no mask. */
  opacity: Uint8Array | undefined
  screen: Size
  /** Original at screen resolution: grey or RGB, with a mask RGBA. */
  onScreen: Uint8Array
  /** Frees the memory of all pixels. */
  [Symbol.dispose](): void
}

type Streamed = PixelLayout & { strips: AsyncIterable<Uint8Array> }

export async function takePreview(picture: Streamed, size: Size, screen: Size): Promise<Preview> {
  const { channels } = picture
  const scaler = new RowScaler(picture, size)
  const view = new ScaledPicture(picture, screen, 'drawn')
  const pixels = new Uint8Array(size.width * size.height * channels)
  let at = 0
  for await (const strip of picture.strips) {
    view.push(strip)
    for (const rows of scaler.push(strip)) {
      pixels.set(rows, at)
      at += rows.length
    }
  }
  return previewOf(size, channels, { pixels, opacity: undefined }, screen, view.finishRows())
}

/**
 * Creates a preview of a picture with one or three channels and a mask.
 * @throws PdfSyntax for CMYK.
 */
export async function takeMaskedPreview(picture: Streamed, mask: MaskRows, size: Size, screen: Size): Promise<Preview> {
  const { channels } = picture
  if (channels !== 1 && channels !== 3) throw new PdfSyntax('inks_below_mask')
  const opened = { width: picture.width, height: picture.height, channels: 4 }
  const targets = [
    { scaler: new RowScaler(opened, size, 'area', true), rgba: new Uint8Array(size.width * size.height * 4), at: 0 },
    { scaler: new RowScaler(opened, screen, 'drawn', true), rgba: new Uint8Array(screen.width * screen.height * 4), at: 0 },
  ]
  const plain = { scaler: new RowScaler(picture, size), pixels: new Uint8Array(size.width * size.height * channels), at: 0 }
  for await (const strip of picture.strips) {
    const rgba = withOpacity(strip, channels, await mask.next(strip.length / (picture.width * channels)))
    for (const target of targets) {
      for (const rows of target.scaler.push(rgba)) {
        target.rgba.set(rows, target.at)
        target.at += rows.length
      }
    }
    discard(rgba)
    for (const rows of plain.scaler.push(strip)) {
      plain.pixels.set(rows, plain.at)
      plain.at += rows.length
    }
  }
  const [stored, shownAt] = [targets[0]!, targets[1]!]
  const split = withoutOpacity(stored.rgba, channels)
  restoreHiddenPixels(split.pixels, plain.pixels, split.opacity)
  discard(stored.rgba)
  discard(plain.pixels)
  return previewOf(size, channels, split, screen, shownAt.rgba)
}

function previewOf(size: Size, channels: number, stored: Pick<Preview, 'pixels' | 'opacity'>, screen: Size, onScreen: Uint8Array): Preview {
  const { pixels, opacity } = stored
  const free = () => [pixels, onScreen, ...(opacity ? [opacity] : [])].forEach(discard)
  return { size, channels, pixels, opacity, screen, onScreen, [Symbol.dispose]: free }
}

/** Reference for a comparison with the original at screen resolution. */
export const screenReference = (preview: Preview): SimilarityReference => ({
  reference: preview.onScreen,
  size: preview.screen,
  mode: 'drawn',
  opacity: preview.opacity,
})

/** Original picture at a given size, as reference of a comparison. */
export interface SimilarityReference {
  /** Grey or RGB rows; RGBA together with `opacity`. */
  reference: Uint8Array
  size: Size
  mode: ScaleMode
  /** Opacity of the pixels that are compared with the reference. */
  opacity?: Uint8Array | undefined
  /** Receives the compared rows of reference and result as well, for a further measurement. */
  onRows?(reference: Uint8Array, rows: Uint8Array): void
}

type Picture = PixelLayout & { strips: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }

/** Measures the similarity of a picture to the original. */
export async function similarity(picture: Picture, original: SimilarityReference): Promise<Similarity> {
  const [scores] = await similaritiesAtSizes(picture, [original])
  return scores!
}

/** Measures the similarity at several sizes while the picture is decoded once. */
export async function similaritiesAtSizes(picture: Picture, originals: readonly SimilarityReference[]): Promise<Similarity[]> {
  const comparisons = originals.map((original) => new SimilarityComparison(picture, original))
  for await (const strip of picture.strips) for (const comparison of comparisons) comparison.push(strip)
  return comparisons.map((comparison) => comparison.finish())
}

/** Compares one picture with a reference while its rows arrive. */
class SimilarityComparison {
  private readonly original: SimilarityReference
  private readonly channels: number
  private readonly scaler: RowScaler
  private readonly meter: PictureMeter<'similarity'>
  /** Number of pixels received (`pixelsTaken`), and number of bytes compared (`at`). */
  private pixelsTaken = 0
  private at = 0

  constructor(picture: PixelLayout, original: SimilarityReference) {
    const { size, mode, opacity } = original
    this.original = original
    this.channels = picture.channels
    this.scaler = new RowScaler(opacity ? { ...picture, channels: 4 } : picture, size, mode, opacity !== undefined)
    const channels = opacity ? 4 : picture.channels === 1 ? 1 : 3
    this.meter = new PictureMeter({ width: size.width, height: size.height, channels }, ['similarity'])
  }

  push(strip: Uint8Array): void {
    const { channels } = this
    const { reference, opacity } = this.original
    const count = strip.length / channels
    const rgba = opacity && withOpacity(strip, channels, opacity.subarray(this.pixelsTaken, this.pixelsTaken + count))
    this.pixelsTaken += count
    for (const reduced of this.scaler.push(rgba ?? strip)) {
      const rows = rgba ? reduced.slice() : toGreyOrRgb(reduced, channels)
      const same = reference.subarray(this.at, this.at + rows.length)
      // The mask is copied from the reference, because only colours are compared here.
      if (rgba) for (let i = 3; i < rows.length; i += 4) rows[i] = same[i]!
      this.meter.push(same, rows)
      this.original.onRows?.(same, rows)
      this.at += rows.length
    }
  }

  finish(): Similarity {
    const { ssim, psnrDb, psnrRgbDb } = this.meter.finish().similarity
    const scores = { ssim, psnrDb: Math.min(99, psnrDb), psnrRgbDb: Math.min(99, psnrRgbDb) }
    if (!this.original.opacity) return scores
    const share = meanOpacity(this.original.reference, 4)
    return { ...visiblePartScores(scores, share), psnrRgbDb: scores.psnrRgbDb + 10 * log10(share) }
  }
}

/** Decodes a JPEG in memory into rows. */
export async function openJpeg(data: Uint8Array): Promise<PixelLayout & { strips: AsyncIterable<Uint8Array> }> {
  const rows = await JpegRows.open(data)
  return { width: rows.width, height: rows.height, channels: rows.channels, strips: stripsOf(rows) }
}

async function* stripsOf(rows: JpegRows): AsyncGenerator<Uint8Array> {
  const count = Math.max(1, Math.ceil(STRIP_PIXELS / rows.width))
  let at = 0
  for await (const strip of rows.strips(count)) {
    yield strip
    if (Math.floor(at / PAUSE_ROWS) !== Math.floor((at + count) / PAUSE_ROWS)) await yieldToEventLoop()
    at += count
  }
}
