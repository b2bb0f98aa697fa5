/** Measures the similarity of an embedded picture and its replacement, at the size of the old picture. */

import { isEngineError } from '../../../wasm/engine-error.ts'
import { JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { similarityOfRows } from '../images/compare/compare.ts'
import { scaledBicubic } from '../images/raster/bicubic.ts'
import { cachedRaster } from '../images/raster/cached-raster.ts'
import type { Raster } from '../images/raster/raster.ts'
import type { Similarity } from '../metrics/ssim-psnr.ts'
import { croppedRows, type Rect } from './crop.ts'
import { type PictureHeader, readPictureHeader } from './image-header.ts'
import { BATCH_ROWS, rowsOf } from './rows.ts'
import { MAX_CACHED_SAMPLE_BYTES, SAMPLED_BANDS } from './tuning.ts'

/**
 * SSIM and PSNR of `after` against `before`, or against its part `part`. A smaller `after` is upscaled first.
 * `undefined`: a picture is damaged, or its rows cannot be decoded here (CMYK, animations).
 */
export async function similarity(before: Uint8Array, after: Uint8Array, part?: Rect): Promise<Similarity | undefined> {
  const [old, fresh] = [readPictureHeader(before), readPictureHeader(after)]
  if (!isComparable(old) || !isComparable(fresh)) return undefined
  const channels = old.mayBeTransparent || fresh.mayBeTransparent ? 4 : 3
  const { width, height } = part ?? old
  const rows = () => (part ? croppedRows(before, old, part, channels) : rowsOf(before, old, channels))
  const isSameSize = width === fresh.width && height === fresh.height
  const candidate = rowsOf(after, fresh, channels)
  const scaled = isSameSize ? candidate : scaledBicubic(candidate, channels, fresh, { width, height })
  return await similarityUnlessDamaged({ width, height, channels, rows }, scaled)
}

/** SSIM and PSNR of the same part of two pictures of equal size. `undefined`: a picture is damaged or cannot be decoded here. */
export async function partSimilarity(before: Uint8Array, after: Uint8Array, part: Rect): Promise<Similarity | undefined> {
  const [old, fresh] = [readPictureHeader(before), readPictureHeader(after)]
  if (!isComparable(old) || !isComparable(fresh) || old.width !== fresh.width || old.height !== fresh.height) return undefined
  const channels = old.mayBeTransparent || fresh.mayBeTransparent ? 4 : 3
  const { width, height } = part
  const reference = { width, height, channels, rows: () => croppedRows(before, old, part, channels) } as const
  return await similarityUnlessDamaged(reference, croppedRows(after, fresh, part, channels))
}

async function similarityUnlessDamaged(reference: Raster, candidate: AsyncIterable<Uint8Array>): Promise<Similarity | undefined> {
  try {
    return await similarityOfRows(reference, candidate)
  } catch (error) {
    if (isEngineError(error, 'jpeg', 'png') || error instanceof RangeError) return undefined
    throw error
  }
}

/** True if this module decodes the picture's rows. */
const isComparable = (facts: PictureHeader | undefined): facts is PictureHeader =>
  facts?.comparable === true && (facts.kind === 'jpg' || facts.kind === 'png') && facts.width * facts.height <= 200_000_000

/** Estimates the loss by downsampling from bands of rows, without encoding. Takes a fraction of the time of a trial encoding. */
export class DownsampleEstimate {
  readonly #bytes: Uint8Array
  readonly #facts: PictureHeader
  readonly #bands: Raster

  constructor(bytes: Uint8Array, facts: PictureHeader) {
    this.#bytes = bytes
    this.#facts = facts
    const channels = facts.mayBeTransparent ? 4 : 3
    const { width } = facts
    const height = sampledRows(facts.height)
    const bands = { width, height, channels, rows: () => sampled(rowsOf(bytes, facts, channels), width * channels) } as const
    this.#bands = width * height * channels <= MAX_CACHED_SAMPLE_BYTES ? cachedRaster(bands) : bands
  }

  /** Similarity after downsampling by `scale` and upscaling. `undefined`: cannot be measured. */
  async similarityAt(scale: number): Promise<Similarity | undefined> {
    const facts = this.#facts
    if (!isComparable(facts)) return undefined
    const channels = facts.mayBeTransparent ? 4 : 3
    try {
      const small = await smallRows(this.#bytes, facts, channels, scale)
      if (!small) return undefined
      return await similarityUnlessDamaged(this.#bands, scaledBicubic(small.rows, channels, small, facts, SAMPLED_BANDS))
    } catch (error) {
      if (isEngineError(error, 'jpeg', 'png') || error instanceof RangeError) return undefined
      throw error
    }
  }
}

/** Decodes the picture at about `scale` times its size. JPEGs use a reduced DCT. */
async function smallRows(bytes: Uint8Array, facts: PictureHeader, channels: 3 | 4, scale: number) {
  if (facts.kind === 'jpg') {
    const dctScale = Math.max(1, Math.round(scale * 8))
    if (!isDctScale(dctScale)) return undefined
    const opened = await JpegRows.open(bytes, { colour: 'rgb', dctScale })
    return { width: opened.width, height: opened.height, rows: opened.strips(BATCH_ROWS) }
  }
  const [width, height] = [Math.max(1, Math.round(facts.width * scale)), Math.max(1, Math.round(facts.height * scale))]
  return { width, height, rows: scaledBicubic(rowsOf(bytes, facts, channels), channels, facts, { width, height }) }
}

const isDctScale = (dctScale: number): dctScale is 1 | 2 | 3 | 4 | 5 | 6 | 7 => dctScale >= 1 && dctScale <= 7

const sampledRows = (height: number) =>
  Math.floor(height / SAMPLED_BANDS.period) * SAMPLED_BANDS.span + Math.min(SAMPLED_BANDS.span, height % SAMPLED_BANDS.period)

/** Yields the sampled rows from chunks of whole rows. */
async function* sampled(chunks: AsyncIterable<Uint8Array>, rowBytes: number): AsyncGenerator<Uint8Array> {
  let row = 0
  for await (const chunk of chunks) {
    const end = row + chunk.length / rowBytes
    for (let band = row - (row % SAMPLED_BANDS.period); band < end; band += SAMPLED_BANDS.period) {
      const [from, to] = [Math.max(row, band), Math.min(end, band + SAMPLED_BANDS.span)]
      if (from < to) yield chunk.subarray((from - row) * rowBytes, (to - row) * rowBytes)
    }
    row = end
  }
}

/** True if the picture decodes to its last row. Also true for kinds that cannot be decoded here. */
export async function decodesCompletely(bytes: Uint8Array): Promise<boolean> {
  const facts = readPictureHeader(bytes)
  if (!facts) return false
  if (!isComparable(facts)) return true
  try {
    // Decoding a JPEG at 1/8 size still reads all its bits.
    const [width, height] = facts.kind === 'jpg' ? [Math.ceil(facts.width / 8), Math.ceil(facts.height / 8)] : [facts.width, facts.height]
    const decoded =
      facts.kind === 'jpg' ? (await JpegRows.open(bytes, { colour: 'rgb', dctScale: 1 })).strips(BATCH_ROWS) : rowsOf(bytes, facts, 3)
    let rowBytes = 0
    for await (const rows of decoded) rowBytes += rows.length
    return rowBytes === width * height * 3
  } catch (error) {
    if (isEngineError(error, 'jpeg', 'png')) return false
    throw error
  }
}
