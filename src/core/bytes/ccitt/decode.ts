/**
 * Decodes fax data to rows of bits, 0 for white: CCITT modified Huffman, Group 3 and Group 4 (ITU-T T.4 and T.6; TIFF 6.0, sections 10
 * and 11). Readers handle damaged rows differently, so any irregularity is an error, and the picture stays unchanged.
 */
import { EngineError } from '../../../../wasm/engine-error.ts'
import { BitReader } from '../bits.ts'
import { BLACK_RUN_CODES, type Code, HORIZONTAL, PASS, VERTICAL_CODES, WHITE_RUN_CODES } from './codes.ts'

/** Coding: `rle` has one-dimensional rows aligned to bytes, `g3` has an end-of-line code before each row, `g4` has no separators. */
type FaxKind = 'rle' | 'g3' | 'g4'

export interface FaxOptions {
  readonly kind: FaxKind
  /** T4Options, bit 0: a tag bit after each end of line tells whether the row is coded one-dimensionally. */
  readonly twoDimensional: boolean
  readonly width: number
  readonly height: number
}

const LONGEST_CODE = 13
/** Fewest zeros before the one of an end-of-line code (T.4, 4.1.2). */
const ZEROS_OF_END_OF_LINE = 11
const PASS_MODE = 7
const HORIZONTAL_MODE = 8

/** Lookup table by code, with a leading 1 bit: value of the code, or −1. */
type Table = Int16Array

function tableOf(codes: readonly (readonly [Code, number])[]): Table {
  const table = new Int16Array(1 << (LONGEST_CODE + 1)).fill(-1)
  for (const [[bits, length], value] of codes) table[(1 << length) | bits] = value
  return table
}

const WHITE_RUNS = tableOf(WHITE_RUN_CODES.map((code, index) => [code, index]))
const BLACK_RUNS = tableOf(BLACK_RUN_CODES.map((code, index) => [code, index]))
const MODES = tableOf([...VERTICAL_CODES.map((code, index) => [code, index] as const), [PASS, PASS_MODE], [HORIZONTAL, HORIZONTAL_MODE]])

class FaxBits extends BitReader {
  protected override ended(): Error {
    return new EngineError('fax', 'damaged', 'the data ends early')
  }

  symbol(table: Table): number {
    let key = 1
    for (let length = 1; length <= LONGEST_CODE; length++) {
      key = (key << 1) | this.bit()
      const found = table[key]!
      if (found >= 0) return found
    }
    throw new EngineError('fax', 'damaged', 'unknown code')
  }

  /** Returns a run length: any number of make-up codes, then a terminating code (T.4, 4.1.1). `most`: largest length in pixels. */
  run(table: Table, most: number): number {
    let length = 0
    for (;;) {
      const index = this.symbol(table)
      length += index < 64 ? index : (index - 63) * 64
      if (length > most) throw new EngineError('fax', 'damaged', 'a run is longer than the row')
      if (index < 64) return length
    }
  }

  endOfLine(): void {
    let zeros = 0
    while (this.bit() === 0) zeros++
    if (zeros < ZEROS_OF_END_OF_LINE) throw new EngineError('fax', 'damaged', 'an end-of-line code is missing')
  }
}

/**
 * Yields rows, each padded with zeros to a byte. All rows share one buffer.
 * @throws EngineError `damaged`
 */
export function* decodeFaxRows(bytes: Uint8Array, { kind, twoDimensional, width, height }: FaxOptions): Generator<Uint8Array> {
  const bits = new FaxBits(bytes)
  const row = new Uint8Array((width + 7) >> 3)
  /** Positions where the colour changes in the row above. Rows begin white. */
  let above: number[] = []
  let changes: number[] = []
  for (let y = 0; y < height; y++) {
    changes.length = 0
    if (kind === 'rle') bits.toByte()
    if (kind === 'g3') bits.endOfLine()
    if (kind === 'g4' || (kind === 'g3' && twoDimensional && bits.bit() === 0)) twoDimensionalRow(bits, above, changes, width)
    else oneDimensionalRow(bits, changes, width)
    paint(row, changes, width)
    yield row
    ;[above, changes] = [changes, above]
  }
}

function oneDimensionalRow(bits: FaxBits, changes: number[], width: number): void {
  let at = 0
  for (let white = true; at < width; white = !white) {
    at += bits.run(white ? WHITE_RUNS : BLACK_RUNS, width - at)
    if (at < width) changes.push(at)
  }
}

/** Decodes a row in pass, vertical and horizontal mode (T.4, 4.2.1.3 and T.6, 2.2). */
function twoDimensionalRow(bits: FaxBits, above: readonly number[], changes: number[], width: number): void {
  const change = (at: number) => {
    if (at < width) changes.push(at)
  }
  let a0 = -1
  let b = 0
  let white = true
  while (a0 < width) {
    // b1 is the first changing element of the row above that is right of a0 and has the opposite colour of a0.
    while (b > 0 && above[b - 1]! > a0) b--
    while (b < above.length && (above[b]! <= a0 || (b & 1) !== (white ? 0 : 1))) b++
    const b1 = above[b] ?? width
    const mode = bits.symbol(MODES)
    let next: number
    if (mode === PASS_MODE) next = above[b + 1] ?? width
    else if (mode === HORIZONTAL_MODE) {
      const from = Math.max(a0, 0)
      const a1 = from + bits.run(white ? WHITE_RUNS : BLACK_RUNS, width - from)
      next = a1 + bits.run(white ? BLACK_RUNS : WHITE_RUNS, width - a1)
      change(a1)
      change(next)
    } else {
      next = b1 + mode - 3
      change(next)
      white = !white
    }
    if (next > width || next < Math.max(a0, 0) || (next === a0 && mode !== HORIZONTAL_MODE))
      throw new EngineError('fax', 'damaged', 'a row is longer than the width of the picture')
    a0 = next
  }
}

function paint(row: Uint8Array, changes: readonly number[], width: number): void {
  row.fill(0)
  for (let i = 0; i < changes.length; i += 2) {
    const end = changes[i + 1] ?? width
    let x = changes[i]!
    for (; x < end && x & 7; x++) row[x >> 3]! |= 0x80 >> (x & 7)
    for (; x + 8 <= end; x += 8) row[x >> 3] = 0xff
    for (; x < end; x++) row[x >> 3]! |= 0x80 >> (x & 7)
  }
}
