/**
 * Models for the adaptive arithmetic coding of LAZ: 32-bit interval, byte renormalisation with carry propagation. Symbol models have
 * 15-bit cumulative probabilities, the bit model 13 bits.
 */

export const MODEL_BITS = 15
const MODEL_MAX_TOTAL = 1 << MODEL_BITS
export const BIT_MODEL_BITS = 13
const BIT_MODEL_MAX_TOTAL = 1 << BIT_MODEL_BITS
/** Numbers with more bits than this keep their lower bits unmodelled. */
export const CORRECTOR_HIGH_BITS = 8

/** Adaptive frequencies of an alphabet of 2 to 2048 symbols. */
export class SymbolModel {
  readonly last: number
  /** Cumulative probability below each symbol, scaled to 15 bits. */
  readonly below: Uint16Array
  readonly counts: Uint16Array
  untilUpdate = 0
  private total = 0
  private cycle = 0

  readonly symbols: number

  constructor(symbols: number) {
    this.symbols = symbols

    this.last = symbols - 1
    this.below = new Uint16Array(symbols)
    this.counts = new Uint16Array(symbols)
    this.reset()
  }

  reset(): void {
    this.counts.fill(1)
    this.total = 0
    this.cycle = this.symbols
    this.update()
    // The first update comes earlier than `update` would schedule it.
    this.cycle = (this.symbols + 6) >>> 1
    this.untilUpdate = this.cycle
  }

  update(): void {
    const counts = this.counts
    const below = this.below
    const symbols = this.symbols
    this.total += this.cycle
    if (this.total > MODEL_MAX_TOTAL) {
      let halved = 0
      for (let i = 0; i < symbols; i++) {
        const c = (counts[i]! + 1) >>> 1
        counts[i] = c
        halved += c
      }
      this.total = halved
    }
    const scale = (0x8000_0000 / this.total) >>> 0
    let sum = 0
    for (let i = 0; i < symbols; i++) {
      below[i] = Math.imul(scale, sum) >>> (31 - MODEL_BITS)
      sum += counts[i]!
    }
    const cycle = (5 * this.cycle) >>> 2
    const limit = (symbols + 6) << 3
    this.cycle = cycle > limit ? limit : cycle
    this.untilUpdate = this.cycle
  }
}

/** Adaptive probability of a binary decision. */
export class BitModel {
  zeroProbability = 0
  zeroCount = 0
  untilUpdate = 0
  private total = 0
  private cycle = 0

  constructor() {
    this.reset()
  }

  reset(): void {
    this.zeroCount = 1
    this.total = 2
    this.zeroProbability = 1 << (BIT_MODEL_BITS - 1)
    this.cycle = 4
    this.untilUpdate = 4
  }

  update(): void {
    this.total += this.cycle
    if (this.total > BIT_MODEL_MAX_TOTAL) {
      this.total = (this.total + 1) >>> 1
      this.zeroCount = (this.zeroCount + 1) >>> 1
      if (this.zeroCount === this.total) this.total++
    }
    const scale = (0x8000_0000 / this.total) >>> 0
    this.zeroProbability = Math.imul(this.zeroCount, scale) >>> (31 - BIT_MODEL_BITS)
    const cycle = (5 * this.cycle) >>> 2
    this.cycle = cycle > 64 ? 64 : cycle
    this.untilUpdate = this.cycle
  }
}

/** Median of five recent values. Drops the largest and the smallest value alternately. */
export class StreamingMedian {
  private readonly v = new Int32Array(5)
  private dropHigh = true

  get value(): number {
    return this.v[2]!
  }

  reset(): void {
    this.v.fill(0)
    this.dropHigh = true
  }

  add(x: number): void {
    const v = this.v
    if (this.dropHigh) {
      if (x < v[2]!) {
        v[4] = v[3]!
        v[3] = v[2]!
        if (x < v[0]!) {
          v[2] = v[1]!
          v[1] = v[0]!
          v[0] = x
        } else if (x < v[1]!) {
          v[2] = v[1]!
          v[1] = x
        } else {
          v[2] = x
        }
      } else {
        if (x < v[3]!) {
          v[4] = v[3]!
          v[3] = x
        } else {
          v[4] = x
        }
        this.dropHigh = false
      }
    } else if (v[2]! < x) {
      v[0] = v[1]!
      v[1] = v[2]!
      if (v[4]! < x) {
        v[2] = v[3]!
        v[3] = v[4]!
        v[4] = x
      } else if (v[3]! < x) {
        v[2] = v[3]!
        v[3] = x
      } else {
        v[2] = x
      }
    } else {
      if (v[1]! < x) {
        v[0] = v[1]!
        v[1] = x
      } else {
        v[0] = x
      }
      this.dropHigh = true
    }
  }
}

/** Table of symbol models of equal size. Creates each model on first use. */
export class ModelBank {
  private readonly models: (SymbolModel | undefined)[]

  private readonly symbols: number

  constructor(size: number, symbols: number) {
    this.symbols = symbols

    this.models = new Array<SymbolModel | undefined>(size).fill(undefined)
  }

  get(index: number): SymbolModel {
    let model = this.models[index]
    if (model === undefined) {
      model = new SymbolModel(this.symbols)
      this.models[index] = model
    }
    return model
  }

  reset(): void {
    for (const model of this.models) model?.reset()
  }
}

export const medians = (count: number): StreamingMedian[] => Array.from({ length: count }, () => new StreamingMedian())
export const symbolModels = (count: number, symbols: number): SymbolModel[] => Array.from({ length: count }, () => new SymbolModel(symbols))
