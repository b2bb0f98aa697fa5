import { BIT_MODEL_BITS, BitModel, CORRECTOR_HIGH_BITS, MODEL_BITS, SymbolModel } from './models.ts'

const MIN_LENGTH = 0x0100_0000

/**
 * Range encoder into a buffer that grows. `base` and `length` are unsigned
 * 32-bit quantities kept as int32, so every comparison goes through `>>> 0`.
 */
export class ArithmeticEncoder {
  private buffer: Uint8Array
  private position = 0
  private base = 0
  private length = -1

  constructor(initialCapacity = 1 << 14) {
    this.buffer = new Uint8Array(initialCapacity)
  }

  reset(): void {
    this.position = 0
    this.base = 0
    this.length = -1
  }

  encodeSymbol(model: SymbolModel, symbol: number): void {
    const below = model.below
    const unit = this.length >>> MODEL_BITS
    const offset = Math.imul(below[symbol]!, unit)
    const before = this.base
    const after = (before + offset) | 0
    this.base = after
    const length = symbol === model.last ? (this.length - offset) | 0 : (Math.imul(below[symbol + 1]!, unit) - offset) | 0
    this.length = length
    if (after >>> 0 < before >>> 0) this.carry()
    if (length >>> 24 === 0) this.renormalise()
    model.counts[symbol]!++
    if (--model.untilUpdate === 0) model.update()
  }

  encodeBit(model: BitModel, bit: number): void {
    const split = Math.imul(model.zeroProbability, this.length >>> BIT_MODEL_BITS)
    if (bit === 0) {
      this.length = split
      model.zeroCount++
    } else {
      const before = this.base
      this.base = (before + split) | 0
      this.length = (this.length - split) | 0
      if (this.base >>> 0 < before >>> 0) this.carry()
    }
    if (this.length >>> 24 === 0) this.renormalise()
    if (--model.untilUpdate === 0) model.update()
  }

  /** Writes `bits` (1 to 32) equiprobable bits. */
  writeBits(bits: number, value: number): void {
    if (bits > 19) {
      this.writeRaw(16, value & 0xffff)
      this.writeRaw(bits - 16, value >>> 16)
    } else {
      this.writeRaw(bits, value)
    }
  }

  /** Writes a 32-bit value as two 16-bit halves, the low one first. */
  writeInt(value: number): void {
    this.writeRaw(16, value & 0xffff)
    this.writeRaw(16, value >>> 16)
  }

  private writeRaw(bits: number, value: number): void {
    const unit = this.length >>> bits
    const before = this.base
    this.base = (before + Math.imul(value, unit)) | 0
    this.length = unit | 0
    if (this.base >>> 0 < before >>> 0) this.carry()
    if (unit >>> 24 === 0) this.renormalise()
  }

  /** Closes the code stream; the bytes returned are valid until the next reset. */
  finish(): Uint8Array {
    const before = this.base
    let padding = 2
    if (this.length >>> 0 > 2 * MIN_LENGTH) {
      this.base = (before + MIN_LENGTH) | 0
      this.length = MIN_LENGTH >>> 1
      padding = 3
    } else {
      this.base = (before + (MIN_LENGTH >>> 1)) | 0
      this.length = MIN_LENGTH >>> 9
    }
    if (this.base >>> 0 < before >>> 0) this.carry()
    this.renormalise()
    // Decoders read four bytes ahead.
    this.reserve(padding)
    this.buffer.fill(0, this.position, this.position + padding)
    this.position += padding
    return this.buffer.subarray(0, this.position)
  }

  private carry(): void {
    const buffer = this.buffer
    let i = this.position - 1
    while (buffer[i] === 0xff) buffer[i--] = 0
    buffer[i]!++
  }

  private renormalise(): void {
    this.reserve(4)
    const buffer = this.buffer
    let { base, length, position } = this
    do {
      buffer[position++] = base >>> 24
      base <<= 8
      length <<= 8
    } while (length >>> 24 === 0)
    this.base = base
    this.length = length
    this.position = position
  }

  private reserve(bytes: number): void {
    if (this.position + bytes <= this.buffer.length) return
    const grown = new Uint8Array(this.buffer.length * 2 + bytes)
    grown.set(this.buffer)
    this.buffer = grown
  }
}

/**
 * Codes an integer as the difference from a prediction: first the size class
 * `k` of the difference (modelled per context), then the position inside the
 * class (its upper eight bits modelled, the rest raw).
 */
export class IntegerCompressor {
  /** Size class of the value coded last; other fields use it as context. */
  k = 0
  private readonly classes: SymbolModel[] = []
  private readonly correctors: (SymbolModel | undefined)[]
  private readonly zeroOrOne = new BitModel()
  private readonly range: number
  private readonly min: number
  private readonly max: number

  private readonly encoder: ArithmeticEncoder

  constructor(encoder: ArithmeticEncoder, bits: 16 | 32, contexts = 1) {
    this.encoder = encoder

    for (let i = 0; i < contexts; i++) this.classes.push(new SymbolModel(bits + 1))
    this.correctors = new Array<SymbolModel | undefined>(bits + 1).fill(undefined)
    this.range = bits === 16 ? 0x1_0000 : 0
    this.min = bits === 16 ? -0x8000 : -0x8000_0000
    this.max = bits === 16 ? 0x7fff : 0x7fff_ffff
  }

  reset(): void {
    for (const model of this.classes) model.reset()
    for (const model of this.correctors) model?.reset()
    this.zeroOrOne.reset()
    this.k = 0
  }

  compress(predicted: number, actual: number, context: number): void {
    let c = (actual - predicted) | 0
    if (c < this.min) c += this.range
    else if (c > this.max) c -= this.range

    // The integer casts keep -0 and doubles out of the hot path.
    const k = 32 - Math.clz32(c <= 0 ? -c | 0 : c - 1)
    this.k = k
    const encoder = this.encoder
    encoder.encodeSymbol(this.classes[context]!, k)
    if (k === 0) {
      encoder.encodeBit(this.zeroOrOne, c)
      return
    }
    // Class 32 holds the single value -2^31.
    if (k === 32) return
    c = c < 0 ? (c + (1 << k) - 1) | 0 : c - 1
    if (k <= CORRECTOR_HIGH_BITS) {
      encoder.encodeSymbol(this.corrector(k), c)
    } else {
      const low = k - CORRECTOR_HIGH_BITS
      encoder.encodeSymbol(this.corrector(k), c >>> low)
      encoder.writeBits(low, c & ((1 << low) - 1))
    }
  }

  private corrector(k: number): SymbolModel {
    let model = this.correctors[k]
    if (model === undefined) {
      model = new SymbolModel(1 << Math.min(k, CORRECTOR_HIGH_BITS))
      this.correctors[k] = model
    }
    return model
  }
}
