/** Pictures made smaller row by row, as renderers do. */

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

export class RowScaler {
  readonly width: number
  readonly height: number
  readonly channels: number
  private readonly inputWidth: number
  private readonly columns: Span[]
  private readonly lines: Span[]
  private readonly sum: Float32Array
  /** The row before, horizontally reduced: it may belong to two output rows. */
  private readonly row: Float32Array
  private inputRow = 0
  private outputRow = 0

  /** `width × height` pixels of `channels` bytes become `toWidth × toHeight`, which is not larger. */
  constructor(width: number, height: number, channels: number, toWidth: number, toHeight: number, mode: ScaleMode = 'area') {
    if (toWidth > width || toHeight > height || toWidth < 1 || toHeight < 1) throw new RangeError('a picture can only be made smaller')
    this.inputWidth = width
    this.width = toWidth
    this.height = toHeight
    this.channels = channels
    this.columns = mode === 'area' ? spans(width, toWidth) : boxes(width, toWidth)
    this.lines = mode === 'area' ? spans(height, toHeight) : boxes(height, toHeight)
    this.sum = new Float32Array(toWidth * channels)
    this.row = new Float32Array(toWidth * channels)
  }

  /** Whole rows in; the whole rows that are complete now come out. */
  push(bytes: Uint8Array): Uint8Array {
    const stride = this.inputWidth * this.channels
    const rows = Math.floor(bytes.length / stride)
    const out: Uint8Array[] = []
    for (let y = 0; y < rows; y++) {
      this.reduce(bytes, y * stride)
      this.addRow(out)
      this.inputRow++
    }
    const whole = new Uint8Array(out.length * this.sum.length)
    for (const [i, row] of out.entries()) whole.set(row, i * this.sum.length)
    return whole
  }

  private reduce(bytes: Uint8Array, offset: number): void {
    const columns = this.columns
    const channels = this.channels
    const row = this.row
    let at = 0
    for (const { first, weights } of columns) {
      for (let c = 0; c < channels; c++) {
        let value = 0
        let from = offset + first * channels + c
        for (let k = 0; k < weights.length; k++) {
          value += bytes[from]! * weights[k]!
          from += channels
        }
        row[at++] = value
      }
    }
  }

  private addRow(out: Uint8Array[]): void {
    const sum = this.sum
    const row = this.row
    while (this.outputRow < this.height) {
      const { first, weights } = this.lines[this.outputRow]!
      const index = this.inputRow - first
      if (index < 0) return
      const weight = weights[index]
      if (weight === undefined) return
      for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + row[i]! * weight
      if (index + 1 < weights.length) return
      const bytes = new Uint8Array(sum.length)
      for (let i = 0; i < sum.length; i++) bytes[i] = sum[i]! + 0.5
      out.push(bytes)
      sum.fill(0)
      this.outputRow++
    }
  }
}
