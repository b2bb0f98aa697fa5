/**
 * Arithmetic decoder for LAZ files. Checks the encoder's output (`wasm/laz`) with code written independently, including the wave packet
 * formats that laz-perf cannot read.
 */
import { BIT_MODEL_BITS, BitModel, CORRECTOR_HIGH_BITS, MODEL_BITS, SymbolModel } from './models.ts'

export class ArithmeticDecoder {
  private bytes: Uint8Array = new Uint8Array(0)
  private position = 0
  private value = 0
  private length = -1

  reset(bytes: Uint8Array): void {
    this.bytes = bytes
    this.position = 0
    this.value = 0
    for (let i = 0; i < 4; i++) this.value = (this.value << 8) | this.next()
    this.length = -1
  }

  decodeSymbol(model: SymbolModel): number {
    const below = model.below
    const unit = this.length >>> MODEL_BITS
    const target = Math.floor((this.value >>> 0) / unit)
    let low = 0
    let high = model.symbols
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (below[middle]! <= target) low = middle
      else high = middle
    }
    const offset = Math.imul(below[low]!, unit)
    this.value = (this.value - offset) | 0
    this.length = low === model.last ? (this.length - offset) | 0 : (Math.imul(below[low + 1]!, unit) - offset) | 0
    if (this.length >>> 24 === 0) this.renormalise()
    model.counts[low]!++
    if (--model.untilUpdate === 0) model.update()
    return low
  }

  decodeBit(model: BitModel): number {
    const split = Math.imul(model.zeroProbability, this.length >>> BIT_MODEL_BITS)
    let bit = 0
    if (this.value >>> 0 >= split >>> 0) {
      this.value = (this.value - split) | 0
      this.length = (this.length - split) | 0
      bit = 1
    } else {
      this.length = split
      model.zeroCount++
    }
    if (this.length >>> 24 === 0) this.renormalise()
    if (--model.untilUpdate === 0) model.update()
    return bit
  }

  readBits(bits: number): number {
    if (bits <= 19) return this.readRaw(bits)
    const low = this.readRaw(16)
    return (this.readRaw(bits - 16) << 16) | low
  }

  readInt(): number {
    const low = this.readRaw(16)
    return (this.readRaw(16) << 16) | low
  }

  private readRaw(bits: number): number {
    const unit = this.length >>> bits
    const symbol = Math.floor((this.value >>> 0) / unit)
    this.value = (this.value - Math.imul(symbol, unit)) | 0
    this.length = unit | 0
    if (unit >>> 24 === 0) this.renormalise()
    return symbol
  }

  private renormalise(): void {
    do {
      this.value = (this.value << 8) | this.next()
      this.length <<= 8
    } while (this.length >>> 24 === 0)
  }

  private next(): number {
    return this.position < this.bytes.length ? this.bytes[this.position++]! : 0
  }
}

export class IntegerDecompressor {
  k = 0
  private readonly classes: SymbolModel[] = []
  private readonly correctors: (SymbolModel | undefined)[]
  private readonly zeroOrOne = new BitModel()

  private readonly decoder: ArithmeticDecoder
  private readonly bits: 16 | 32

  constructor(decoder: ArithmeticDecoder, bits: 16 | 32, contexts = 1) {
    this.decoder = decoder
    this.bits = bits

    for (let i = 0; i < contexts; i++) this.classes.push(new SymbolModel(bits + 1))
    this.correctors = new Array<SymbolModel | undefined>(bits + 1).fill(undefined)
  }

  reset(): void {
    for (const model of this.classes) model.reset()
    for (const model of this.correctors) model?.reset()
    this.zeroOrOne.reset()
    this.k = 0
  }

  decompress(predicted: number, context: number): number {
    const actual = (predicted + this.readCorrector(context)) | 0
    return this.bits === 16 ? actual & 0xffff : actual
  }

  private readCorrector(context: number): number {
    const decoder = this.decoder
    const k = decoder.decodeSymbol(this.classes[context]!)
    this.k = k
    if (k === 0) return decoder.decodeBit(this.zeroOrOne)
    if (k === 32) return -0x8000_0000
    let model = this.correctors[k]
    if (model === undefined) {
      model = new SymbolModel(1 << Math.min(k, CORRECTOR_HIGH_BITS))
      this.correctors[k] = model
    }
    let c = decoder.decodeSymbol(model)
    if (k > CORRECTOR_HIGH_BITS) {
      const low = k - CORRECTOR_HIGH_BITS
      c = (c << low) | decoder.readBits(low)
    }
    return c >= 2 ** (k - 1) ? c + 1 : (c - (2 ** k - 1)) | 0
  }
}
