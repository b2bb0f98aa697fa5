/** Pictures made smaller row by row, as renderers do. */
import { concat } from '../../../bytes/concat.ts'

interface Span {
  /** First input pixel that an output pixel covers, and the weights of it and its followers. */
  first: number
  weights: Float32Array
}

function spans(from: number, to: number): Span[] {
  const ratio = from / to
  return Array.from({ length: to }, (_, i) => {
    const start = i * ratio
    const end = Math.min(from, (i + 1) * ratio)
    const first = Math.floor(start)
    const last = Math.max(first + 1, Math.ceil(end - 1e-9))
    const weights = new Float32Array(last - first)
    for (let k = first; k < last; k++) weights[k - first] = (Math.min(k + 1, end) - Math.max(k, start)) / ratio
    return { first, weights }
  })
}

/** Whole pixels only, the remainder spread evenly: what poppler does, and the harsher judge of hard edges. */
function boxes(from: number, to: number): Span[] {
  const step = Math.floor(from / to)
  const remainder = from % to
  let error = 0
  let first = 0
  return Array.from({ length: to }, () => {
    error += remainder
    const count = error >= to ? step + 1 : step
    if (error >= to) error -= to
    const span = { first, weights: new Float32Array(count).fill(1 / count) }
    first += count
    return span
  })
}

/** `area`: the mean of the area that a result pixel covers. `boxes`: the mean of the whole pixels nearest to it. */
export type ScaleMode = 'area' | 'boxes'

/** Spans in flat arrays, for the inner loop. */
function flat(list: readonly Span[]): { firsts: Int32Array; counts: Int32Array; weights: Float32Array } {
  const weights = new Float32Array(list.reduce((sum, span) => sum + span.weights.length, 0))
  let at = 0
  for (const span of list) {
    weights.set(span.weights, at)
    at += span.weights.length
  }
  return { firsts: Int32Array.from(list, (span) => span.first), counts: Int32Array.from(list, (span) => span.weights.length), weights }
}

export class RowScaler {
  readonly width: number
  readonly height: number
  readonly channels: number
  private readonly inputWidth: number
  private readonly same: boolean
  private readonly columns: ReturnType<typeof flat>
  private readonly lines: Span[]
  /** Weighted sum of the input rows that the next output row covers: columns are reduced once an output row, not once an input row. */
  private readonly sum: Float32Array
  private inputRow = 0
  private outputRow = 0

  /** `width × height` pixels of `channels` bytes become `toWidth × toHeight`, which is not larger. */
  constructor(width: number, height: number, channels: number, toWidth: number, toHeight: number, mode: ScaleMode = 'area') {
    if (toWidth > width || toHeight > height || toWidth < 1 || toHeight < 1) throw new RangeError('a picture can only be made smaller')
    this.inputWidth = width
    this.width = toWidth
    this.height = toHeight
    this.channels = channels
    this.same = width === toWidth && height === toHeight
    this.columns = flat(mode === 'area' ? spans(width, toWidth) : boxes(width, toWidth))
    this.lines = mode === 'area' ? spans(height, toHeight) : boxes(height, toHeight)
    this.sum = new Float32Array(width * channels)
  }

  /** Whole rows in; the whole rows that are complete now come out. */
  push(bytes: Uint8Array): Uint8Array {
    if (this.same) return bytes
    const stride = this.inputWidth * this.channels
    const rows = Math.floor(bytes.length / stride)
    const out: Uint8Array[] = []
    for (let y = 0; y < rows; y++, this.inputRow++) this.addRow(bytes.subarray(y * stride, (y + 1) * stride), out)
    return concat(out)
  }

  private addRow(row: Uint8Array, out: Uint8Array[]): void {
    while (this.outputRow < this.height) {
      const { first, weights } = this.lines[this.outputRow]!
      const index = this.inputRow - first
      const weight = weights[index]
      if (weight === undefined) return
      if (index === 0) start(this.sum, row, weight)
      else accumulate(this.sum, row, weight)
      if (index + 1 < weights.length) return
      const reduced = new Uint8Array(this.width * this.channels)
      if (this.channels === 1) this.reduceGray(reduced)
      else if (this.channels === 3) this.reduceRgb(reduced)
      else this.reduce(reduced)
      out.push(reduced)
      this.outputRow++
    }
  }

  private reduceGray(row: Uint8Array): void {
    const { firsts, counts, weights } = this.columns
    const sum = this.sum
    for (let x = 0, w = 0; x < row.length; x++) {
      let from = firsts[x]!
      let value = 0.5
      for (const end = from + counts[x]!; from < end; from++) value += sum[from]! * weights[w++]!
      row[x] = value
    }
  }

  private reduceRgb(row: Uint8Array): void {
    const { firsts, counts, weights } = this.columns
    const sum = this.sum
    for (let x = 0, at = 0, w = 0; at < row.length; x++, at += 3) {
      let [red, green, blue] = [0.5, 0.5, 0.5]
      let from = firsts[x]! * 3
      for (const end = w + counts[x]!; w < end; w++, from += 3) {
        const weight = weights[w]!
        red += sum[from]! * weight
        green += sum[from + 1]! * weight
        blue += sum[from + 2]! * weight
      }
      row[at] = red
      row[at + 1] = green
      row[at + 2] = blue
    }
  }

  private reduce(row: Uint8Array): void {
    const { firsts, counts, weights } = this.columns
    const { sum, channels } = this
    for (let x = 0, at = 0, w = 0; at < row.length; x++) {
      const count = counts[x]!
      for (let c = 0; c < channels; c++) {
        let from = firsts[x]! * channels + c
        let value = 0.5
        for (let k = 0; k < count; k++, from += channels) value += sum[from]! * weights[w + k]!
        row[at++] = value
      }
      w += count
    }
  }
}

/** `sum` plus `bytes` × `weight`. */
function accumulate(sum: Float32Array, bytes: Uint8Array, weight: number): void {
  for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + bytes[i]! * weight
}

function start(sum: Float32Array, bytes: Uint8Array, weight: number): void {
  for (let i = 0; i < sum.length; i++) sum[i] = bytes[i]! * weight
}
