/** Pictures made smaller row by row, as renderers do. */
import { Scaler, type Taps } from '../../../../../wasm/scale/scale.ts'

/** The pixels between two places on a line of `length`, each as much as it lies between them. */
function between(start: number, end: number, length: number): Taps {
  const from = Math.min(start, length - 1)
  const to = Math.min(Math.max(end, from + 1e-6), length)
  const first = Math.floor(from)
  const last = Math.max(first + 1, Math.ceil(to - 1e-9))
  const weights = new Float32Array(last - first)
  for (let k = first; k < last; k++) weights[k - first] = (Math.min(k + 1, to) - Math.max(k, from)) / (to - from)
  return { first, weights }
}

function areas(from: number, to: number): Taps[] {
  const ratio = from / to
  return Array.from({ length: to }, (_, i) => between(i * ratio, (i + 1) * ratio, from))
}

/** Whole pixels only, the remainder spread evenly: what poppler does, and the harsher judge of hard edges. */
function boxes(length: number, to: number): Taps[] {
  const step = Math.floor(length / to)
  const remainder = length % to
  let error = 0
  let first = 0
  return Array.from({ length: to }, () => {
    error += remainder
    const count = error >= to ? step + 1 : step
    if (error >= to) error -= to
    const start = first
    first += count
    return between(start, first, length)
  })
}

/** Whole pixels repeated, the remainder spread evenly: how poppler enlarges much. */
function repeated(length: number, to: number): Taps[] {
  const taps: Taps[] = []
  let error = 0
  for (let i = 0; i < length; i++) {
    error += to % length
    const count = Math.floor(to / length) + (error >= length ? 1 : 0)
    if (error >= length) error -= length
    for (let k = 0; k < count; k++) taps.push({ first: i, weights: Float32Array.of(1) })
  }
  return taps
}

/** Between two pixels, from the first pixel's corner on: how poppler enlarges a little. */
function blended(length: number, to: number): Taps[] {
  return Array.from({ length: to }, (_, i) => {
    const at = (i * length) / to
    const first = Math.floor(at)
    const weights = first + 1 < length ? Float32Array.of(1 - (at - first), at - first) : Float32Array.of(1)
    return { first, weights }
  })
}

/** From this on pixels are repeated. */
const REPEATED_FROM = 4

/** How poppler draws a picture (Splash::scaleImage): reduced by boxes, enlarged in both directions by less than fourfold blended. */
function drawn(from: Size, to: Size): { across: Taps[]; down: Taps[] } {
  const soft =
    to.width >= from.width && to.height >= from.height && to.width / from.width < REPEATED_FROM && to.height / from.height < REPEATED_FROM
  const enlarged = soft ? blended : repeated
  const taps = (length: number, wanted: number) => (wanted < length ? boxes(length, wanted) : enlarged(length, wanted))
  return { across: taps(from.width, to.width), down: taps(from.height, to.height) }
}

export interface Size {
  width: number
  height: number
}

/** Rows of a picture, 8 bits a sample, packed. */
export interface Opened {
  width: number
  height: number
  channels: number
}

/** `area`: the mean of the area that a result pixel covers. `drawn`: as poppler draws it, smaller or larger. */
export type ScaleMode = 'area' | 'drawn'

export class RowScaler {
  readonly width: number
  readonly height: number
  readonly channels: number
  private readonly kernel: Scaler | undefined

  /** The picture comes out at `size`, by `area` not larger. `alpha`: the fourth channel is opacity, by which colours are weighted. */
  constructor(picture: Opened, size: Size, mode: ScaleMode = 'area', alpha = false) {
    const { channels } = picture
    const { width, height } = size
    const larger = width > picture.width || height > picture.height
    if ((larger && mode === 'area') || width < 1 || height < 1) throw new RangeError('a picture can only be made smaller')
    this.width = width
    this.height = height
    this.channels = channels
    const same = width === picture.width && height === picture.height
    const taps = () =>
      mode === 'drawn' ? drawn(picture, size) : { across: areas(picture.width, width), down: areas(picture.height, height) }
    this.kernel = same
      ? undefined
      : new Scaler({
          width: picture.width,
          height: picture.height,
          channels,
          alpha,
          ...taps(),
        })
  }

  /** Before the last row came out; after it there is nothing left to dispose of. */
  [Symbol.dispose](): void {
    this.kernel?.[Symbol.dispose]()
  }

  /** Whole rows in; the whole rows that are complete now come out, as views that hold until the next are asked for. */
  push(bytes: Uint8Array): Iterable<Uint8Array> {
    return this.kernel ? this.kernel.push(bytes) : [bytes]
  }
}

/** All rows that come out of the scaler for these. */
export async function scaledPixels(scaler: RowScaler, strips: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const pixels = new Uint8Array(scaler.width * scaler.height * scaler.channels)
  let at = 0
  for await (const strip of strips) {
    for (const rows of scaler.push(strip)) {
      pixels.set(rows, at)
      at += rows.length
    }
  }
  return pixels
}
