/** Predictors of the Flate and LZW filters (ISO 32000-2, 7.4.4.4). */
import { PdfSyntax } from './objects.ts'

/** Layout of samples in rows. */
export interface RowShape {
  /** Value of /Predictor: 1 is none, 2 is TIFF, 10 to 15 are PNG with a filter type before every row. */
  predictor: number
  colors: number
  bitsPerComponent: number
  columns: number
}

export const rowBytes = (shape: RowShape): number => Math.ceil((shape.colors * shape.bitsPerComponent * shape.columns) / 8)
export const pixelBytes = (shape: RowShape): number => Math.max(1, (shape.colors * shape.bitsPerComponent) >> 3)

function paeth(left: number, up: number, upLeft: number): number {
  const p = left + up - upLeft
  const a = Math.abs(p - left)
  const b = Math.abs(p - up)
  const c = Math.abs(p - upLeft)
  return a <= b && a <= c ? left : b <= c ? up : upLeft
}

/**
 * Undoes the PNG filter `type` of a row in place (PNG specification, 9.2). `above`: the decoded row above. `step`: bytes per pixel. One
 * loop for each filter, because these loops run for every byte of large pictures.
 */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, step: number): void {
  const { length } = row
  const first = Math.min(step, length)
  if (type === 1) {
    for (let i = step; i < length; i++) row[i] = row[i]! + row[i - step]!
  } else if (type === 2) {
    for (let i = 0; i < length; i++) row[i] = row[i]! + above[i]!
  } else if (type === 3) {
    for (let i = 0; i < first; i++) row[i] = row[i]! + (above[i]! >> 1)
    for (let i = step; i < length; i++) row[i] = row[i]! + ((row[i - step]! + above[i]!) >> 1)
  } else if (type === 4) {
    for (let i = 0; i < first; i++) row[i] = row[i]! + above[i]!
    for (let i = step; i < length; i++) row[i] = row[i]! + paeth(row[i - step]!, above[i]!, above[i - step]!)
  }
}

/** Decodes predicted bytes, given in chunks of any size, into plain rows. */
export class Unpredictor {
  private readonly shape: RowShape
  private readonly row: number
  private readonly step: number
  private readonly stored: number
  private pending: Uint8Array
  private fill = 0
  private above: Uint8Array

  constructor(shape: RowShape) {
    const { predictor, colors, bitsPerComponent, columns } = shape
    const sane = colors >= 1 && colors <= 32 && [1, 2, 4, 8, 16].includes(bitsPerComponent) && columns >= 1 && columns <= 1 << 24
    if (!sane || (predictor !== 2 && (predictor < 10 || predictor > 15))) throw new PdfSyntax('unusable_predictor')
    this.shape = shape
    this.row = rowBytes(shape)
    this.step = pixelBytes(shape)
    this.stored = predictor === 2 ? this.row : this.row + 1
    this.pending = new Uint8Array(this.stored)
    this.above = new Uint8Array(this.row)
  }

  push(bytes: Uint8Array): Uint8Array {
    const rows = Math.floor((this.fill + bytes.length) / this.stored)
    const out = new Uint8Array(rows * this.row)
    let at = 0
    for (let y = 0; y < rows; y++) {
      const take = this.stored - this.fill
      const own = this.fill > 0
      if (own) this.pending.set(bytes.subarray(at, at + take), this.fill)
      this.decode(own ? this.pending : bytes.subarray(at, at + take), out.subarray(y * this.row, (y + 1) * this.row))
      at += take
      this.fill = 0
    }
    this.pending.set(bytes.subarray(at), this.fill)
    this.fill += bytes.length - at
    return out
  }

  /** Returns the decoded bytes of a truncated last row. */
  end(): Uint8Array {
    const length = this.shape.predictor === 2 ? this.fill : this.fill - 1
    if (length <= 0) return new Uint8Array(0)
    const out = new Uint8Array(length)
    this.decode(this.pending.subarray(0, this.fill), out)
    return out
  }

  /** Decodes one stored row; `out` has the length of its samples. */
  private decode(stored: Uint8Array, out: Uint8Array): void {
    if (this.shape.predictor === 2) {
      out.set(stored)
      this.undifference(out)
      return
    }
    out.set(stored.subarray(1))
    unfilter(stored[0]!, out, this.above, this.step)
    this.above.set(out)
  }

  /** Decodes TIFF predictor 2: each sample is stored as the difference to the sample on its left. */
  private undifference(row: Uint8Array): void {
    const { bitsPerComponent: bits, colors } = this.shape
    if (bits === 8) {
      for (let i = colors; i < row.length; i++) row[i] = row[i]! + row[i - colors]!
    } else if (bits === 16) {
      for (let i = 2 * colors; i + 1 < row.length; i += 2) {
        const sum = ((row[i]! << 8) | row[i + 1]!) + ((row[i - 2 * colors]! << 8) | row[i - 2 * colors + 1]!)
        row[i] = sum >> 8
        row[i + 1] = sum
      }
    } else {
      const mask = (1 << bits) - 1
      const before = new Uint8Array(colors)
      const samples = Math.floor((row.length * 8) / bits)
      for (let s = 0; s < samples; s++) {
        const bit = s * bits
        const shift = 8 - bits - (bit & 7)
        const at = bit >> 3
        const value = (((row[at]! >> shift) & mask) + before[s % colors]!) & mask
        before[s % colors] = value
        row[at] = (row[at]! & ~(mask << shift)) | (value << shift)
      }
    }
  }
}

/**
 * Applies PNG filters to rows of `row` bytes. For each row it chooses the filter with the smallest sum of absolute differences (PNG
 * specification, 12.8).
 */
export class Predictor {
  private readonly row: number
  private readonly step: number
  private above: Uint8Array
  private candidate: Uint8Array
  private best: Uint8Array

  constructor(row: number, step: number) {
    this.row = row
    this.step = step
    this.above = new Uint8Array(row)
    this.candidate = new Uint8Array(row)
    this.best = new Uint8Array(row)
  }

  /** Filters whole rows. Each output row is one byte longer, for the filter type. */
  rows(bytes: Uint8Array): Uint8Array {
    const row = this.row
    const step = this.step
    const count = Math.floor(bytes.length / row)
    const out = new Uint8Array(count * (row + 1))
    for (let y = 0; y < count; y++) {
      const line = bytes.subarray(y * row, (y + 1) * row)
      let bestSum = Number.POSITIVE_INFINITY
      let bestType = 0
      for (let type = 0; type < 5; type++) {
        const sum = this.filter(type, line, step, bestSum)
        if (sum >= bestSum) continue
        bestSum = sum
        bestType = type
        const swap = this.candidate
        this.candidate = this.best
        this.best = swap
        // The sum is 0 if the row has one colour or equals the row above; no other filter can be better.
        if (sum === 0) break
      }
      out[y * (row + 1)] = bestType
      out.set(this.best, y * (row + 1) + 1)
      this.above.set(line)
    }
    return out
  }

  /** Filters a row into `candidate`. Returns the sum of absolute differences, or an incomplete sum from `enough` on. */
  private filter(type: number, line: Uint8Array, step: number, enough: number): number {
    const { above, candidate } = this
    const first = Math.min(step, line.length)
    if (type === 0) candidate.set(line)
    else if (type === 1) {
      candidate.set(line.subarray(0, step))
      for (let i = step; i < line.length; i++) candidate[i] = line[i]! - line[i - step]!
    } else if (type === 2) for (let i = 0; i < line.length; i++) candidate[i] = line[i]! - above[i]!
    else if (type === 3) {
      for (let i = 0; i < first; i++) candidate[i] = line[i]! - (above[i]! >> 1)
      for (let i = step; i < line.length; i++) candidate[i] = line[i]! - ((line[i - step]! + above[i]!) >> 1)
    } else {
      for (let i = 0; i < first; i++) candidate[i] = line[i]! - above[i]!
      for (let i = step; i < line.length; i++) candidate[i] = line[i]! - paeth(line[i - step]!, above[i]!, above[i - step]!)
    }
    return magnitude(candidate, line.length, enough)
  }
}

/** Value of /Predictor if all rows use the PNG filter "up". */
export const PREDICTOR_UP = 12

/**
 * Encodes rows of `row` bytes with the PNG filter "up" only. Cross-reference streams use it, because some PDF readers decode the filters
 * "average" and "paeth" wrongly and would find no objects.
 */
export function differencesUp(bytes: Uint8Array, row: number): Uint8Array {
  const count = Math.floor(bytes.length / row)
  const out = new Uint8Array(count * (row + 1))
  for (let y = 0; y < count; y++) {
    const at = y * (row + 1)
    out[at] = 2
    for (let i = 0; i < row; i++) out[at + 1 + i] = bytes[y * row + i]! - (y > 0 ? bytes[(y - 1) * row + i]! : 0)
  }
  return out
}

/** Number of bytes that are summed between two comparisons with the limit. */
const SUMMED_BYTES = 256

/** Sum of the absolute values of the bytes, read as signed 8-bit integers. It is incomplete if it reaches `enough`. */
function magnitude(bytes: Uint8Array, length: number, enough: number): number {
  let sum = 0
  for (let from = 0; from < length && sum < enough; from += SUMMED_BYTES) {
    const end = Math.min(length, from + SUMMED_BYTES)
    for (let i = from; i < end; i++) sum += Math.abs((bytes[i]! << 24) >> 24)
  }
  return sum
}
