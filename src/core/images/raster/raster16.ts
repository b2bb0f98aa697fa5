/**
 * Pictures with 16 bits a sample. They are the reference for results of uploads with more than 8 bits and of reduced pictures, so that
 * rounding counts.
 */
import { discard } from '../../../../wasm/memories/discard.ts'
import { type Raster, stripRows } from './raster.ts'
import { lanczosWindows } from './resize.ts'

/** RGBA picture with samples from 0 to 65535, alpha not premultiplied. Each call of `rows` reads the picture again. */
export interface Raster16 {
  readonly width: number
  readonly height: number
  rows(): AsyncIterable<Uint16Array>
}

/** Returns an 8-bit picture as 16-bit RGBA. */
export function toRaster16(raster: Raster): Raster16 {
  const { width, height, channels } = raster
  const [red, green, blue, alpha] = channels < 3 ? [0, 0, 0, 1] : [0, 1, 2, 3]
  return {
    width,
    height,
    async *rows() {
      for await (const strip of raster.rows()) {
        const out = new Uint16Array((strip.length / channels) * 4)
        for (let from = 0, to = 0; from < strip.length; from += channels, to += 4) {
          out[to] = (strip[from + red] ?? 0) * 257
          out[to + 1] = (strip[from + green] ?? 0) * 257
          out[to + 2] = (strip[from + blue] ?? 0) * 257
          out[to + 3] = channels % 2 ? 65535 : (strip[from + alpha] ?? 0) * 257
        }
        yield out
      }
    },
  }
}

/** Returns a 16-bit picture rounded to 8-bit RGBA. */
export function toRaster8({ width, height, rows }: Raster16): Raster & { readonly channels: 4 } {
  return {
    width,
    height,
    channels: 4,
    async *rows() {
      for await (const strip of rows()) {
        const out = new Uint8Array(strip.length)
        for (let i = 0; i < strip.length; i++) out[i] = Math.round(strip[i]! / 257)
        yield out
        discard(out)
      }
    },
  }
}

/** Returns the 16-bit picture without transparency, drawn on white. */
export function onWhite16({ width, height, rows }: Raster16): Raster16 {
  return {
    width,
    height,
    async *rows() {
      for await (const strip of rows()) {
        const out = new Uint16Array(strip.length)
        for (let i = 0; i < strip.length; i += 4) {
          const alpha = strip[i + 3] ?? 0
          for (let c = 0; c < 3; c++) out[i + c] = Math.round(((strip[i + c] ?? 0) * alpha + 65535 * (65535 - alpha)) / 65535)
          out[i + 3] = 65535
        }
        yield out
      }
    },
  }
}

/** Reduces the picture with Lanczos windows and colours weighted by alpha, like `resizedByOpacity`, but without rounding to 8 bits. */
export function resizedByOpacity16(deep: Raster16, width: number, height: number): Raster16 {
  const across = lanczosWindows(deep.width, width)
  const down = lanczosWindows(deep.height, height)
  const rowLength = width * 4
  return {
    width,
    height,
    async *rows() {
      const scaledRows = new Map<number, Float32Array>()
      let [y, next] = [0, 0]
      const perStrip = Math.ceil(stripRows(width, 8))
      let strip: Uint16Array[] = []
      for await (const rows of deep.rows()) {
        for (let at = 0; at < rows.length; at += deep.width * 4, y++) {
          scaledRows.set(y, acrossRow(rows.subarray(at, at + deep.width * 4), across))
          for (let taps = down[next]; taps && taps.first + taps.weights.length - 1 <= y; taps = down[++next]) {
            strip.push(unweighed(summed(scaledRows, taps, rowLength)))
            if (strip.length === perStrip) yield joined(strip.splice(0), rowLength)
          }
          const first = down[next]?.first ?? y + 1
          for (const row of scaledRows.keys()) if (row < first) scaledRows.delete(row)
        }
      }
      if (strip.length > 0) yield joined(strip, rowLength)
      strip = []
    },
  }
}

type Windows = ReturnType<typeof lanczosWindows>

/** Scales a row to its new width. Colours are multiplied by alpha (0 to 1). */
function acrossRow(row: Uint16Array, across: Windows): Float32Array {
  const out = new Float32Array(across.length * 4)
  let to = 0
  for (const { first, weights } of across) {
    let [red, green, blue, alpha] = [0, 0, 0, 0]
    for (let i = 0, from = first * 4; i < weights.length; i++, from += 4) {
      const weight = (weights[i]! * row[from + 3]!) / 65535
      red += weight * row[from]!
      green += weight * row[from + 1]!
      blue += weight * row[from + 2]!
      alpha += weight
    }
    out[to++] = red
    out[to++] = green
    out[to++] = blue
    out[to++] = alpha
  }
  return out
}

function summed(scaledRows: ReadonlyMap<number, Float32Array>, { first, weights }: Windows[number], length: number): Float32Array {
  const out = new Float32Array(length)
  weights.forEach((weight, i) => {
    const row = scaledRows.get(first + i)
    if (row) for (let at = 0; at < length; at++) out[at]! += weight * row[at]!
  })
  return out
}

function unweighed(row: Float32Array): Uint16Array {
  const out = new Uint16Array(row.length)
  const clamped = (value: number) => Math.min(65535, Math.max(0, Math.round(value)))
  for (let i = 0; i < row.length; i += 4) {
    const alpha = row[i + 3]!
    for (let c = 0; c < 3 && alpha > 0; c++) out[i + c] = clamped(row[i + c]! / alpha)
    out[i + 3] = clamped(alpha * 65535)
  }
  return out
}

function joined(rows: readonly Uint16Array[], rowLength: number): Uint16Array {
  const out = new Uint16Array(rows.length * rowLength)
  rows.forEach((row, i) => void out.set(row, i * rowLength))
  return out
}

/** Yields the bytes of each strip of samples, little-endian. */
export async function* rowsAsBytes(rows: AsyncIterable<Uint16Array>): AsyncGenerator<Uint8Array> {
  for await (const strip of rows) yield new Uint8Array(strip.buffer, strip.byteOffset, strip.byteLength)
}

/**
 * Converts 8-bit RGBA rows to 16 bits a sample (255 becomes 65535, little-endian), in strips of limited size. @param rows strips of whole
 * rows of `width` pixels
 */
export async function* as16Bits(rows: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, width: number): AsyncGenerator<Uint8Array> {
  const step = stripRows(width, 8) * width * 4
  for await (const strip of rows) {
    for (let at = 0; at < strip.length; at += step) {
      const narrow = strip.subarray(at, at + step)
      const wide = new Uint8Array(narrow.length * 2)
      for (let i = 0; i < narrow.length; i++) wide[2 * i] = wide[2 * i + 1] = narrow[i]!
      yield wide
      discard(wide)
    }
  }
}
