/** CCITT Group 4 back to rows (ITU-T T.6). Data that is damaged in any way is an error: readers differ in how they go on. */

import { BLACK, type Code, HORIZONTAL, PASS, VERTICAL, WHITE } from '../../../bytes/fax/codes.ts'
import { PdfSyntax } from '../objects.ts'

type Table = ReadonlyMap<number, number>

/** Codes as one key: a leading 1 bit, then the code. */
const table = (codes: readonly Code[]): Table => new Map(codes.map(([bits, length], index) => [(1 << length) | bits, index]))
const keyOf = ([bits, length]: Code) => (1 << length) | bits

const WHITE_RUNS = table(WHITE)
const BLACK_RUNS = table(BLACK)
const PASS_MODE = 7
const HORIZONTAL_MODE = 8
const MODES: Table = new Map([
  ...VERTICAL.map((code, index): [number, number] => [keyOf(code), index]),
  [keyOf(PASS), PASS_MODE],
  [keyOf(HORIZONTAL), HORIZONTAL_MODE],
])
const LONGEST_CODE = 13

class Bits {
  private readonly bytes: Uint8Array
  private bit = 0
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
  symbol(codes: Table): number {
    let key = 1
    for (let length = 1; length <= LONGEST_CODE; length++) {
      const byte = this.bytes[this.bit >> 3]
      if (byte === undefined) throw new PdfSyntax('fax data ends early')
      key = (key << 1) | ((byte >> (7 - (this.bit & 7))) & 1)
      this.bit++
      const found = codes.get(key)
      if (found !== undefined) return found
    }
    throw new PdfSyntax('invalid fax code')
  }
  run(codes: Table): number {
    let length = 0
    for (;;) {
      const index = this.symbol(codes)
      if (index < 64) return length + index
      length += (index - 63) * 64
    }
  }
}

/** Rows of packed bits, 0 is black. */
export function* decodeFax(bytes: Uint8Array, width: number, height: number): Generator<Uint8Array> {
  const bits = new Bits(bytes)
  let reference: number[] = []
  for (let y = 0; y < height; y++) {
    const current: number[] = []
    let a0 = -1
    let b = 0
    let white = true
    while (a0 < width) {
      while (b > 0 && reference[b - 1]! > a0) b--
      while (b < reference.length && (reference[b]! <= a0 || (b & 1) !== (white ? 0 : 1))) b++
      const b1 = reference[b] ?? width
      const b2 = reference[b + 1] ?? width
      const mode = bits.symbol(MODES)
      let next: number
      if (mode === PASS_MODE) next = b2
      else if (mode === HORIZONTAL_MODE) {
        const a1 = Math.max(a0, 0) + bits.run(white ? WHITE_RUNS : BLACK_RUNS)
        next = a1 + bits.run(white ? BLACK_RUNS : WHITE_RUNS)
        current.push(a1, next)
      } else {
        next = b1 + mode - 3
        current.push(next)
        white = !white
      }
      if (next > width || next < Math.max(a0, 0) || (next === a0 && mode !== HORIZONTAL_MODE))
        throw new PdfSyntax('fax line of another length')
      a0 = next
    }
    yield paint(current, width)
    reference = current.filter((x) => x < width)
  }
}

function paint(changes: readonly number[], width: number): Uint8Array {
  const row = new Uint8Array((width + 7) >> 3).fill(255)
  for (let i = 0; i < changes.length; i += 2) {
    const end = Math.min(width, changes[i + 1] ?? width)
    for (let x = changes[i]!; x < end; x++) row[x >> 3] = row[x >> 3]! & ~(128 >> (x & 7))
  }
  return row
}
