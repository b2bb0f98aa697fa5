/** Scales pictures row by row, with the same algorithms as PDF renderers. */
import { type FilterWindow, Scaler } from '../../../../../wasm/scale/scale.ts'

/** Weights of the pixels between two positions on a line of `length` pixels, in proportion to their overlap. */
function overlapTaps(start: number, end: number, length: number): FilterWindow {
  const from = Math.min(start, length - 1)
  const to = Math.min(Math.max(end, from + 1e-6), length)
  const first = Math.floor(from)
  const last = Math.max(first + 1, Math.ceil(to - 1e-9))
  const weights = new Float32Array(last - first)
  for (let k = first; k < last; k++) weights[k - first] = (Math.min(k + 1, to) - Math.max(k, from)) / (to - from)
  return { first, weights }
}

function areas(from: number, to: number): FilterWindow[] {
  const ratio = from / to
  return Array.from({ length: to }, (_, i) => overlapTaps(i * ratio, (i + 1) * ratio, from))
}

/**
 * Box filter with whole pixels, with the remainder spread evenly, as in Poppler. It shows damage to hard edges more clearly than area
 * averaging.
 */
function boxes(length: number, to: number): FilterWindow[] {
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
    return overlapTaps(start, first, length)
  })
}

/** Repeats whole pixels, with the remainder spread evenly, as Poppler does for large enlargements. */
function repeated(length: number, to: number): FilterWindow[] {
  const taps: FilterWindow[] = []
  let error = 0
  for (let i = 0; i < length; i++) {
    error += to % length
    const count = Math.floor(to / length) + (error >= length ? 1 : 0)
    if (error >= length) error -= length
    for (let k = 0; k < count; k++) taps.push({ first: i, weights: Float32Array.of(1) })
  }
  return taps
}

/** Interpolates between two pixels, starting at the corner of the first one, as Poppler does for small enlargements. */
function blended(length: number, to: number): FilterWindow[] {
  return Array.from({ length: to }, (_, i) => {
    const at = (i * length) / to
    const first = Math.floor(at)
    const weights = first + 1 < length ? Float32Array.of(1 - (at - first), at - first) : Float32Array.of(1)
    return { first, weights }
  })
}

/** Enlargement factor from which pixels are repeated instead of interpolated. */
const REPEATED_FROM = 4

/**
 * Scales as Poppler does (Splash::scaleImage): reduces with a box filter. Interpolates if both directions are enlarged less than fourfold,
 * otherwise repeats pixels.
 */
function drawn(from: Size, to: Size): { across: FilterWindow[]; down: FilterWindow[] } {
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

/** Size and channels of a picture with packed 8-bit samples. */
export interface PixelLayout {
  width: number
  height: number
  channels: number
}

/** Scaling algorithm. `area`: mean of the covered area, for reduction only. `drawn`: as Poppler does, for reduction and enlargement. */
export type ScaleMode = 'area' | 'drawn'

export class RowScaler {
  readonly width: number
  readonly height: number
  readonly channels: number
  private readonly kernel: Scaler | undefined

  /** Scales a picture to `size`; the mode `area` cannot enlarge. `alpha`: the fourth channel is opacity, which weights the colours. */
  constructor(picture: PixelLayout, size: Size, mode: ScaleMode = 'area', alpha = false) {
    const { channels } = picture
    const { width, height } = size
    const larger = width > picture.width || height > picture.height
    if ((larger && mode === 'area') || width < 1 || height < 1)
      throw new RangeError(`cannot scale ${picture.width}×${picture.height} to ${width}×${height} in mode "${mode}"`)
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

  /** Frees the scaler if rows are missing. After the last row it has freed itself. */
  [Symbol.dispose](): void {
    this.kernel?.[Symbol.dispose]()
  }

  /** Takes whole rows and returns the rows that are complete. The returned views are valid until the next call. */
  push(bytes: Uint8Array): Iterable<Uint8Array> {
    return this.kernel ? this.kernel.push(bytes) : [bytes]
  }
}

/** Scales all strips and returns the pixels. */
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
