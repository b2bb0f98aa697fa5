/** Encodes bilevel images as CCITT Group 4 (ITU-T T.6). */
import { BitWriter } from '../bits.ts'
import { BLACK_RUN_CODES, type Code, END_OF_LINE, HORIZONTAL, PASS, VERTICAL_CODES, WHITE_RUN_CODES } from './codes.ts'

const LONGEST_RUN = 2560

/** Encodes row by row. A 0 bit is black, as with /BlackIs1 false (ISO 32000-2, table 11). */
export class FaxEncoder {
  private readonly width: number
  private readonly rowBytes: number
  private readonly out: BitWriter
  /** Changing elements of the previous row, followed by four sentinels. */
  private reference: Int32Array
  private referenceCount = 0
  private current: Int32Array

  /** @param budget size limit in bytes; the encoder stops and `full` is true when it is reached */
  constructor(width: number, budget: number) {
    this.width = width
    this.rowBytes = (width + 7) >> 3
    this.out = new BitWriter(budget)
    this.reference = new Int32Array(width + 4).fill(width, 0, 4)
    this.current = new Int32Array(width + 4)
  }

  get full(): boolean {
    return this.out.full
  }

  /** Adds whole rows, each padded to a byte. */
  push(rows: Uint8Array): void {
    for (let at = 0; at + this.rowBytes <= rows.length && !this.full; at += this.rowBytes) this.line(rows.subarray(at, at + this.rowBytes))
  }

  /** Ends the picture and returns its bytes. `undefined`: they exceed the budget. */
  end(): Uint8Array | undefined {
    this.put(END_OF_LINE)
    this.put(END_OF_LINE)
    return this.full ? undefined : this.out.finish()
  }

  /** Finds the positions in `current` where the colour changes, and returns their number. The row starts white. */
  private changes(row: Uint8Array): number {
    const width = this.width
    const current = this.current
    let count = 0
    let colour = 1
    for (let index = 0; index < row.length; index++) {
      const byte = row[index]!
      if (byte === (colour ? 255 : 0)) continue
      for (let bit = 0; bit < 8; bit++) {
        const pixel = (byte >> (7 - bit)) & 1
        if (pixel === colour) continue
        const x = index * 8 + bit
        if (x >= width) break
        current[count++] = x
        colour = pixel
      }
    }
    current.fill(width, count, count + 4)
    return count
  }

  /** Encodes a row in pass, vertical and horizontal mode (T.6, 2.2). */
  private line(row: Uint8Array): void {
    const width = this.width
    const reference = this.reference
    const referenceCount = this.referenceCount
    const count = this.changes(row)
    const current = this.current
    let a0 = -1
    let at = 0
    let b = 0
    let white = true
    while (a0 < width) {
      // b1 is the first changing element of the previous row that is right of a0 and has the opposite colour of a0.
      while (b > 0 && reference[b - 1]! > a0) b--
      while (b < referenceCount && (reference[b]! <= a0 || (b & 1) !== (white ? 0 : 1))) b++
      const b1 = b < referenceCount ? reference[b]! : width
      const b2 = b + 1 < referenceCount ? reference[b + 1]! : width
      const a1 = at < count ? current[at]! : width
      const shift = a1 - b1
      if (b2 < a1) {
        this.put(PASS)
        a0 = b2
      } else if (shift >= -3 && shift <= 3) {
        this.put(VERTICAL_CODES[shift + 3]!)
        a0 = a1
        at++
        white = !white
      } else {
        const a2 = at + 1 < count ? current[at + 1]! : width
        this.put(HORIZONTAL)
        this.run(white ? WHITE_RUN_CODES : BLACK_RUN_CODES, a1 - Math.max(a0, 0))
        this.run(white ? BLACK_RUN_CODES : WHITE_RUN_CODES, a2 - a1)
        a0 = a2
        at += 2
      }
    }
    this.current = reference
    this.reference = current
    this.referenceCount = count
  }

  private put(code: Code): void {
    this.out.put(code[0], code[1])
  }

  private run(codes: readonly Code[], length: number): void {
    let rest = length
    for (; rest >= LONGEST_RUN; rest -= LONGEST_RUN) this.put(codes[63 + LONGEST_RUN / 64]!)
    if (rest >= 64) this.put(codes[63 + (rest >> 6)]!)
    this.put(codes[rest & 63]!)
  }
}

/** Encodes rows of bits (0 for white), each padded to a byte. `undefined`: the result would need `budget` bytes or more. */
export function encodeGroup4(rows: Uint8Array, width: number, budget: number): Uint8Array | undefined {
  const encoder = new FaxEncoder(width, budget)
  // The encoder expects 0 for black, so the bits are inverted.
  encoder.push(rows.map((byte) => ~byte))
  return encoder.end()
}
