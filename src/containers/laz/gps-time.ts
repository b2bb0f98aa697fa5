import { type ArithmeticEncoder, IntegerCompressor } from './arithmetic-encoder.ts'
import { SymbolModel } from './models.ts'

export const MAX_MULTIPLE = 500
export const MIN_MULTIPLE = -10

/**
 * GPS times are 64-bit floats whose bit patterns are differenced as integers.
 * Up to four interleaved time sequences are followed; within one, a step is
 * coded as a small multiple of the previous step plus a remainder.
 *
 * The two dialects differ only in how an unchanged time is signalled: items of
 * version 2 spend symbols on it, layered items (version 3) record the change
 * elsewhere and call this only when the time did change.
 */
export class GpsTimeCompressor {
  private readonly steps: SymbolModel
  private readonly firstStep: SymbolModel
  private readonly integers: IntegerCompressor
  private readonly low = new Int32Array(4)
  private readonly high = new Int32Array(4)
  private readonly diff = new Int32Array(4)
  private readonly extremes = new Uint8Array(4)
  private last = 0
  private next = 0
  /** Symbols by which the tables shift when "unchanged" has a symbol of its own. */
  private readonly extra: 0 | 1
  private readonly unchanged = MAX_MULTIPLE - MIN_MULTIPLE + 1
  private readonly fullCode: number

  private readonly encoder: ArithmeticEncoder

  constructor(encoder: ArithmeticEncoder, codesUnchanged: boolean) {
    this.encoder = encoder

    this.extra = codesUnchanged ? 1 : 0
    this.fullCode = MAX_MULTIPLE - MIN_MULTIPLE + 1 + this.extra
    this.steps = new SymbolModel(MAX_MULTIPLE - MIN_MULTIPLE + 5 + this.extra)
    this.firstStep = new SymbolModel(5 + this.extra)
    this.integers = new IntegerCompressor(encoder, 32, 9)
  }

  reset(low: number, high: number): void {
    this.steps.reset()
    this.firstStep.reset()
    this.integers.reset()
    this.low.fill(0)
    this.high.fill(0)
    this.diff.fill(0)
    this.extremes.fill(0)
    this.last = 0
    this.next = 0
    this.low[0] = low
    this.high[0] = high
  }

  write(low: number, high: number): void {
    const encoder = this.encoder
    const integers = this.integers
    const extra = this.extra
    for (;;) {
      const last = this.last
      const lastDiff = this.diff[last]!
      if (extra === 1 && this.low[last] === low && this.high[last] === high) {
        if (lastDiff === 0) encoder.encodeSymbol(this.firstStep, 0)
        else encoder.encodeSymbol(this.steps, this.unchanged)
        return
      }
      if (this.isNear(last, low, high)) {
        const diff = (low - this.low[last]!) | 0
        if (lastDiff === 0) {
          encoder.encodeSymbol(this.firstStep, extra)
          integers.compress(0, diff, 0)
          this.diff[last] = diff
          this.extremes[last] = 0
        } else {
          this.writeMultiple(last, lastDiff, diff)
        }
        this.low[last] = low
        this.high[last] = high
        return
      }
      const other = this.nearSequence(low, high)
      if (other !== 0) {
        if (lastDiff === 0) encoder.encodeSymbol(this.firstStep, other + 1 + extra)
        else encoder.encodeSymbol(this.steps, this.fullCode + other)
        this.last = (last + other) & 3
        continue
      }
      if (lastDiff === 0) encoder.encodeSymbol(this.firstStep, 1 + extra)
      else encoder.encodeSymbol(this.steps, this.fullCode)
      integers.compress(this.high[last]!, high, 8)
      encoder.writeInt(low)
      this.next = (this.next + 1) & 3
      this.last = this.next
      this.diff[this.last] = 0
      this.extremes[this.last] = 0
      this.low[this.last] = low
      this.high[this.last] = high
      return
    }
  }

  private writeMultiple(last: number, lastDiff: number, diff: number): void {
    const encoder = this.encoder
    const integers = this.integers
    const steps = this.steps
    const ratio = Math.fround(Math.fround(diff) / Math.fround(lastDiff))
    const multiple = (ratio >= 0 ? ratio + 0.5 : ratio - 0.5) | 0
    if (multiple === 1) {
      encoder.encodeSymbol(steps, 1)
      integers.compress(lastDiff, diff, 1)
      this.extremes[last] = 0
    } else if (multiple > 0 && multiple < MAX_MULTIPLE) {
      encoder.encodeSymbol(steps, multiple)
      integers.compress(Math.imul(multiple, lastDiff), diff, multiple < 10 ? 2 : 3)
    } else if (multiple < 0 && multiple > MIN_MULTIPLE) {
      encoder.encodeSymbol(steps, MAX_MULTIPLE - multiple)
      integers.compress(Math.imul(multiple, lastDiff), diff, 5)
    } else {
      if (multiple > 0) {
        encoder.encodeSymbol(steps, MAX_MULTIPLE)
        integers.compress(Math.imul(MAX_MULTIPLE, lastDiff), diff, 4)
      } else if (multiple < 0) {
        encoder.encodeSymbol(steps, MAX_MULTIPLE - MIN_MULTIPLE)
        integers.compress(Math.imul(MIN_MULTIPLE, lastDiff), diff, 6)
      } else {
        encoder.encodeSymbol(steps, 0)
        integers.compress(0, diff, 7)
      }
      // After four steps out of range in a row the reference step is replaced.
      if (++this.extremes[last]! > 3) {
        this.diff[last] = diff
        this.extremes[last] = 0
      }
    }
  }

  /** Whether the 64-bit difference from a sequence's last time fits an int32. */
  private isNear(sequence: number, low: number, high: number): boolean {
    const lastLow = this.low[sequence]!
    const diffLow = (low - lastLow) | 0
    const borrow = low >>> 0 < lastLow >>> 0 ? 1 : 0
    const diffHigh = (high - this.high[sequence]! - borrow) | 0
    return diffHigh === diffLow >> 31
  }

  private nearSequence(low: number, high: number): number {
    for (let i = 1; i < 4; i++) {
      if (this.isNear((this.last + i) & 3, low, high)) return i
    }
    return 0
  }
}
