/** Parameters of a lossless JPEG (ITU-T T.81, annex H) with all components in one scan and all 17 categories in codes of 2 to 16 bits. */
export interface LosslessJpeg {
  readonly width: number
  readonly height: number
  readonly bits: number
  readonly predictor: number
  readonly shift?: number
  /** Samples per pixel. Default: 1. */
  readonly components?: number
  /** Rows between restart markers. Default: no restart markers. */
  readonly restartLines?: number
}

/** Code lengths of the categories 0–16: short codes for small differences, and some longer than any lookup table. */
const LENGTHS = [3, 3, 3, 3, 4, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]

function codes(): { code: number; length: number }[] {
  let [next, last] = [0, LENGTHS[0]!]
  return LENGTHS.map((length) => {
    next <<= length - last
    last = length
    return { code: next++, length }
  })
}

export function encodeLosslessJpeg(samples: ArrayLike<number>, frame: LosslessJpeg): Uint8Array {
  const { width, height, bits, predictor, shift = 0, restartLines = 0, components = 1 } = frame
  const table = codes()
  const numbers = Array.from({ length: components }, (_, c) => c)
  const row = width * components
  const out: number[] = []
  const segment = (marker: number, body: number[]) => out.push(0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255, ...body)
  const short = (value: number) => [value >> 8, value & 255]
  out.push(0xff, 0xd8)
  segment(0xc4, [0, ...Array.from({ length: 16 }, (_, i) => LENGTHS.filter((length) => length === i + 1).length), ...LENGTHS.keys()])
  segment(0xc3, [bits, ...short(height), ...short(width), components, ...numbers.flatMap((c) => [c + 1, 0x11, 0])])
  if (restartLines) segment(0xdd, short(restartLines * width))
  segment(0xda, [components, ...numbers.flatMap((c) => [c + 1, 0]), predictor, 0, shift])
  let [pending, count] = [0, 0]
  const put = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) {
      pending = (pending << 1) | ((value >> i) & 1)
      if (++count < 8) continue
      out.push(pending)
      if (pending === 0xff) out.push(0)
      pending = count = 0
    }
  }
  const flush = () => put(0xff, count ? 8 - count : 0)
  const at = (x: number, y: number) => samples[y * row + x]! >> shift
  let first = true
  for (let y = 0; y < height; y++) {
    if (restartLines && y > 0 && y % restartLines === 0) {
      flush()
      out.push(0xff, 0xd0 + ((y / restartLines - 1) & 7))
      first = true
    }
    for (let x = 0; x < row; x++) {
      let expected: number
      if (x < components) expected = first ? 1 << (bits - shift - 1) : at(x, y - 1)
      else if (first) expected = at(x - components, y)
      else {
        const [a, b, c] = [at(x - components, y), at(x, y - 1), at(x - components, y - 1)]
        expected = [0, a, b, c, a + b - c, a + ((b - c) >> 1), b + ((a - c) >> 1), (a + b) >> 1][predictor]!
      }
      const difference = ((at(x, y) - expected) << 16) >> 16
      const category = difference === -32_768 ? 16 : 32 - Math.clz32(Math.abs(difference))
      put(table[category]!.code, table[category]!.length)
      if (category > 0 && category < 16) put(difference < 0 ? difference + (1 << category) - 1 : difference, category)
    }
    first = false
  }
  flush()
  out.push(0xff, 0xd9)
  return Uint8Array.from(out)
}
