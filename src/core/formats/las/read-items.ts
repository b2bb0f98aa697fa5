import { type ArithmeticDecoder, IntegerDecompressor } from './arithmetic-decoder.ts'
import { SymbolModel, symbolModels } from './models.ts'
import { WAVE_PACKET_SIZE } from './point-layout.ts'

/* Decoders for the LASzip items that pointwise and layered chunks share. */

const MAX_MULTIPLE = 500
const MIN_MULTIPLE = -10

const clampByte = (v: number): number => (v < 0 ? 0 : v > 255 ? 255 : v)

/**
 * Decodes GPS times: 64-bit floats whose bit patterns are differenced as integers. Tracks up to four interleaved time sequences; a step is
 * a small multiple of the previous step plus a remainder. Pointwise items (version 2) code an unchanged time as a symbol; layered items
 * (version 3) store the change elsewhere.
 */
export class TimeReader {
  private readonly steps: SymbolModel
  private readonly firstStep: SymbolModel
  private readonly integers: IntegerDecompressor
  private readonly low = new Int32Array(4)
  private readonly high = new Int32Array(4)
  private readonly diff = new Int32Array(4)
  private readonly extremes = new Uint8Array(4)
  private last = 0
  private next = 0
  private readonly extra: 0 | 1
  private readonly fullCode: number

  private readonly decoder: ArithmeticDecoder

  constructor(decoder: ArithmeticDecoder, codesUnchanged: boolean) {
    this.decoder = decoder

    this.extra = codesUnchanged ? 1 : 0
    this.fullCode = MAX_MULTIPLE - MIN_MULTIPLE + 1 + this.extra
    this.steps = new SymbolModel(MAX_MULTIPLE - MIN_MULTIPLE + 5 + this.extra)
    this.firstStep = new SymbolModel(5 + this.extra)
    this.integers = new IntegerDecompressor(decoder, 32, 9)
  }

  get timeLow(): number {
    return this.low[this.last]!
  }

  get timeHigh(): number {
    return this.high[this.last]!
  }

  reset(low: number, high: number): void {
    this.steps.reset()
    this.firstStep.reset()
    this.integers.reset()
    for (const state of [this.low, this.high, this.diff, this.extremes]) state.fill(0)
    this.last = 0
    this.next = 0
    this.low[0] = low
    this.high[0] = high
  }

  read(): void {
    const decoder = this.decoder
    const integers = this.integers
    const extra = this.extra
    for (;;) {
      const last = this.last
      if (this.diff[last] === 0) {
        const code = decoder.decodeSymbol(this.firstStep) - extra
        if (code < 0) return
        if (code === 0) {
          this.diff[last] = integers.decompress(0, 0)
          this.extremes[last] = 0
          this.advance(this.diff[last]!)
          return
        }
        if (code === 1) {
          this.startSequence()
          return
        }
        this.last = (last + code - 1) & 3
      } else {
        const code = decoder.decodeSymbol(this.steps)
        if (code >= this.fullCode) {
          if (code === this.fullCode) {
            this.startSequence()
            return
          }
          this.last = (last + code - this.fullCode) & 3
        } else {
          if (code <= MAX_MULTIPLE - MIN_MULTIPLE) this.advance(this.readMultiple(code))
          return
        }
      }
    }
  }

  private readMultiple(code: number): number {
    const last = this.last
    const lastDiff = this.diff[last]!
    const multiple = code > MAX_MULTIPLE ? MAX_MULTIPLE - code : code
    let context: number
    if (multiple === 1) context = 1
    else if (multiple === 0) context = 7
    else if (multiple === MAX_MULTIPLE) context = 4
    else if (multiple === MIN_MULTIPLE) context = 6
    else if (multiple < 0) context = 5
    else context = multiple < 10 ? 2 : 3
    const diff = this.integers.decompress(Math.imul(multiple, lastDiff), context)
    if (context === 1) this.extremes[last] = 0
    if (context === 4 || context === 6 || context === 7) {
      if (++this.extremes[last]! > 3) {
        this.diff[last] = diff
        this.extremes[last] = 0
      }
    }
    return diff
  }

  private advance(diff: number): void {
    const before = this.low[this.last]!
    const low = (before + diff) | 0
    const carry = low >>> 0 < before >>> 0 ? 1 : 0
    this.low[this.last] = low
    this.high[this.last] = (this.high[this.last]! + (diff >> 31) + carry) | 0
  }

  private startSequence(): void {
    const high = this.integers.decompress(this.high[this.last]!, 8)
    const low = this.decoder.readInt()
    this.next = (this.next + 1) & 3
    this.last = this.next
    this.low[this.last] = low
    this.high[this.last] = high
    this.diff[this.last] = 0
    this.extremes[this.last] = 0
  }
}

export class RgbReader {
  private readonly used = new SymbolModel(128)
  private readonly diffs = symbolModels(6, 256)

  reset(): void {
    this.used.reset()
    for (const model of this.diffs) model.reset()
  }

  read(decoder: ArithmeticDecoder, view: DataView, o: number, last: number): void {
    const mask = decoder.decodeSymbol(this.used)
    const at = (i: number): number => view.getUint8(last + i)
    const next = (i: number, predicted: number): number => (predicted + decoder.decodeSymbol(this.diffs[i]!)) & 255
    const rLow = mask & 1 ? next(0, at(0)) : at(0)
    const rHigh = mask & 2 ? next(1, at(1)) : at(1)
    let gLow = rLow
    let gHigh = rHigh
    let bLow = rLow
    let bHigh = rHigh
    if (mask & 64) {
      const low = rLow - at(0)
      const high = rHigh - at(1)
      gLow = mask & 4 ? next(2, clampByte(low + at(2))) : at(2)
      bLow = mask & 16 ? next(4, clampByte((((low + gLow - at(2)) / 2) | 0) + at(4))) : at(4)
      gHigh = mask & 8 ? next(3, clampByte(high + at(3))) : at(3)
      bHigh = mask & 32 ? next(5, clampByte((((high + gHigh - at(3)) / 2) | 0) + at(5))) : at(5)
    }
    view.setUint8(o, rLow)
    view.setUint8(o + 1, rHigh)
    view.setUint8(o + 2, gLow)
    view.setUint8(o + 3, gHigh)
    view.setUint8(o + 4, bLow)
    view.setUint8(o + 5, bHigh)
  }
}

export class WaveReader {
  private readonly index = new SymbolModel(256)
  private readonly offsetKind = symbolModels(4, 4)
  private readonly offset: IntegerDecompressor
  private readonly size: IntegerDecompressor
  private readonly returnPoint: IntegerDecompressor
  private readonly xyz: IntegerDecompressor
  private lastKind = 0
  private lastDiff = 0

  private readonly decoder: ArithmeticDecoder

  constructor(decoder: ArithmeticDecoder) {
    this.decoder = decoder

    this.offset = new IntegerDecompressor(decoder, 32)
    this.size = new IntegerDecompressor(decoder, 32)
    this.returnPoint = new IntegerDecompressor(decoder, 32)
    this.xyz = new IntegerDecompressor(decoder, 32, 3)
  }

  reset(): void {
    this.index.reset()
    for (const model of this.offsetKind) model.reset()
    for (const integers of [this.offset, this.size, this.returnPoint, this.xyz]) integers.reset()
    this.lastKind = 0
    this.lastDiff = 0
  }

  read(view: DataView, o: number, last: number): void {
    const decoder = this.decoder
    view.setUint8(o, decoder.decodeSymbol(this.index))
    const kind = decoder.decodeSymbol(this.offsetKind[this.lastKind]!)
    this.lastKind = kind
    if (kind === 3) {
      view.setInt32(o + 1, decoder.readInt(), true)
      view.setInt32(o + 5, decoder.readInt(), true)
    } else {
      let diff = 0
      if (kind === 1) {
        diff = view.getInt32(last + 9, true)
      } else if (kind === 2) {
        diff = this.offset.decompress(this.lastDiff, 0)
        this.lastDiff = diff
      }
      const offset = view.getBigUint64(last + 1, true) + BigInt(diff)
      view.setBigUint64(o + 1, BigInt.asUintN(64, offset), true)
    }
    view.setInt32(o + 9, this.size.decompress(view.getInt32(last + 9, true), 0), true)
    view.setInt32(o + 13, this.returnPoint.decompress(view.getInt32(last + 13, true), 0), true)
    for (let i = 17; i < WAVE_PACKET_SIZE; i += 4) {
      view.setInt32(o + i, this.xyz.decompress(view.getInt32(last + i, true), (i - 17) >> 2), true)
    }
  }
}
