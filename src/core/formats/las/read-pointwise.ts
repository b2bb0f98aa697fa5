import { ArithmeticDecoder, IntegerDecompressor } from './arithmetic-decoder.ts'
import { ModelBank, medians, SymbolModel, symbolModels } from './models.ts'
import type { PointLayout } from './point-layout.ts'
import { RgbReader, TimeReader, WaveReader } from './read-items.ts'

/** LASzip's context for returns. Rows: number of returns; columns: return number (3 bits each). */
const RETURN_MAP_3BIT = Uint8Array.from(
  'fedcba98' + 'e0136aa9' + 'd1247bba' + 'c3458ccb' + 'b6789ddc' + 'aabcdeed' + '9abcdefe' + '89abcdef',
  (digit) => parseInt(digit, 16),
)

export function decodePointwise(layout: PointLayout, chunk: Uint8Array, view: DataView): void {
  const decoder = new ArithmeticDecoder()
  decoder.reset(chunk.subarray(layout.recordLength))
  const { recordLength, core, extra } = layout
  const timeAt = core
  const rgbAt = timeAt + (layout.time ? 8 : 0)
  const waveAt = rgbAt + (layout.rgb ? 6 : 0)
  const bytesAt = recordLength - extra
  const point = new PointReader(decoder, view)
  const time = layout.time ? new TimeReader(decoder, true) : undefined
  time?.reset(view.getInt32(timeAt, true), view.getInt32(timeAt + 4, true))
  const rgb = layout.rgb ? new RgbReader() : undefined
  const wave = layout.wave ? new WaveReader(decoder) : undefined
  const bytes = symbolModels(extra, 256)
  for (let o = recordLength; o < view.byteLength; o += recordLength) {
    const last = o - recordLength
    point.read(view, o)
    if (time !== undefined) {
      time.read()
      view.setInt32(o + timeAt, time.timeLow, true)
      view.setInt32(o + timeAt + 4, time.timeHigh, true)
    }
    rgb?.read(decoder, view, o + rgbAt, last + rgbAt)
    wave?.read(view, o + waveAt, last + waveAt)
    for (let i = 0; i < extra; i++) {
      const diff = decoder.decodeSymbol(bytes[i]!)
      view.setUint8(o + bytesAt + i, view.getUint8(last + bytesAt + i) + diff)
    }
  }
}

class PointReader {
  private readonly changed = new SymbolModel(64)
  private readonly bitByte = new ModelBank(256, 256)
  private readonly classification = new ModelBank(256, 256)
  private readonly userData = new ModelBank(256, 256)
  private readonly scanAngle = symbolModels(2, 256)
  private readonly intensity: IntegerDecompressor
  private readonly pointSource: IntegerDecompressor
  private readonly dx: IntegerDecompressor
  private readonly dy: IntegerDecompressor
  private readonly z: IntegerDecompressor
  private readonly medianX = medians(16)
  private readonly medianY = medians(16)
  private readonly lastIntensity = new Uint16Array(16)
  private readonly lastHeight = new Int32Array(8)
  private x: number
  private y: number
  private bits: number
  private class: number
  private angle: number
  private user: number
  private source: number

  private readonly decoder: ArithmeticDecoder

  constructor(decoder: ArithmeticDecoder, first: DataView) {
    this.decoder = decoder

    this.intensity = new IntegerDecompressor(decoder, 16, 4)
    this.pointSource = new IntegerDecompressor(decoder, 16)
    this.dx = new IntegerDecompressor(decoder, 32, 2)
    this.dy = new IntegerDecompressor(decoder, 32, 22)
    this.z = new IntegerDecompressor(decoder, 32, 20)
    this.x = first.getInt32(0, true)
    this.y = first.getInt32(4, true)
    this.bits = first.getUint8(14)
    this.class = first.getUint8(15)
    this.angle = first.getUint8(16)
    this.user = first.getUint8(17)
    this.source = first.getUint16(18, true)
  }

  read(view: DataView, o: number): void {
    const decoder = this.decoder
    const changed = decoder.decodeSymbol(this.changed)
    if (changed & 32) this.bits = decoder.decodeSymbol(this.bitByte.get(this.bits))
    const r = this.bits & 7
    const n = (this.bits >>> 3) & 7
    const map = RETURN_MAP_3BIT[(n << 3) | r]!
    const level = Math.abs(n - r)
    const single = n === 1 ? 1 : 0
    if (changed & 16) {
      const context = map < 3 ? map : 3
      this.lastIntensity[map] = this.intensity.decompress(this.lastIntensity[map]!, context)
    }
    if (changed & 8) this.class = decoder.decodeSymbol(this.classification.get(this.class))
    if (changed & 4) {
      const model = this.scanAngle[(this.bits >>> 6) & 1]!
      this.angle = (this.angle + decoder.decodeSymbol(model)) & 255
    }
    if (changed & 2) this.user = decoder.decodeSymbol(this.userData.get(this.user))
    if (changed & 1) this.source = this.pointSource.decompress(this.source, 0)

    const dx = this.dx.decompress(this.medianX[map]!.value, single)
    this.medianX[map]!.add(dx)
    this.x = (this.x + dx) | 0
    const kx = this.dx.k
    const dy = this.dy.decompress(this.medianY[map]!.value, single + (kx < 20 ? kx & ~1 : 20))
    this.medianY[map]!.add(dy)
    this.y = (this.y + dy) | 0
    const kxy = (kx + this.dy.k) >>> 1
    const z = this.z.decompress(this.lastHeight[level]!, single + (kxy < 18 ? kxy & ~1 : 18))
    this.lastHeight[level] = z

    view.setInt32(o, this.x, true)
    view.setInt32(o + 4, this.y, true)
    view.setInt32(o + 8, z, true)
    view.setUint16(o + 12, this.lastIntensity[map]!, true)
    view.setUint8(o + 14, this.bits)
    view.setUint8(o + 15, this.class)
    view.setUint8(o + 16, this.angle)
    view.setUint8(o + 17, this.user)
    view.setUint16(o + 18, this.source, true)
  }
}
