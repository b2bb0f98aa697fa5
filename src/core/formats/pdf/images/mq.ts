/** Adaptive arithmetic coder of JBIG2, the MQ coder (ITU-T T.88, annex E), with one byte of state per context. */

/**
 * Probability states (ITU-T T.88, table E.1): probability, next state after the more and the less probable symbol, and a flag that swaps
 * the symbols.
 */
const STATES: readonly (readonly [qe: number, more: number, less: number, swap: number])[] = [
  [0x5601, 1, 1, 1],
  [0x3401, 2, 6, 0],
  [0x1801, 3, 9, 0],
  [0x0ac1, 4, 12, 0],
  [0x0521, 5, 29, 0],
  [0x0221, 38, 33, 0],
  [0x5601, 7, 6, 1],
  [0x5401, 8, 14, 0],
  [0x4801, 9, 14, 0],
  [0x3801, 10, 14, 0],
  [0x3001, 11, 17, 0],
  [0x2401, 12, 18, 0],
  [0x1c01, 13, 20, 0],
  [0x1601, 29, 21, 0],
  [0x5601, 15, 14, 1],
  [0x5401, 16, 14, 0],
  [0x5101, 17, 15, 0],
  [0x4801, 18, 16, 0],
  [0x3801, 19, 17, 0],
  [0x3401, 20, 18, 0],
  [0x3001, 21, 19, 0],
  [0x2801, 22, 19, 0],
  [0x2401, 23, 20, 0],
  [0x2201, 24, 21, 0],
  [0x1c01, 25, 22, 0],
  [0x1801, 26, 23, 0],
  [0x1601, 27, 24, 0],
  [0x1401, 28, 25, 0],
  [0x1201, 29, 26, 0],
  [0x1101, 30, 27, 0],
  [0x0ac1, 31, 28, 0],
  [0x09c1, 32, 29, 0],
  [0x08a1, 33, 30, 0],
  [0x0521, 34, 31, 0],
  [0x0441, 35, 32, 0],
  [0x02a1, 36, 33, 0],
  [0x0221, 37, 34, 0],
  [0x0141, 38, 35, 0],
  [0x0111, 39, 36, 0],
  [0x0085, 40, 37, 0],
  [0x0049, 41, 38, 0],
  [0x0025, 42, 39, 0],
  [0x0015, 43, 40, 0],
  [0x0009, 44, 41, 0],
  [0x0005, 45, 42, 0],
  [0x0001, 45, 43, 0],
  [0x5601, 46, 46, 0],
]
/** Probabilities and next states, indexed by state × 2 + more probable symbol. */
const QE = Uint16Array.from(STATES.flatMap(([qe]) => [qe, qe]))
const AFTER_MORE = Uint8Array.from(STATES.flatMap(([, more]) => [more * 2, more * 2 + 1]))
const AFTER_LESS = Uint8Array.from(STATES.flatMap(([, , less, swap]) => [less * 2 + swap, less * 2 + 1 - swap]))

/** MQ encoder (ITU-T T.88, E.2). `full` becomes true once the output exceeds the byte budget. */
export class MqEncoder {
  full = false
  private bytes = new Uint8Array(4096)
  private readonly budget: number
  private readonly contexts: Uint8Array
  /** Index of the last byte, which may still receive a carry; −1 before the first byte. */
  private at = -1
  private c = 0
  private a = 0x8000
  private left = 12

  constructor(contexts: number, budget: number) {
    this.contexts = new Uint8Array(contexts)
    this.budget = budget
  }

  put(context: number, bit: number): void {
    const state = this.contexts[context]!
    const qe = QE[state]!
    this.a -= qe
    if (bit === (state & 1)) {
      if (this.a & 0x8000) {
        this.c += qe
        return
      }
      if (this.a < qe) this.a = qe
      else this.c += qe
      this.contexts[context] = AFTER_MORE[state]!
    } else {
      if (this.a < qe) this.c += qe
      else this.a = qe
      this.contexts[context] = AFTER_LESS[state]!
    }
    do {
      this.a <<= 1
      this.c *= 2
      if (--this.left === 0) this.byteOut()
    } while (!(this.a & 0x8000))
  }

  /** Flushes the MQ encoder (ITU-T T.88, E.2.9) and appends the end marker. */
  end(): Uint8Array {
    const top = this.c + this.a
    this.c = (this.c | 0xffff) >>> 0
    if (this.c >= top) this.c -= 0x8000
    this.c *= 2 ** this.left
    this.byteOut()
    this.c *= 2 ** this.left
    this.byteOut()
    const length = this.at + (this.bytes[this.at] === 0xff ? 0 : 1)
    const out = new Uint8Array(length + 2)
    out.set(this.bytes.subarray(0, length))
    out.set([0xff, 0xac], length)
    return out
  }

  /** Writes one byte of the MQ encoder (BYTEOUT, ITU-T T.88, E.2.7). */
  private byteOut(): void {
    if (this.at >= 0 && this.bytes[this.at] !== 0xff && this.c >= 0x8000000) {
      this.bytes[this.at] = this.bytes[this.at]! + 1
      this.c %= 0x8000000
    }
    const stuffed = this.at >= 0 && this.bytes[this.at] === 0xff
    this.next(Math.floor(this.c / (stuffed ? 0x100000 : 0x80000)))
    this.c %= stuffed ? 0x100000 : 0x80000
    this.left = stuffed ? 7 : 8
  }

  private next(byte: number): void {
    if (this.at + 2 >= this.budget) this.full = true
    if (!this.full) this.at++
    if (this.at === this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2)
      larger.set(this.bytes)
      this.bytes = larger
    }
    this.bytes[this.at] = byte
  }
}

/** MQ decoder (ITU-T T.88, E.3). After the end of the data it reads ones, as the standard requires. */
export class MqDecoder {
  private readonly bytes: Uint8Array
  private readonly contexts: Uint8Array
  private at = 0
  private c = 0
  private a = 0x8000
  private left = 0

  constructor(bytes: Uint8Array, contexts: number) {
    this.bytes = bytes
    this.contexts = new Uint8Array(contexts)
    this.c = ((bytes[0] ?? 0xff) << 16) >>> 0
    this.byteIn()
    this.c = (this.c << 7) >>> 0
    this.left -= 7
  }

  get(context: number): number {
    const state = this.contexts[context]!
    const qe = QE[state]!
    this.a -= qe
    let bit = state & 1
    if (this.c >>> 16 < qe) {
      if (this.a < qe) this.contexts[context] = AFTER_MORE[state]!
      else {
        bit = 1 - bit
        this.contexts[context] = AFTER_LESS[state]!
      }
      this.a = qe
    } else {
      this.c = (this.c - qe * 65_536) >>> 0
      if (this.a & 0x8000) return bit
      if (this.a < qe) {
        bit = 1 - bit
        this.contexts[context] = AFTER_LESS[state]!
      } else this.contexts[context] = AFTER_MORE[state]!
    }
    do {
      if (this.left === 0) this.byteIn()
      this.a <<= 1
      this.c = (this.c << 1) >>> 0
      this.left--
    } while (!(this.a & 0x8000))
    return bit
  }

  /** Reads one byte into the MQ decoder (BYTEIN, ITU-T T.88, E.3.4). */
  private byteIn(): void {
    const next = this.bytes[this.at + 1] ?? 0xff
    if ((this.bytes[this.at] ?? 0xff) === 0xff) {
      if (next > 0x8f) {
        this.c += 0xff00
        this.left = 8
      } else {
        this.at++
        this.c += next << 9
        this.left = 7
      }
    } else {
      this.at++
      this.c += next << 8
      this.left = 8
    }
  }
}
