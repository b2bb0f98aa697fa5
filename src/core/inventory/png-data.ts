/** Values of 16-bit grey PNG files with a narrow range: heights, depths and counts, which programs read as numbers. */
import { Digest } from './digest.ts'
import type { Fields } from './fields.ts'
import type { FileView } from './file-view.ts'
import { inflated } from './inflate.ts'
import type { InventoryBuilder } from './inventory.ts'

/** Range of values from which on a picture counts as a photograph, as in the acceptance tests. */
const PHOTOGRAPH_RANGE = 16_384
const MOST_SAMPLE_BYTES = 64 * 1024 * 1024
/** Most ranges of compressed data; a file with more is not examined. */
const MOST_RANGES = 10_000
/** Bytes of a 16-bit grey pixel. */
const PIXEL_BYTES = 2

/** True for the IHDR content of 16-bit grey without interlacing (W3C PNG, 11.2.1), up to a size limit. */
export function isExaminedForData(header: Fields): boolean {
  const [width, height] = [header.u32(0), header.u32(4)]
  return header.u8(8) === 16 && header.u8(9) === 0 && header.u8(12) === 0 && width * height * PIXEL_BYTES <= MOST_SAMPLE_BYTES
}

/** Collects the compressed data of the picture and reads its values. */
export class DataValues {
  readonly #view: FileView
  readonly #ranges: { readonly at: number; readonly length: number }[] = []
  readonly #rowBytes: number
  readonly #height: number
  readonly #seen = new Uint8Array(65_536)

  constructor(view: FileView, header: Fields) {
    this.#view = view
    this.#rowBytes = header.u32(0) * PIXEL_BYTES
    this.#height = header.u32(4)
  }

  /** Notes the range of one IDAT chunk. */
  take(at: number, length: number): void {
    if (this.#ranges.length <= MOST_RANGES) this.#ranges.push({ at, length })
  }

  /** Adds an item if the range of values is narrow. A damaged picture has none, because the codec rejects it. */
  async addTo(builder: InventoryBuilder): Promise<void> {
    if (this.#ranges.length > MOST_RANGES) return
    const digest = await this.#digest()
    const [lowest, highest] = [this.#seen.indexOf(1), this.#seen.lastIndexOf(1)]
    if (digest === undefined || highest - lowest >= PHOTOGRAPH_RANGE || this.#isEightBit()) return
    const values = this.#seen.reduce((sum, isThere) => sum + isThere, 0)
    builder.add('data_values', `values = ${values} from ${lowest} to ${highest} #${digest}`)
  }

  /** True if every value is an 8-bit value stored in 16 bits, so that 8 bits hold it exactly. */
  #isEightBit(): boolean {
    return this.#seen.every((isThere, value) => isThere === 0 || value % 257 === 0)
  }

  /** Digest of the samples as big-endian bytes. `undefined`: the data is damaged. */
  async #digest(): Promise<string | undefined> {
    const hash = new Digest()
    let [row, above] = [new Uint8Array(this.#rowBytes + 1), new Uint8Array(this.#rowBytes + 1)]
    let [filled, rows] = [0, 0]
    try {
      for await (const piece of inflated(this.#chunks(), { wrapper: 'zlib', maxBytes: (this.#rowBytes + 1) * this.#height }))
        for (let at = 0; at < piece.length; ) {
          const taken = Math.min(piece.length - at, row.length - filled)
          row.set(piece.subarray(at, at + taken), filled)
          at += taken
          filled += taken
          if (filled < row.length) break
          if (!unfilter(row, above)) return undefined
          this.#note(row)
          hash.update(row.subarray(1))
          ;[row, above, filled] = [above, row, 0]
          rows++
        }
    } catch {
      return undefined
    }
    return rows === this.#height ? hash.finish() : undefined
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    for (const { at, length } of this.#ranges) yield* this.#view.chunks(at, length)
  }

  #note(row: Uint8Array): void {
    for (let i = 1; i < row.length; i += PIXEL_BYTES) this.#seen[(row[i]! << 8) | row[i + 1]!] = 1
  }
}

/** Reverses the filter of a row in place (W3C PNG, 9.2). The first byte is the filter type. False: unknown type. */
function unfilter(row: Uint8Array, above: Uint8Array): boolean {
  const left = (i: number) => (i > PIXEL_BYTES ? row[i - PIXEL_BYTES]! : 0)
  const type = row[0]!
  if (type === 0) return true
  if (type > 4) return false
  for (let i = 1; i < row.length; i++) {
    const [a, b] = [left(i), above[i]!]
    const c = i > PIXEL_BYTES ? above[i - PIXEL_BYTES]! : 0
    row[i] = row[i]! + (type === 1 ? a : type === 2 ? b : type === 3 ? (a + b) >> 1 : paeth(a, b, c))
  }
  return true
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
}
