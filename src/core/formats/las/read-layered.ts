import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { ArithmeticDecoder, IntegerDecompressor } from './arithmetic-decoder.ts'
import { AttributeChannels, type AttributeState } from './attribute-channels.ts'
import { viewOf } from './las-header.ts'
import { ModelBank, medians, SymbolModel, symbolModels } from './models.ts'
import { type PointLayout, WAVE_PACKET_SIZE } from './point-layout.ts'
import { RgbReader, TimeReader, WaveReader } from './read-items.ts'

/** LASzip's context for returns. Rows: number of returns; columns: return number (4 bits each). */
const RETURN_MAP_4BIT = Uint8Array.from(
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

/** Bits of the symbol that starts each point: fields that differ from the last point of the channel. */
const CHANGED = { returnNumber: 3, returns: 4, scanAngle: 8, time: 16, pointSource: 32, channel: 64 } as const

/** Decoder of a layer. `undefined`: the layer is empty, because its attribute never changes. */
type LayerDecoder = ArithmeticDecoder | undefined

/** Decodes a layered chunk (LASzip 3, point formats 6 to 10): each attribute has its own layer and stream. */
export function decodeLayered(layout: PointLayout, chunk: Uint8Array, view: DataView): void {
  const { recordLength, core, extra } = layout
  const waveAt = core + (layout.rgb ? 6 : 0) + (layout.nir ? 2 : 0)
  const bytesAt = recordLength - extra
  const layers = readLayers(layout, chunk, view.byteLength)
  let next = POINT_LAYERS
  const rgbLayer = layout.rgb ? layers[next++] : undefined
  const nirLayer = layout.nir ? layers[next++] : undefined
  const waveLayer = layout.wave ? layers[next++] : undefined
  const byteLayers = layers.slice(next)

  const first = (view.getUint8(15) >>> 4) & 3
  const point = new LayeredPointReader(layers, view, first)
  const colours = new AttributeChannels(() => new ColourReader(rgbLayer, nirLayer, layout.nir))
  const waves = new AttributeChannels(() => new WaveChannel(waveLayer))
  const bytes = new AttributeChannels(() => new BytesChannel(extra))
  colours.reset(first, core)
  waves.reset(first, waveAt)
  bytes.reset(first, bytesAt)
  for (let o = recordLength; o < view.byteLength; o += recordLength) {
    const channel = point.read(view, o)
    if (layout.rgb) {
      const state = colours.select(channel)
      const last = colours.history.lastAt
      colours.history.lastAt = o + core
      state.read(view, o + core, last)
    }
    if (layout.wave) {
      const state = waves.select(channel)
      const last = waves.history.lastAt
      waves.history.lastAt = o + waveAt
      if (waveLayer === undefined) copyWithin(view, last, o + waveAt, WAVE_PACKET_SIZE)
      else state.reader!.read(view, o + waveAt, last)
    }
    if (extra > 0) {
      const { models } = bytes.select(channel)
      const last = bytes.history.lastAt
      bytes.history.lastAt = o + bytesAt
      for (let i = 0; i < extra; i++) {
        const diff = byteLayers[i]?.decodeSymbol(models[i]!) ?? 0
        view.setUint8(o + bytesAt + i, view.getUint8(last + i) + diff)
      }
    }
  }
}

/** Layers of the core fields: returns with x and y, z, classification, flags, intensity, scan angle, user data, point source, time. */
const POINT_LAYERS = 9

/** Reads the layers of a chunk: first point, number of points, layer sizes, layers. */
function readLayers(layout: PointLayout, chunk: Uint8Array, decodedBytes: number): LayerDecoder[] {
  const { recordLength, extra } = layout
  const count = POINT_LAYERS + (layout.rgb ? 1 : 0) + (layout.nir ? 1 : 0) + (layout.wave ? 1 : 0) + extra
  const sizesAt = recordLength + 4
  if (chunk.length < sizesAt + 4 * count) throw malformed('las', 0, message('chunk_of_bytes', { chunk: chunk.length }))
  const points = viewOf(chunk).getUint32(recordLength, true)
  if (points * recordLength !== decodedBytes) throw malformed('las', 0, message('chunk_of_points', { points }))
  const sizes = new DataView(chunk.buffer, chunk.byteOffset + sizesAt)
  let at = sizesAt + 4 * count
  const layers: LayerDecoder[] = []
  for (let i = 0; i < count; i++) {
    const size = sizes.getUint32(4 * i, true)
    const decoder = size === 0 ? undefined : new ArithmeticDecoder()
    decoder?.reset(chunk.subarray(at, at + size))
    layers.push(decoder)
    at += size
  }
  if (at !== chunk.length) throw malformed('las', 0, message('layers_of_bytes_in_chunk', { at, chunk: chunk.length }))
  return layers
}

function copyWithin(view: DataView, from: number, to: number, length: number): void {
  for (let i = 0; i < length; i++) view.setUint8(to + i, view.getUint8(from + i))
}

class ColourReader implements AttributeState {
  lastAt = 0
  private readonly rgb = new RgbReader()
  private readonly used = new SymbolModel(4)
  private readonly low = new SymbolModel(256)
  private readonly high = new SymbolModel(256)
  private readonly rgbLayer: LayerDecoder
  private readonly nirLayer: LayerDecoder
  private readonly hasNir: boolean

  constructor(rgbLayer: LayerDecoder, nirLayer: LayerDecoder, hasNir: boolean) {
    this.rgbLayer = rgbLayer
    this.nirLayer = nirLayer
    this.hasNir = hasNir
  }

  reset(): void {
    this.rgb.reset()
    for (const model of [this.used, this.low, this.high]) model.reset()
  }

  read(view: DataView, o: number, last: number): void {
    const rgbLayer = this.rgbLayer
    const nirLayer = this.nirLayer
    if (rgbLayer === undefined) copyWithin(view, last, o, 6)
    else this.rgb.read(rgbLayer, view, o, last)
    if (!this.hasNir) return
    copyWithin(view, last + 6, o + 6, 2)
    if (nirLayer === undefined) return
    const mask = nirLayer.decodeSymbol(this.used)
    if (mask & 1) view.setUint8(o + 6, view.getUint8(o + 6) + nirLayer.decodeSymbol(this.low))
    if (mask & 2) view.setUint8(o + 7, view.getUint8(o + 7) + nirLayer.decodeSymbol(this.high))
  }
}

class WaveChannel implements AttributeState {
  lastAt = 0
  readonly reader: WaveReader | undefined

  constructor(layer: LayerDecoder) {
    this.reader = layer === undefined ? undefined : new WaveReader(layer)
  }

  reset(): void {
    this.reader?.reset()
  }
}

class BytesChannel implements AttributeState {
  lastAt = 0
  readonly models: readonly SymbolModel[]

  constructor(size: number) {
    this.models = symbolModels(size, 256)
  }

  reset(): void {
    for (const model of this.models) model.reset()
  }
}

/** Placeholder for an empty layer, from which no symbol may be read. */
const NO_LAYER = new ArithmeticDecoder()

class LayeredChannel {
  readonly changes = symbolModels(8, 128)
  readonly channelStep = new SymbolModel(3)
  readonly returns = new ModelBank(16, 16)
  readonly returnNumber = new ModelBank(16, 16)
  readonly returnStep = new SymbolModel(13)
  readonly classification = new ModelBank(64, 256)
  readonly flags = new ModelBank(64, 64)
  readonly userData = new ModelBank(64, 256)
  readonly dx: IntegerDecompressor
  readonly dy: IntegerDecompressor
  readonly z: IntegerDecompressor
  readonly intensity: IntegerDecompressor
  readonly scanAngle: IntegerDecompressor
  readonly pointSource: IntegerDecompressor
  readonly time: TimeReader
  readonly medianX = medians(12)
  readonly medianY = medians(12)
  readonly lastZ = new Int32Array(8)
  readonly lastIntensity = new Uint16Array(8)
  timeChanged = false

  lastAt: number

  constructor(layers: readonly LayerDecoder[], view: DataView, lastAt: number) {
    this.lastAt = lastAt

    const layer = (i: number): ArithmeticDecoder => layers[i] ?? NO_LAYER
    this.dx = new IntegerDecompressor(layer(0), 32, 2)
    this.dy = new IntegerDecompressor(layer(0), 32, 22)
    this.z = new IntegerDecompressor(layer(1), 32, 20)
    this.intensity = new IntegerDecompressor(layer(4), 16, 4)
    this.scanAngle = new IntegerDecompressor(layer(5), 16, 2)
    this.pointSource = new IntegerDecompressor(layer(7), 16)
    this.time = new TimeReader(layer(8), false)
    this.time.reset(view.getInt32(lastAt + 22, true), view.getInt32(lastAt + 26, true))
    this.lastZ.fill(view.getInt32(lastAt + 8, true))
    this.lastIntensity.fill(view.getUint16(lastAt + 12, true))
  }
}

class LayeredPointReader {
  private readonly channels: (LayeredChannel | undefined)[] = []

  private readonly layers: readonly LayerDecoder[]
  private current: number

  constructor(layers: readonly LayerDecoder[], view: DataView, current: number) {
    this.layers = layers
    this.current = current

    this.channels[current] = new LayeredChannel(layers, view, 0)
  }

  /** Decodes a point. Returns its scanner channel if it changed, otherwise 0. */
  read(view: DataView, o: number): number {
    const xy = this.layers[0]!
    const previous = this.channels[this.current]!
    const previousReturns = view.getUint8(previous.lastAt + 14)
    const context =
      ((previousReturns & 15) === 1 ? 1 : 0) | ((previousReturns & 15) >= previousReturns >>> 4 ? 2 : 0) | (previous.timeChanged ? 4 : 0)
    const changes = xy.decodeSymbol(previous.changes[context]!)
    if (changes & CHANGED.channel) {
      this.current = (this.current + xy.decodeSymbol(previous.channelStep) + 1) & 3
      this.channels[this.current] ??= new LayeredChannel(this.layers, view, previous.lastAt)
    }
    const channel = this.channels[this.current]!
    copyWithin(view, channel.lastAt, o, 30)
    channel.timeChanged = (changes & CHANGED.time) !== 0
    const returns = this.readReturns(channel, view, o, changes)
    this.readPosition(channel, view, o, returns)
    this.readAttributes(channel, view, o, returns)
    this.readChanged(channel, view, o, changes)
    channel.lastAt = o
    return changes & CHANGED.channel ? this.current : 0
  }

  /** Decodes the byte with the number of returns (upper 4 bits) and the return number (lower 4 bits). */
  private readReturns(channel: LayeredChannel, view: DataView, o: number, changes: number): number {
    const xy = this.layers[0]!
    const last = view.getUint8(channel.lastAt + 14)
    let n = last >>> 4
    let r = last & 15
    if (changes & CHANGED.returns) n = xy.decodeSymbol(channel.returns.get(n))
    const code = changes & CHANGED.returnNumber
    if (code === 1) r = (r + 1) & 15
    else if (code === 2) r = (r + 15) & 15
    else if (code === 3) {
      if (channel.timeChanged) r = xy.decodeSymbol(channel.returnNumber.get(r))
      else r = (r + xy.decodeSymbol(channel.returnStep) + 2) & 15
    }
    const returns = (n << 4) | r
    view.setUint8(o + 14, returns)
    return returns
  }

  private readPosition(channel: LayeredChannel, view: DataView, o: number, returns: number): void {
    const last = channel.lastAt
    const n = returns >>> 4
    const single = n === 1 ? 1 : 0
    const history = (RETURN_MAP_4BIT[returns]! << 1) | (channel.timeChanged ? 1 : 0)
    const medianX = channel.medianX[history]!
    const dx = channel.dx.decompress(medianX.value, single)
    medianX.add(dx)
    view.setInt32(o, view.getInt32(last, true) + dx, true)
    const kx = channel.dx.k
    const medianY = channel.medianY[history]!
    const dy = channel.dy.decompress(medianY.value, single + (kx < 20 ? kx & ~1 : 20))
    medianY.add(dy)
    view.setInt32(o + 4, view.getInt32(last + 4, true) + dy, true)
    if (this.layers[1] === undefined) return
    const kxy = (kx + channel.dy.k) >>> 1
    const level = Math.min(7, Math.abs(n - (returns & 15)))
    const z = channel.z.decompress(channel.lastZ[level]!, single + (kxy < 18 ? kxy & ~1 : 18))
    channel.lastZ[level] = z
    view.setInt32(o + 8, z, true)
  }

  /** Decodes classification, flags and intensity: each has a symbol per point, unless its layer is empty. */
  private readAttributes(channel: LayeredChannel, view: DataView, o: number, returns: number): void {
    const classLayer = this.layers[2]
    const flagLayer = this.layers[3]
    const intensityLayer = this.layers[4]
    const last = channel.lastAt
    const r = returns & 15
    const position = (r === 1 ? 2 : 0) | (r >= returns >>> 4 ? 1 : 0)
    if (classLayer !== undefined) {
      const index = ((view.getUint8(last + 16) & 31) << 1) | (position === 3 ? 1 : 0)
      view.setUint8(o + 16, classLayer.decodeSymbol(channel.classification.get(index)))
    }
    let byte = view.getUint8(last + 15)
    if (flagLayer !== undefined) {
      const flags = flagLayer.decodeSymbol(channel.flags.get((byte & 15) | ((byte >>> 2) & 48)))
      byte = (flags & 15) | ((flags & 48) << 2)
    }
    view.setUint8(o + 15, (byte & 0xcf) | (this.current << 4))
    if (intensityLayer !== undefined) {
      const index = (position << 1) | (channel.timeChanged ? 1 : 0)
      const intensity = channel.intensity.decompress(channel.lastIntensity[index]!, position)
      channel.lastIntensity[index] = intensity
      view.setUint16(o + 12, intensity, true)
    }
  }

  /** Decodes the fields that changed according to `changes`, and user data, which has a symbol per point. */
  private readChanged(channel: LayeredChannel, view: DataView, o: number, changes: number): void {
    const last = channel.lastAt
    const userLayer = this.layers[6]
    if (changes & CHANGED.scanAngle) {
      view.setInt16(o + 18, channel.scanAngle.decompress(view.getInt16(last + 18, true), channel.timeChanged ? 1 : 0), true)
    }
    if (userLayer !== undefined) {
      view.setUint8(o + 17, userLayer.decodeSymbol(channel.userData.get(view.getUint8(last + 17) >>> 2)))
    }
    if (changes & CHANGED.pointSource) {
      view.setUint16(o + 20, channel.pointSource.decompress(view.getUint16(last + 20, true), 0), true)
    }
    if (channel.timeChanged) {
      channel.time.read()
      view.setInt32(o + 22, channel.time.timeLow, true)
      view.setInt32(o + 26, channel.time.timeHigh, true)
    }
  }
}
