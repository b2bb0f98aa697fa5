/** Decodes converted pictures again and compares them with the rows they were made from. */

import { pngRows, readPngInfo } from '../../wasm/png/png.ts'
import { decodeWebp, decodeWebpThumbnail } from '../../wasm/webp/webp.ts'
import { discard } from '../bytes/discard.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM, type Source } from '../codec/codec.ts'
import { readAll } from '../codec/source.ts'
import type { Likeness } from '../quality/metrics.ts'
import { AvifCodec, likeness } from './avif-codec.ts'
import { likenessOfGrid } from './avif-grid.ts'
import { orientationOf, uprightRaster } from './orientation.ts'
import { type Carried, type Raster, wholeRgba } from './raster.ts'
import { webpChunks } from './webp-container.ts'

/** At an eighth of the size coding noise is averaged away: what differs more is another picture. */
const THUMBNAIL_PSNR_DB = 27
const CELL = 8

/** Sums over cells of 8×8 pixels of luma (BT.601), on white where there is transparency. */
class Thumbnail {
  readonly #raster: Omit<Raster, 'rows'>
  readonly #width: number
  readonly #sums: Float64Array
  #row = 0

  constructor(raster: Omit<Raster, 'rows'>) {
    this.#raster = raster
    this.#width = Math.ceil(raster.width / CELL)
    this.#sums = new Float64Array(this.#width * Math.ceil(raster.height / CELL))
  }

  push(strip: Uint8Array): void {
    const { width, channels } = this.#raster
    for (let at = 0; at < strip.length; this.#row++) {
      const cells = (this.#row >> 3) * this.#width
      for (let x = 0; x < width; x++, at += channels) {
        const first = strip[at] ?? 0
        const luma = channels < 3 ? first : 0.299 * first + 0.587 * (strip[at + 1] ?? 0) + 0.114 * (strip[at + 2] ?? 0)
        const cell = cells + (x >> 3)
        this.#sums[cell] = (this.#sums[cell] ?? 0) + luma
      }
    }
  }

  /** Against means of the same cells, in dB. */
  psnrDb(means: Uint8Array): number {
    const { width, height } = this.#raster
    let squares = 0
    for (let i = 0; i < means.length; i++) {
      const across = Math.min(CELL, width - (i % this.#width) * CELL)
      const down = Math.min(CELL, height - Math.floor(i / this.#width) * CELL)
      squares += ((this.#sums[i] ?? 0) / (across * down) - (means[i] ?? 0)) ** 2
    }
    return 10 * Math.log10(65025 / (squares / means.length))
  }
}

/** undefined: `result` is the picture `raster`; else what differs. `carried` must have come along. */
export async function differenceOfWebp(raster: Raster, carried: Carried, result: Source, exact: boolean): Promise<string | undefined> {
  const file = await readAll(result)
  const chunks = webpChunks(file)
  for (const [name, bytes] of [
    ['ICCP', carried.icc],
    ['EXIF', carried.exif],
    ['XMP ', carried.xmp],
  ] as const) {
    const kept = chunks.find((chunk) => chunk.name === name)?.data
    if (bytes && !sameBytes(bytes, kept)) return `${name.trim()} was lost`
  }
  if (exact) {
    const pixels = decodeWebp(file, raster.width, raster.height)
    return pixels ? exactDifference(raster, pixels) : 'the result cannot be decoded at this size'
  }
  const means = decodeWebpThumbnail(file, raster.width, raster.height)
  if (!means) return 'the result cannot be decoded at this size'
  const thumbnail = new Thumbnail(raster)
  for await (const strip of raster.rows()) thumbnail.push(strip)
  const psnrDb = thumbnail.psnrDb(means)
  return psnrDb < THUMBNAIL_PSNR_DB ? `another picture: ${psnrDb.toFixed(1)} dB at an eighth of the size` : undefined
}

/** Against RGBA. The colour of what nobody can see counts, too: the coder was told to keep it. */
async function exactDifference(raster: Raster, rgba: Uint8Array): Promise<string | undefined> {
  const { channels } = raster
  let at = 0
  for await (const strip of raster.rows()) {
    for (let i = 0; i < strip.length; i += channels, at += 4) {
      for (let c = 0; c < 3; c++) if (strip[channels < 3 ? i : i + c] !== rgba[at + c]) return `pixel ${at / 4} differs`
      if ((channels === 2 || channels === 4 ? strip[i + channels - 1] : 255) !== rgba[at + 3]) return `alpha of pixel ${at / 4} differs`
    }
  }
  return at === rgba.length ? undefined : 'rows are missing'
}

/** The same for AVIF, whose pixels are turned upright. */
export async function differenceOfAvif(stored: Raster, carried: Carried, result: Source): Promise<string | undefined> {
  const raster = uprightRaster(stored, orientationOf(carried.exif))
  const file = await readAll(result)
  const grid = await likenessOfGrid(raster, carried, file)
  if (typeof grid === 'string') return grid
  if (grid) return belowFloors(grid)
  using codec = await AvifCodec.open('decoder')
  const decoded = codec.decode(file)
  if (!decoded) return 'the result cannot be decoded'
  if (raster.width !== decoded.width || raster.height !== decoded.height) return `the result is ${decoded.width}×${decoded.height}`
  return belowFloors(likeness({ ...raster, pixels: await wholeRgba(raster) }, decoded))
}

function belowFloors({ ssim, psnrDb }: Likeness): string | undefined {
  return ssim < FLOOR_SSIM || psnrDb < FLOOR_PSNR_DB ? `SSIM ${ssim.toFixed(3)}, ${psnrDb.toFixed(1)} dB` : undefined
}

/** The same for PNG, which is always exact. Grey and RGB rasters. */
export async function differenceOfPng(raster: Raster, carried: Carried, result: Source): Promise<string | undefined> {
  const { header, chunks } = await readPngInfo(result.stream())
  if (header.width !== raster.width || header.height !== raster.height) return `the result is ${header.width}×${header.height}`
  const has = (type: string) => chunks.some((chunk) => chunk.type === type)
  if (carried.exif && !has('eXIf')) return 'EXIF was lost'
  if (carried.icc && !has('iCCP')) return 'the ICC profile was lost'
  if (carried.xmp && !has('iTXt')) return 'XMP was lost'
  const before = raster.rows()[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array()
  for await (const { rows } of pngRows(result.stream(), raster.channels === 1 ? 'gray8' : 'rgb8')) {
    for (let at = 0; at < rows.length; ) {
      if (rest.length === 0) {
        const next = await before.next()
        if (next.done) return 'there are too many rows'
        rest = next.value
      }
      const length = Math.min(rest.length, rows.length - at)
      if (!sameBytes(rest.subarray(0, length), rows.subarray(at, at + length))) return 'pixels differ'
      rest = rest.subarray(length)
      at += length
    }
    discard(rows)
  }
  return rest.length === 0 && (await before.next()).done ? undefined : 'rows are missing'
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && a.length === b.length && Buffer.compare(a, b) === 0
}

/** undefined: `result`, a file of kind `output`, holds the picture `raster` and what it carried; else what differs. */
export async function differenceOf(
  output: string,
  raster: Raster,
  carried: Carried,
  result: Source,
  exact: boolean,
): Promise<string | undefined> {
  if (output === 'png') return differenceOfPng(raster, carried, result)
  if (output === 'webp') return differenceOfWebp(raster, carried, result, exact)
  if (output === 'avif') return differenceOfAvif(raster, carried, result)
  return `no way to verify ${output}`
}
