import { IntegerCompressor } from './arithmetic-encoder.ts'
import { CHANNELS, Layer, type LayeredItem } from './attributes-layered.ts'
import { GpsTimeCompressor } from './gps-time.ts'
import { ModelBank, StreamingMedian, SymbolModel } from './models.ts'

/** Rows by number of returns, columns by return number (4 bits each). */
export const RETURN_MAP_4BIT = Uint8Array.from(
  '0123453445555555' +
    '1013333333333333' +
    '2124444444433333' +
    '3345444444444444' +
    '4344544444444444' +
    '5344454444444444' +
    '3344445444444444' +
    '4344444544444444' +
    '4344444454444444' +
    '5344444445444444' +
    '5344444444544444' +
    '5334444444455444' +
    '5334444444455544' +
    '5334444444445554' +
    '5334444444444555' +
    '5334444444444455',
  Number,
)

/** Everything the coder remembers of one scanner channel. */
class PointChannel {
  readonly changes = Array.from({ length: 8 }, () => new SymbolModel(128))
  readonly channelStep = new SymbolModel(3)
  readonly returns = new ModelBank(16, 16)
  readonly returnNumber = new ModelBank(16, 16)
  readonly returnStep = new SymbolModel(13)
  readonly classification = new ModelBank(64, 256)
  readonly flags = new ModelBank(64, 64)
  readonly userData = new ModelBank(64, 256)
  readonly dx: IntegerCompressor
  readonly dy: IntegerCompressor
  readonly z: IntegerCompressor
  readonly intensity: IntegerCompressor
  readonly scanAngle: IntegerCompressor
  readonly pointSource: IntegerCompressor
  readonly time: GpsTimeCompressor
  readonly medianX = Array.from({ length: 12 }, () => new StreamingMedian())
  readonly medianY = Array.from({ length: 12 }, () => new StreamingMedian())
  readonly lastZ = new Int32Array(8)
  readonly lastIntensity = new Uint16Array(8)
  /** Where the channel's last point lies in the chunk. */
  lastAt = 0
  timeChanged = false

  constructor(l: PointLayers) {
    this.dx = new IntegerCompressor(l.xy.encoder, 32, 2)
    this.dy = new IntegerCompressor(l.xy.encoder, 32, 22)
    this.z = new IntegerCompressor(l.z.encoder, 32, 20)
    this.intensity = new IntegerCompressor(l.intensity.encoder, 16, 4)
    this.scanAngle = new IntegerCompressor(l.scanAngle.encoder, 16, 2)
    this.pointSource = new IntegerCompressor(l.pointSource.encoder, 16)
    this.time = new GpsTimeCompressor(l.gpsTime.encoder, false)
  }

  reset(view: DataView, o: number): void {
    for (const model of this.changes) model.reset()
    this.channelStep.reset()
    this.returns.reset()
    this.returnNumber.reset()
    this.returnStep.reset()
    this.classification.reset()
    this.flags.reset()
    this.userData.reset()
    this.dx.reset()
    this.dy.reset()
    this.z.reset()
    this.intensity.reset()
    this.scanAngle.reset()
    this.pointSource.reset()
    this.time.reset(view.getInt32(o + 22, true), view.getInt32(o + 26, true))
    for (const median of this.medianX) median.reset()
    for (const median of this.medianY) median.reset()
    // Unlike Point10, heights and intensities start at the first point's values.
    this.lastZ.fill(view.getInt32(o + 8, true))
    this.lastIntensity.fill(view.getUint16(o + 12, true))
    this.lastAt = o
    this.timeChanged = false
  }
}

class PointLayers {
  readonly xy = new Layer(true)
  readonly z = new Layer(true)
  readonly classification = new Layer()
  readonly flags = new Layer()
  readonly intensity = new Layer()
  readonly scanAngle = new Layer()
  readonly userData = new Layer()
  readonly pointSource = new Layer()
  readonly gpsTime = new Layer()

  /** In the order in which a chunk stores them. */
  readonly all = [
    this.xy,
    this.z,
    this.classification,
    this.flags,
    this.intensity,
    this.scanAngle,
    this.userData,
    this.pointSource,
    this.gpsTime,
  ] as const
}

/** Core fields of point formats 6 to 10: 30 bytes in nine layers. */
export class Point14 implements LayeredItem {
  private readonly l = new PointLayers()
  readonly layers = this.l.all
  private readonly channels: (PointChannel | undefined)[] = new Array<undefined>(CHANNELS)
  private readonly live: boolean[] = new Array<boolean>(CHANNELS).fill(false)
  private current = 0

  static channelOf(view: DataView, o: number): number {
    return (view.getUint8(o + 15) >>> 4) & 3
  }

  reset(view: DataView, o: number, channel: number): void {
    for (const layer of this.layers) layer.reset()
    this.live.fill(false)
    this.current = channel
    this.open(channel, view, o)
  }

  /** Codes a point; returns the channel if it differs from the last point's, else 0. */
  write(view: DataView, o: number): number {
    const l = this.l
    const xy = l.xy.encoder
    const previous = this.channels[this.current]!
    const channel = Point14.channelOf(view, o)
    const channelChanged = channel !== this.current
    const known = channelChanged && this.live[channel] === true ? this.channels[channel]! : previous
    const last = known.lastAt

    const previousReturns = view.getUint8(previous.lastAt + 14)
    const context =
      ((previousReturns & 15) === 1 ? 1 : 0) | ((previousReturns & 15) >= previousReturns >>> 4 ? 2 : 0) | (previous.timeChanged ? 4 : 0)

    const returnByte = view.getUint8(o + 14)
    const r = returnByte & 15
    const n = returnByte >>> 4
    const lastReturnByte = view.getUint8(last + 14)
    const lastR = lastReturnByte & 15
    const lastN = lastReturnByte >>> 4
    const source = view.getUint16(o + 20, true)
    const lastSource = view.getUint16(last + 20, true)
    const timeLow = view.getInt32(o + 22, true)
    const timeHigh = view.getInt32(o + 26, true)
    const angle = view.getInt16(o + 18, true)
    const lastAngle = view.getInt16(last + 18, true)
    const timeChanged = timeLow !== view.getInt32(last + 22, true) || timeHigh !== view.getInt32(last + 26, true)
    const timeBit = timeChanged ? 1 : 0
    const step = (r - lastR) & 15
    const returnCode = step === 0 ? 0 : step === 1 ? 1 : step === 15 ? 2 : 3

    xy.encodeSymbol(
      previous.changes[context]!,
      (channelChanged ? 64 : 0) |
        (source !== lastSource ? 32 : 0) |
        (timeChanged ? 16 : 0) |
        (angle !== lastAngle ? 8 : 0) |
        (n !== lastN ? 4 : 0) |
        returnCode,
    )

    if (channelChanged) {
      xy.encodeSymbol(previous.channelStep, ((channel - this.current) & 3) - 1)
      if (this.live[channel] !== true) this.open(channel, view, previous.lastAt)
      this.current = channel
    }
    const c = this.channels[this.current]!

    if (n !== lastN) xy.encodeSymbol(c.returns.get(lastN), n)
    if (returnCode === 3) {
      if (timeChanged) xy.encodeSymbol(c.returnNumber.get(lastR), r)
      else xy.encodeSymbol(c.returnStep, step - 2)
    }

    const single = n === 1 ? 1 : 0
    const historyIndex = (RETURN_MAP_4BIT[(n << 4) | r]! << 1) | timeBit
    const medianX = c.medianX[historyIndex]!
    const diffX = (view.getInt32(o, true) - view.getInt32(last, true)) | 0
    c.dx.compress(medianX.value, diffX, single)
    medianX.add(diffX)

    const kx = c.dx.k
    const medianY = c.medianY[historyIndex]!
    const diffY = (view.getInt32(o + 4, true) - view.getInt32(last + 4, true)) | 0
    c.dy.compress(medianY.value, diffY, single + (kx < 20 ? kx & ~1 : 20))
    medianY.add(diffY)

    const kxy = (kx + c.dy.k) >>> 1
    const level = Math.min(7, Math.abs(n - r))
    const z = view.getInt32(o + 8, true)
    c.z.compress(c.lastZ[level]!, z, single + (kxy < 18 ? kxy & ~1 : 18))
    c.lastZ[level] = z

    const first = r === 1
    const final = r >= n
    const classification = view.getUint8(o + 16)
    const lastClass = view.getUint8(last + 16)
    if (classification !== lastClass) l.classification.changed = true
    l.classification.encoder.encodeSymbol(c.classification.get(((lastClass & 31) << 1) | (first && final ? 1 : 0)), classification)

    const flags = flagBits(view.getUint8(o + 15))
    const lastFlags = flagBits(view.getUint8(last + 15))
    if (flags !== lastFlags) l.flags.changed = true
    l.flags.encoder.encodeSymbol(c.flags.get(lastFlags), flags)

    const intensity = view.getUint16(o + 12, true)
    if (intensity !== view.getUint16(last + 12, true)) l.intensity.changed = true
    const position = (first ? 2 : 0) | (final ? 1 : 0)
    const intensityIndex = (position << 1) | timeBit
    c.intensity.compress(c.lastIntensity[intensityIndex]!, intensity, position)
    c.lastIntensity[intensityIndex] = intensity

    if (angle !== lastAngle) {
      l.scanAngle.changed = true
      c.scanAngle.compress(lastAngle, angle, timeBit)
    }

    const user = view.getUint8(o + 17)
    const lastUser = view.getUint8(last + 17)
    if (user !== lastUser) l.userData.changed = true
    l.userData.encoder.encodeSymbol(c.userData.get(lastUser >>> 2), user)

    if (source !== lastSource) {
      l.pointSource.changed = true
      c.pointSource.compress(lastSource, source, 0)
    }
    if (timeChanged) {
      l.gpsTime.changed = true
      c.time.write(timeLow, timeHigh)
    }
    c.lastAt = o
    c.timeChanged = timeChanged
    return channelChanged ? channel : 0
  }

  private open(channel: number, view: DataView, o: number): void {
    const c = (this.channels[channel] ??= new PointChannel(this.l))
    c.reset(view, o)
    this.live[channel] = true
  }
}

/** Byte 15 holds class flags (4), channel (2), scan direction, edge of flight line. */
function flagBits(byte: number): number {
  return (byte & 15) | ((byte >>> 2) & 48)
}
