/** Detects colour lookup tables stored as pictures: a cube of colours, unrolled into squares or along the rows (Hald CLUT). */
import type { PictureForm, SampleRow } from './data-statistics.ts'
import { LEAST_CORRELATION, MOST_CUBE_SIDE } from './tuning.ts'

/** Position of a pixel in the colour cube, each coordinate from 0 to 1. */
type CubePosition = (x: number, y: number) => readonly [red: number, green: number, blue: number]

/** Correlates the colours of pixels with their positions in the colour cube. */
class LookupTable {
  readonly #form: PictureForm
  readonly #position: CubePosition
  readonly #sums = [0, 1, 2].map(() => ({ a: 0, b: 0, aa: 0, bb: 0, ab: 0 }))
  #pixels = 0

  constructor(form: PictureForm, position: CubePosition) {
    this.#form = form
    this.#position = position
  }

  add(row: SampleRow, y: number): void {
    const { width, channels, most } = this.#form
    for (let x = 0; x < width; x++) {
      const position = this.#position(x, y)
      for (let c = 0; c < 3; c++) {
        const [sums, a, b] = [this.#sums[c]!, position[c]!, row[x * channels + c]! / most]
        sums.a += a
        sums.b += b
        sums.aa += a * a
        sums.bb += b * b
        sums.ab += a * b
      }
    }
    this.#pixels += width
  }

  matches(): boolean {
    return this.#sums.every(({ a, b, aa, bb, ab }) => {
      const n = this.#pixels
      const spread = Math.sqrt((aa - (a * a) / n) * (bb - (b * b) / n))
      return spread > 0 && Math.abs(ab - (a * b) / n) / spread >= LEAST_CORRELATION
    })
  }
}

/** Correlation meters for every layout of a cube that fits this picture size. `undefined`: no layout fits. */
export function lookupTable(form: PictureForm): { add(row: SampleRow, y: number): void; matches(): boolean } | undefined {
  if (form.channels < 3) return undefined
  const tables = layoutsOf(form).map((position) => new LookupTable(form, position))
  if (tables.length === 0) return undefined
  return {
    add: (row, y) => {
      for (const table of tables) table.add(row, y)
    },
    matches: () => tables.some((table) => table.matches()),
  }
}

function layoutsOf({ width, height }: PictureForm): CubePosition[] {
  const layouts: CubePosition[] = []
  const level = Math.round(Math.cbrt(width))
  if (width === height && level >= 2 && level ** 3 === width) layouts.push(hald(width, level * level))
  if (width === height * height && height >= 8 && height <= MOST_CUBE_SIDE) layouts.push(tiles(height, height))
  if (height === width * width && width >= 8 && width <= MOST_CUBE_SIDE) layouts.push(tiles(width, 1))
  const across = Math.round(Math.sqrt(Math.cbrt(width * height)))
  if (width === height && across >= 4 && across ** 3 === width) layouts.push(tiles(across * across, across))
  return layouts
}

/** Hald layout of a colour cube: colours are counted along the rows, red first. */
const hald =
  (width: number, side: number): CubePosition =>
  (x, y) => {
    const at = y * width + x
    return [(at % side) / (side - 1), (Math.floor(at / side) % side) / (side - 1), Math.floor(at / (side * side)) / (side - 1)]
  }

/** Layout of a colour cube as squares of red and green, one square for each blue. */
const tiles =
  (side: number, across: number): CubePosition =>
  (x, y) => {
    const blue = Math.floor(y / side) * across + Math.floor(x / side)
    return [(x % side) / (side - 1), (y % side) / (side - 1), Math.min(1, blue / (side - 1))]
  }
