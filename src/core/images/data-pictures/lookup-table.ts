/** Colour lookup tables stored as pictures: a cube of colours, unrolled into squares or along the rows (Hald CLUT). */
import type { PictureForm, SampleRow } from './data-statistics.ts'

/** Where a pixel lies in the cube, each coordinate from 0 to 1. */
type Place = (x: number, y: number) => readonly [red: number, green: number, blue: number]

/** Graded tables still follow the cube they began as; photographs of such a size do not, in any channel. */
const LEAST_CORRELATION = 0.75

/** Correlates the colours with the places of their pixels. */
class LookupTable {
  readonly #form: PictureForm
  readonly #place: Place
  readonly #sums = [0, 1, 2].map(() => ({ a: 0, b: 0, aa: 0, bb: 0, ab: 0 }))
  #pixels = 0

  constructor(form: PictureForm, place: Place) {
    this.#form = form
    this.#place = place
  }

  add(row: SampleRow, y: number): void {
    const { width, channels, most } = this.#form
    for (let x = 0; x < width; x++) {
      const place = this.#place(x, y)
      for (let c = 0; c < 3; c++) {
        const [sums, a, b] = [this.#sums[c]!, place[c]!, row[x * channels + c]! / most]
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

/** Colours a side of the largest cube in common use. */
const MOST_SIDE = 65

/** Meters for every way in which a picture of this size may hold a cube; undefined where there is none. */
export function lookupTable(form: PictureForm): { add(row: SampleRow, y: number): void; matches(): boolean } | undefined {
  if (form.channels < 3) return undefined
  const tables = placesOf(form).map((place) => new LookupTable(form, place))
  if (tables.length === 0) return undefined
  return {
    add: (row, y) => {
      for (const table of tables) table.add(row, y)
    },
    matches: () => tables.some((table) => table.matches()),
  }
}

function placesOf({ width, height }: PictureForm): Place[] {
  const places: Place[] = []
  const level = Math.round(Math.cbrt(width))
  if (width === height && level >= 2 && level ** 3 === width) places.push(hald(width, level * level))
  if (width === height * height && height >= 8 && height <= MOST_SIDE) places.push(tiles(height, height))
  if (height === width * width && width >= 8 && width <= MOST_SIDE) places.push(tiles(width, 1))
  const across = Math.round(Math.sqrt(Math.cbrt(width * height)))
  if (width === height && across >= 4 && across ** 3 === width) places.push(tiles(across * across, across))
  return places
}

/** Hald: the cube counted along the rows, red first. */
const hald =
  (width: number, side: number): Place =>
  (x, y) => {
    const at = y * width + x
    return [(at % side) / (side - 1), (Math.floor(at / side) % side) / (side - 1), Math.floor(at / (side * side)) / (side - 1)]
  }

/** Squares of red and green, one for each blue. */
const tiles =
  (side: number, across: number): Place =>
  (x, y) => {
    const blue = Math.floor(y / side) * across + Math.floor(x / side)
    return [(x % side) / (side - 1), (y % side) / (side - 1), Math.min(1, blue / (side - 1))]
  }
