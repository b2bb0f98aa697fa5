/** Pictures as they are seen at some size, and how alike two of them are there. */

import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { breathe } from '../../../bytes/breathe.ts'
import { discard } from '../../../bytes/discard.ts'
import { type Likeness, LikenessMeter } from '../../../quality/metrics.ts'
import { type Opened, RowScaler, type ScaleMode } from './scale.ts'

const STRIP_PIXELS = 16 * 1024
/** Rows between two breaths: about 20 ms of a page. */
const PAUSE_ROWS = 512

export interface Size {
  width: number
  height: number
}

/** A picture reduced to `size`, as something a meter can look at. */
export class View {
  private readonly scaler: RowScaler
  private readonly rows: Uint8Array
  private at = 0

  constructor(picture: Opened, size: Size, mode: ScaleMode) {
    this.scaler = new RowScaler(picture, size, mode)
    this.rows = new Uint8Array(size.width * size.height * (picture.channels === 1 ? 1 : 3))
  }

  push(strip: Uint8Array): void {
    for (const reduced of this.scaler.push(strip)) {
      const rows = shown(reduced, this.scaler.channels)
      this.rows.set(rows, this.at)
      this.at += rows.length
    }
  }

  /** Gray or RGB rows. */
  done(): Uint8Array {
    return this.rows
  }
}

/** Samples as gray or RGB. */
export const shown = (rows: Uint8Array, channels: number): Uint8Array => (channels === 4 ? asRgb(rows) : rows)

/** CMYK as renderers show it without a profile; good enough to compare with itself (10.4.2.4). */
function asRgb(cmyk: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((cmyk.length / 4) * 3)
  for (let i = 0, o = 0; i < cmyk.length; i += 4) {
    const black = cmyk[i + 3]!
    for (let c = 0; c < 3; c++) rgb[o++] = 255 - Math.min(255, cmyk[i + c]! + black)
  }
  return rgb
}

/** A picture at the size it would be stored at, and as a screen shows the original. */
export interface Sight {
  size: Size
  channels: number
  /** As stored: CMYK stays CMYK. */
  pixels: Uint8Array
  screen: Size
  /** Gray or RGB. */
  onScreen: Uint8Array
  /** Frees the pixels. */
  [Symbol.dispose](): void
}

export async function takeSight(picture: Opened & { strips: AsyncIterable<Uint8Array> }, size: Size, screen: Size): Promise<Sight> {
  const { channels } = picture
  const scaler = new RowScaler(picture, size)
  const view = new View(picture, screen, 'boxes')
  const pixels = new Uint8Array(size.width * size.height * channels)
  let at = 0
  for await (const strip of picture.strips) {
    view.push(strip)
    for (const rows of scaler.push(strip)) {
      pixels.set(rows, at)
      at += rows.length
    }
  }
  const onScreen = view.done()
  const free = () => [pixels, onScreen].forEach(discard)
  return { size, channels, pixels, screen, onScreen, [Symbol.dispose]: free }
}

/** What the original looks like at some size. */
export interface Look {
  /** Gray or RGB rows. */
  reference: Uint8Array
  size: Size
  mode: ScaleMode
}

type Picture = Opened & { strips: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }

/** How like the original a picture is. */
export async function likeness(picture: Picture, look: Look): Promise<Likeness> {
  const [seen] = await likenesses(picture, [look])
  return seen!
}

/** The same at several sizes, while the picture is decoded once. */
export async function likenesses(picture: Picture, looks: readonly Look[]): Promise<Likeness[]> {
  const meters = looks.map(({ reference, size, mode }) => {
    const scaler = new RowScaler(picture, size, mode)
    return { reference, scaler, meter: new LikenessMeter(size.width, size.height, picture.channels === 1 ? 1 : 3), at: 0 }
  })
  for await (const strip of picture.strips) {
    for (const each of meters) {
      for (const reduced of each.scaler.push(strip)) {
        const rows = shown(reduced, picture.channels)
        each.meter.push(each.reference.subarray(each.at, each.at + rows.length), rows)
        each.at += rows.length
      }
    }
  }
  return meters.map(({ meter }) => {
    const { ssim, psnrDb, psnrRgbDb } = meter.finish()
    return { ssim, psnrDb: Math.min(99, psnrDb), psnrRgbDb: Math.min(99, psnrRgbDb) }
  })
}

/** A JPEG in memory as a picture. */
export async function openJpeg(data: Uint8Array): Promise<Opened & { strips: AsyncIterable<Uint8Array> }> {
  const rows = await JpegRows.open(data)
  return { width: rows.width, height: rows.height, channels: rows.channels, strips: stripsOf(rows) }
}

async function* stripsOf(rows: JpegRows): AsyncGenerator<Uint8Array> {
  const count = Math.max(1, Math.ceil(STRIP_PIXELS / rows.width))
  let at = 0
  for await (const strip of rows.strips(count)) {
    yield strip
    if (Math.floor(at / PAUSE_ROWS) !== Math.floor((at + count) / PAUSE_ROWS)) await breathe()
    at += count
  }
}
