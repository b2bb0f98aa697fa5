/** Sample statistics that distinguish measurements, labels and tables from ordinary pictures (data-picture.ts). */

import { BLOCK_ROWS, MOST_COLOURS, SAMPLED_PIXELS } from './tuning.ts'

/** Strip of whole rows: grey, grey and alpha, RGB or RGBA, alpha not premultiplied. */
export type SampleRow = Uint8Array | Uint16Array

export interface PictureForm {
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
  /** Largest sample value: 255 or 65535. */
  readonly most: number
}

/** Statistics of a height or depth that is split over 8-bit channels, high byte first. */
class CodeStatistics {
  readonly order: readonly number[]
  /** Pairs of neighbouring pixels whose low bytes differ. */
  pairs = 0
  /** Number of `pairs` whose combined values differ by less than `#near`. */
  nearPairs = 0
  /**
   * `wraps`: number of `pairs` whose low bytes differ by 128 or more. `nearWraps`: those of them whose combined values are near each
   * other.
   */
  wraps = 0
  nearWraps = 0
  readonly lows = new Uint32Array(256)
  readonly highs = new Uint32Array(256)
  readonly #near: number
  /** Channels of the high and low byte, and of the one between them; −1: none. */
  readonly #first: number
  readonly #middle: number
  readonly #low: number

  constructor(order: readonly number[]) {
    this.order = order
    this.#near = order.length === 3 ? 16_384 : 64
    this.#first = order[0] ?? 0
    this.#middle = order.length === 3 ? (order[1] ?? 0) : -1
    this.#low = order.at(-1) ?? 0
  }

  /** Adds the pixel at `at` and its neighbour `step` samples further. */
  add(row: SampleRow, at: number, step: number): void {
    const [first, middle, low] = [this.#first, this.#middle, this.#low]
    const lowStep = row[at + step + low]! - row[at + low]!
    if (lowStep === 0) return
    const firstStep = row[at + step + first]! - row[at + first]!
    const middleStep = middle < 0 ? firstStep : firstStep * 256 + row[at + step + middle]! - row[at + middle]!
    const isNear = Math.abs(middleStep * 256 + lowStep) < this.#near
    this.pairs++
    this.lows[row[at + low]!]!++
    this.highs[row[at + first]!]!++
    if (isNear) this.nearPairs++
    if (lowStep < 128 && lowStep > -128) return
    this.wraps++
    if (isNear) this.nearWraps++
  }
}

/** Collects statistics of rows, from the top. Rows between the sampled blocks are skipped. */
export class DataStatistics {
  readonly form: PictureForm
  pixels = 0
  opaque = true
  grey = true
  /** Number of pixels by colour. A size of `MOST_COLOURS + 1` means more colours. */
  readonly colours = new Map<number, number>()
  /** Lowest and highest sample of each channel. `values` marks which of 65,536 values the first channel has. */
  readonly lowest = Uint16Array.of(65535, 65535, 65535)
  readonly highest = new Uint16Array(3)
  readonly values = new Uint8Array(65536)
  /**
   * `changes`: neighbouring pixels of different colours. `isolated`: pixels that differ from both neighbours in a row or column.
   * `changeSizes`: histogram of the differences.
   */
  changes = 0
  isolated = 0
  readonly changeSizes = new Uint32Array(64)
  /** Histogram of twice the distance of a grey sample from the mean of its neighbours, divided by 16. */
  readonly residuals = new Uint32Array(8192)
  /**
   * `directions`: pixels whose colour is a vector, without black, mid-grey and white. `unitLength`: those of length 1. `sums` and
   * `squares` give their spread.
   */
  directions = 0
  unitLength = 0
  readonly sums = new Float64Array(3)
  readonly squares = new Float64Array(3)
  readonly codes = [
    [0, 1, 2],
    [2, 1, 0],
    [0, 1],
    [1, 0],
  ].map((order) => new CodeStatistics(order))
  readonly #period: number
  #above: SampleRow | undefined
  #twoAbove: SampleRow | undefined

  constructor(form: PictureForm) {
    this.form = form
    this.#period = BLOCK_ROWS * Math.max(1, Math.ceil((form.width * form.height) / SAMPLED_PIXELS))
  }

  /** Adds row `y` to the statistics. The caller may reuse its memory afterwards. */
  add(row: SampleRow, y: number): void {
    const inBlock = y % this.#period
    if (inBlock >= BLOCK_ROWS) return
    if (inBlock === 0) this.#above = this.#twoAbove = undefined
    if (this.form.channels < 3) this.#grey(row)
    else this.#colour(row)
    this.#edges(row)
    this.#twoAbove = this.#above
    this.#above = row.slice()
  }

  #grey(row: SampleRow): void {
    const { channels } = this.form
    for (let at = 0; at < row.length; at += channels) {
      const value = row[at]!
      this.#bounds(0, value)
      this.values[value] = 1
      if (channels === 2 && row[at + 1] !== this.form.most) this.opaque = false
      if (at >= channels && at + channels < row.length)
        this.residuals[Math.min(8191, Math.abs(2 * value - row[at - channels]! - row[at + channels]!) >> 4)]!++
    }
    this.pixels += row.length / channels
  }

  #colour(row: SampleRow): void {
    const { channels, most } = this.form
    const { values, residuals, codes } = this
    const half = most / 2
    const isDeep = most > 255
    for (let at = 0; at < row.length; at += channels) {
      const r = row[at]!
      const g = row[at + 1]!
      const b = row[at + 2]!
      if (r !== g || g !== b) this.grey = false
      this.#bounds(0, r)
      this.#bounds(1, g)
      this.#bounds(2, b)
      values[r] = 1
      if (channels === 4 && row[at + 3] !== most) this.opaque = false
      const hasNext = at + channels < row.length
      if (this.grey && at >= channels && hasNext)
        residuals[Math.min(8191, Math.abs(2 * r - row[at - channels]! - row[at + channels]!) >> 4)]!++
      this.#direction(r / half - 1, g / half - 1, b / half - 1)
      if (!isDeep && hasNext) for (let code = 0; code < 4; code++) codes[code]!.add(row, at, channels)
    }
    this.pixels += row.length / channels
  }

  #bounds(channel: number, value: number): void {
    if (value < this.lowest[channel]!) this.lowest[channel] = value
    if (value > this.highest[channel]!) this.highest[channel] = value
  }

  #direction(x: number, y: number, z: number): void {
    const length = Math.sqrt(x * x + y * y + z * z)
    if (length < 0.02 || length > 1.7) return
    this.directions++
    if (Math.abs(length - 1) <= 0.04) this.unitLength++
    const { sums, squares } = this
    sums[0] = sums[0]! + x
    sums[1] = sums[1]! + y
    sums[2] = sums[2]! + z
    squares[0] = squares[0]! + x * x
    squares[1] = squares[1]! + y * y
    squares[2] = squares[2]! + z * z
  }

  #edges(row: SampleRow): void {
    const { channels } = this.form
    const [above, twoAbove] = [this.#above, this.#twoAbove]
    let wasChange = false
    let hasFewColours = this.colours.size <= MOST_COLOURS
    for (let at = 0; at < row.length; at += channels) {
      if (hasFewColours) {
        this.#count(row, at)
        hasFewColours = this.colours.size <= MOST_COLOURS
      }
      const isChange = at >= channels && this.#difference(row, at, row, at - channels)
      if (isChange && wasChange) this.isolated++
      wasChange = isChange
      if (above && this.#difference(row, at, above, at) && twoAbove && differs(above, twoAbove, at, channels)) this.isolated++
    }
  }

  /** Returns true and counts a change if two pixels differ. */
  #difference(row: SampleRow, at: number, other: SampleRow, otherAt: number): boolean {
    const { channels, most } = this.form
    let sum = Math.abs(row[at]! - other[otherAt]!)
    for (let c = 1; c < channels; c++) sum += Math.abs(row[at + c]! - other[otherAt + c]!)
    if (sum === 0) return false
    this.changes++
    this.changeSizes[Math.min(63, Math.floor(((sum * 255) / most) >> 2))]!++
    return true
  }

  #count(row: SampleRow, at: number): void {
    let colour = 0
    for (let c = 0; c < this.form.channels; c++) colour = colour * (this.form.most + 1) + row[at + c]!
    this.colours.set(colour, (this.colours.get(colour) ?? 0) + 1)
  }

  /** Standard deviation of a vector component, from −1 to 1. */
  spread(channel: number): number {
    const mean = this.sums[channel]! / this.directions
    return Math.sqrt(Math.max(0, this.squares[channel]! / this.directions - mean ** 2))
  }
}

function differs(a: SampleRow, b: SampleRow, at: number, channels: number): boolean {
  for (let c = 0; c < channels; c++) if (a[at + c] !== b[at + c]) return true
  return false
}

/** Value below which `share` of a histogram lies. */
export function quantile(histogram: Uint32Array, share: number): number {
  let left = histogram.reduce((sum, count) => sum + count, 0) * share
  for (let value = 0; value < histogram.length; value++) if ((left -= histogram[value]!) < 0) return value
  return histogram.length - 1
}

/** Shannon entropy of a histogram, in bits. */
export function entropy(histogram: Uint32Array): number {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  let bits = 0
  for (const count of histogram) if (count > 0) bits -= (count / total) * Math.log2(count / total)
  return bits
}
