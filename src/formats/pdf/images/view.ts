/** Pictures as they are seen at some size, and how alike two of them are there. */
import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../../bytes/concat.ts'
import { type Likeness, LikenessMeter } from '../../../quality/metrics.ts'
import type { Eighths } from './rows.ts'
import { RowScaler, type ScaleMode } from './scale.ts'

export interface Size {
  width: number
  height: number
}

/** A picture reduced to `size` and turned into something a meter can look at. */
export class View {
  private readonly scaler: RowScaler
  private readonly parts: Uint8Array[] = []

  constructor(picture: { width: number; height: number; channels: number }, size: Size, mode: ScaleMode) {
    this.scaler = new RowScaler(picture.width, picture.height, picture.channels, size.width, size.height, mode)
  }

  push(strip: Uint8Array): void {
    const rows = this.scaler.push(strip)
    if (rows.length) this.parts.push(this.scaler.channels === 4 ? asRgb(rows) : rows)
  }

  /** Gray or RGB rows. */
  done(): Uint8Array {
    return concat(this.parts)
  }
}

/** CMYK as renderers show it without a profile; good enough to compare with itself (10.4.2.4). */
function asRgb(cmyk: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((cmyk.length / 4) * 3)
  for (let i = 0, o = 0; i < cmyk.length; i += 4) {
    const black = cmyk[i + 3]!
    for (let c = 0; c < 3; c++) rgb[o++] = 255 - Math.min(255, cmyk[i + c]! + black)
  }
  return rgb
}

/** `reference` is a finished view of `size`; `strips` are the picture that is compared with it. */
export async function likeness(
  reference: Uint8Array,
  picture: { width: number; height: number; channels: number; strips: AsyncIterable<Uint8Array> | Iterable<Uint8Array> },
  size: Size,
  mode: ScaleMode,
): Promise<Likeness> {
  const view = new View(picture, size, mode)
  for await (const strip of picture.strips) view.push(strip)
  const meter = new LikenessMeter(size.width, size.height, picture.channels === 1 ? 1 : 3)
  meter.push(reference, view.done())
  const { ssim, psnrDb, psnrRgbDb } = meter.finish()
  return { ssim, psnrDb: Math.min(99, psnrDb), psnrRgbDb: Math.min(99, psnrRgbDb) }
}

/** A JPEG in memory as a picture, at a scale of so many eighths. */
export async function openJpeg(data: Uint8Array, eighths: Eighths = 8) {
  const rows = await JpegRows.open(data, { eighths })
  return { width: rows.width, height: rows.height, channels: rows.channels, strips: stripsOf(rows) }
}

async function* stripsOf(rows: JpegRows): AsyncGenerator<Uint8Array> {
  for (let strip = await rows.read(64); strip; strip = await rows.read(64)) yield strip
}
