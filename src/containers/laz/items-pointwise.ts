import type { ArithmeticEncoder } from './arithmetic-encoder.ts'
import { IntegerCompressor } from './arithmetic-encoder.ts'
import { GpsTimeCompressor } from './gps-time.ts'
import { ModelBank, StreamingMedian, SymbolModel } from './models.ts'

/** Rows by number of returns, columns by return number (3 bits each). */
export const RETURN_MAP_3BIT = Uint8Array.from(
  'fedcba98' + 'e0136aa9' + 'd1247bba' + 'c3458ccb' + 'b6789ddc' + 'aabcdeed' + '9abcdefe' + '89abcdef',
  (digit) => parseInt(digit, 16),
)

/*
 * Every item codes records of one chunk held in `view`: `reset` starts a chunk
 * (its first point is stored raw), `write` codes the field at `o`, and `last`
 * is where the same field of the predicting point lies.
 */

/** Core fields of point formats 0 to 5: 20 bytes. */
export class Point10 {
  private readonly changed = new SymbolModel(64)
  private readonly bitByte = new ModelBank(256, 256)
  private readonly classification = new ModelBank(256, 256)
  private readonly userData = new ModelBank(256, 256)
  private readonly scanAngle = [new SymbolModel(256), new SymbolModel(256)] as const
  private readonly intensity: IntegerCompressor
  private readonly pointSource: IntegerCompressor
  private readonly dx: IntegerCompressor
  private readonly dy: IntegerCompressor
  private readonly z: IntegerCompressor
  private readonly medianX = Array.from({ length: 16 }, () => new StreamingMedian())
  private readonly medianY = Array.from({ length: 16 }, () => new StreamingMedian())
  private readonly lastIntensity = new Uint16Array(16)
  private readonly lastHeight = new Int32Array(8)
  private lastX = 0
  private lastY = 0
  private lastBits = 0
  private lastClass = 0
  private lastAngle = 0
  private lastUser = 0
  private lastSource = 0

  private readonly encoder: ArithmeticEncoder

  constructor(encoder: ArithmeticEncoder) {
    this.encoder = encoder

    this.intensity = new IntegerCompressor(encoder, 16, 4)
    this.pointSource = new IntegerCompressor(encoder, 16)
    this.dx = new IntegerCompressor(encoder, 32, 2)
    this.dy = new IntegerCompressor(encoder, 32, 22)
    this.z = new IntegerCompressor(encoder, 32, 20)
  }

  reset(view: DataView, o: number): void {
    this.changed.reset()
    this.bitByte.reset()
    this.classification.reset()
    this.userData.reset()
    this.scanAngle[0].reset()
    this.scanAngle[1].reset()
    this.intensity.reset()
    this.pointSource.reset()
    this.dx.reset()
    this.dy.reset()
    this.z.reset()
    for (const median of this.medianX) median.reset()
    for (const median of this.medianY) median.reset()
    // Intensities and heights start at zero, not at the first point's values.
    this.lastIntensity.fill(0)
    this.lastHeight.fill(0)
    this.lastX = view.getInt32(o, true)
    this.lastY = view.getInt32(o + 4, true)
    this.lastBits = view.getUint8(o + 14)
    this.lastClass = view.getUint8(o + 15)
    this.lastAngle = view.getUint8(o + 16)
    this.lastUser = view.getUint8(o + 17)
    this.lastSource = view.getUint16(o + 18, true)
  }

  write(view: DataView, o: number): void {
    const encoder = this.encoder
    const x = view.getInt32(o, true)
    const y = view.getInt32(o + 4, true)
    const z = view.getInt32(o + 8, true)
    const intensity = view.getUint16(o + 12, true)
    const bits = view.getUint8(o + 14)
    const classification = view.getUint8(o + 15)
    const angle = view.getUint8(o + 16)
    const user = view.getUint8(o + 17)
    const source = view.getUint16(o + 18, true)

    const returnNumber = bits & 7
    const returns = (bits >>> 3) & 7
    const map = RETURN_MAP_3BIT[(returns << 3) | returnNumber]!
    const level = Math.abs(returns - returnNumber)
    const single = returns === 1 ? 1 : 0

    const changed =
      (bits !== this.lastBits ? 32 : 0) |
      (intensity !== this.lastIntensity[map] ? 16 : 0) |
      (classification !== this.lastClass ? 8 : 0) |
      (angle !== this.lastAngle ? 4 : 0) |
      (user !== this.lastUser ? 2 : 0) |
      (source !== this.lastSource ? 1 : 0)
    encoder.encodeSymbol(this.changed, changed)
    if (changed !== 0) {
      if (changed & 32) encoder.encodeSymbol(this.bitByte.get(this.lastBits), bits)
      if (changed & 16) {
        this.intensity.compress(this.lastIntensity[map]!, intensity, map < 3 ? map : 3)
        this.lastIntensity[map] = intensity
      }
      if (changed & 8) encoder.encodeSymbol(this.classification.get(this.lastClass), classification)
      if (changed & 4) {
        const direction = (bits & 64) !== 0 ? 1 : 0
        encoder.encodeSymbol(this.scanAngle[direction], (angle - this.lastAngle) & 255)
      }
      if (changed & 2) encoder.encodeSymbol(this.userData.get(this.lastUser), user)
      if (changed & 1) this.pointSource.compress(this.lastSource, source, 0)
      this.lastBits = bits
      this.lastClass = classification
      this.lastAngle = angle
      this.lastUser = user
      this.lastSource = source
    }

    const medianX = this.medianX[map]!
    const diffX = (x - this.lastX) | 0
    this.dx.compress(medianX.value, diffX, single)
    medianX.add(diffX)

    const kx = this.dx.k
    const medianY = this.medianY[map]!
    const diffY = (y - this.lastY) | 0
    this.dy.compress(medianY.value, diffY, single + (kx < 20 ? kx & ~1 : 20))
    medianY.add(diffY)

    const kxy = (kx + this.dy.k) >>> 1
    this.z.compress(this.lastHeight[level]!, z, single + (kxy < 18 ? kxy & ~1 : 18))
    this.lastHeight[level] = z
    this.lastX = x
    this.lastY = y
  }
}

export class GpsTime11 {
  private readonly time: GpsTimeCompressor

  constructor(encoder: ArithmeticEncoder) {
    this.time = new GpsTimeCompressor(encoder, true)
  }

  reset(view: DataView, o: number): void {
    this.time.reset(view.getInt32(o, true), view.getInt32(o + 4, true))
  }

  write(view: DataView, o: number): void {
    this.time.write(view.getInt32(o, true), view.getInt32(o + 4, true))
  }
}

export const clampByte = (v: number): number => (v < 0 ? 0 : v > 255 ? 255 : v)

/** Models of RGB triplets; which colour predicts the next one is the caller's choice. */
export class RgbModels {
  private readonly used = new SymbolModel(128)
  private readonly diffs = [
    new SymbolModel(256),
    new SymbolModel(256),
    new SymbolModel(256),
    new SymbolModel(256),
    new SymbolModel(256),
    new SymbolModel(256),
  ] as const

  reset(): void {
    this.used.reset()
    for (const model of this.diffs) model.reset()
  }

  /** Codes the colour at `o` given the one at `last`, and returns the change mask. */
  write(encoder: ArithmeticEncoder, view: DataView, o: number, last: number): number {
    const r = view.getUint16(o, true)
    const g = view.getUint16(o + 2, true)
    const b = view.getUint16(o + 4, true)
    const lastR = view.getUint16(last, true)
    const lastG = view.getUint16(last + 2, true)
    const lastB = view.getUint16(last + 4, true)
    const xr = r ^ lastR
    const xg = g ^ lastG
    const xb = b ^ lastB
    const mask =
      ((xr & 0xff) !== 0 ? 1 : 0) |
      (xr >>> 8 !== 0 ? 2 : 0) |
      ((xg & 0xff) !== 0 ? 4 : 0) |
      (xg >>> 8 !== 0 ? 8 : 0) |
      ((xb & 0xff) !== 0 ? 16 : 0) |
      (xb >>> 8 !== 0 ? 32 : 0) |
      (r !== g || r !== b ? 64 : 0)
    const diffs = this.diffs
    encoder.encodeSymbol(this.used, mask)
    let low = 0
    let high = 0
    if (mask & 1) {
      low = (r & 255) - (lastR & 255)
      encoder.encodeSymbol(diffs[0], low & 255)
    }
    if (mask & 2) {
      high = (r >>> 8) - (lastR >>> 8)
      encoder.encodeSymbol(diffs[1], high & 255)
    }
    if (mask & 64) {
      // Green is predicted from red's change, blue from the mean of both changes.
      if (mask & 4) {
        encoder.encodeSymbol(diffs[2], ((g & 255) - clampByte(low + (lastG & 255))) & 255)
      }
      if (mask & 16) {
        low = ((low + (g & 255) - (lastG & 255)) / 2) | 0
        encoder.encodeSymbol(diffs[4], ((b & 255) - clampByte(low + (lastB & 255))) & 255)
      }
      if (mask & 8) {
        encoder.encodeSymbol(diffs[3], ((g >>> 8) - clampByte(high + (lastG >>> 8))) & 255)
      }
      if (mask & 32) {
        high = ((high + (g >>> 8) - (lastG >>> 8)) / 2) | 0
        encoder.encodeSymbol(diffs[5], ((b >>> 8) - clampByte(high + (lastB >>> 8))) & 255)
      }
    }
    return mask
  }
}

export class Rgb12 {
  private readonly models = new RgbModels()

  private readonly encoder: ArithmeticEncoder

  constructor(encoder: ArithmeticEncoder) {
    this.encoder = encoder
  }

  reset(): void {
    this.models.reset()
  }

  write(view: DataView, o: number, last: number): void {
    this.models.write(this.encoder, view, o, last)
  }
}

/** Extra bytes of formats 0 to 5, each coded as its change since the last point. */
export class Bytes10 {
  private readonly models: readonly SymbolModel[]

  private readonly encoder: ArithmeticEncoder
  private readonly size: number

  constructor(encoder: ArithmeticEncoder, size: number) {
    this.encoder = encoder
    this.size = size

    this.models = Array.from({ length: size }, () => new SymbolModel(256))
  }

  reset(): void {
    for (const model of this.models) model.reset()
  }

  write(view: DataView, o: number, last: number): void {
    for (let i = 0; i < this.size; i++) {
      const diff = view.getUint8(o + i) - view.getUint8(last + i)
      this.encoder.encodeSymbol(this.models[i]!, diff & 255)
    }
  }
}

/** Models of wave packets; which packet predicts the next one is the caller's choice. */
export class WavePacketModels {
  private readonly index = new SymbolModel(256)
  private readonly offsetKind = [new SymbolModel(4), new SymbolModel(4), new SymbolModel(4), new SymbolModel(4)] as const
  private readonly offset: IntegerCompressor
  private readonly size: IntegerCompressor
  private readonly returnPoint: IntegerCompressor
  private readonly xyz: IntegerCompressor
  private lastKind: 0 | 1 | 2 | 3 = 0
  private lastDiff = 0

  private readonly encoder: ArithmeticEncoder

  constructor(encoder: ArithmeticEncoder) {
    this.encoder = encoder

    this.offset = new IntegerCompressor(encoder, 32)
    this.size = new IntegerCompressor(encoder, 32)
    this.returnPoint = new IntegerCompressor(encoder, 32)
    this.xyz = new IntegerCompressor(encoder, 32, 3)
  }

  reset(): void {
    this.index.reset()
    for (const model of this.offsetKind) model.reset()
    this.offset.reset()
    this.size.reset()
    this.returnPoint.reset()
    this.xyz.reset()
    this.lastKind = 0
    this.lastDiff = 0
  }

  write(view: DataView, o: number, last: number): void {
    const encoder = this.encoder
    encoder.encodeSymbol(this.index, view.getUint8(o))
    const low = view.getInt32(o + 1, true)
    const high = view.getInt32(o + 5, true)
    const lastLow = view.getInt32(last + 1, true)
    const lastSize = view.getInt32(last + 9, true)
    const diff = (low - lastLow) | 0
    const borrow = low >>> 0 < lastLow >>> 0 ? 1 : 0
    const diffHigh = (high - view.getInt32(last + 5, true) - borrow) | 0
    const kinds = this.offsetKind[this.lastKind]
    let kind: 0 | 1 | 2 | 3
    if (diffHigh !== diff >> 31) kind = 3
    else if (diff === 0) kind = 0
    else kind = diff === lastSize ? 1 : 2
    encoder.encodeSymbol(kinds, kind)
    this.lastKind = kind
    if (kind === 2) {
      this.offset.compress(this.lastDiff, diff, 0)
      this.lastDiff = diff
    } else if (kind === 3) {
      encoder.writeInt(low)
      encoder.writeInt(high)
    }
    this.size.compress(lastSize, view.getInt32(o + 9, true), 0)
    this.returnPoint.compress(view.getInt32(last + 13, true), view.getInt32(o + 13, true), 0)
    for (let i = 0; i < 3; i++) {
      this.xyz.compress(view.getInt32(last + 17 + 4 * i, true), view.getInt32(o + 17 + 4 * i, true), i)
    }
  }
}

export class WavePacket13 {
  private readonly models: WavePacketModels

  constructor(encoder: ArithmeticEncoder) {
    this.models = new WavePacketModels(encoder)
  }

  reset(): void {
    this.models.reset()
  }

  write(view: DataView, o: number, last: number): void {
    this.models.write(view, o, last)
  }
}
