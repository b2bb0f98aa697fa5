import { ArithmeticEncoder } from './arithmetic-encoder.ts'
import { RgbModels, WavePacketModels } from './items-pointwise.ts'
import { SymbolModel } from './models.ts'
import { WAVE_PACKET_SIZE } from './point-layout.ts'

/** Scanner channels of point formats 6 to 10. */
export const CHANNELS = 4

/** One attribute's code stream within a chunk; empty when the attribute never changed. */
export class Layer {
  readonly encoder = new ArithmeticEncoder()
  changed = false

  private readonly always: boolean

  constructor(always = false) {
    this.always = always
  }

  reset(): void {
    this.encoder.reset()
    this.changed = this.always
  }

  finish(): Uint8Array {
    return this.changed ? this.encoder.finish() : new Uint8Array(0)
  }
}

export interface LayeredItem {
  readonly layers: readonly Layer[]
  /** Starts a chunk whose first point, of this scanner channel, has the item at `o`. */
  reset(view: DataView, o: number, channel: number): void
}

export interface AttributeState {
  /** Where the value that predicts the channel's next one lies in the chunk. */
  lastAt: number
  reset(): void
}

/**
 * Channel bookkeeping of the attributes that follow the core fields.
 *
 * Version 3 has two quirks every reader shares, so a writer must keep them:
 * these attributes see the scanner channel only on the very point at which it
 * changes and channel 0 otherwise, and on returning to a channel seen before
 * they predict from (and then replace) the *previous* channel's last value.
 */
export class AttributeChannels<T extends AttributeState> {
  /** The state that owns the last value for the point being coded. */
  history!: T
  private readonly states: (T | undefined)[] = new Array<undefined>(CHANNELS)
  private readonly live: boolean[] = new Array<boolean>(CHANNELS).fill(false)
  private readonly create: () => T
  private current = 0

  constructor(create: () => T) {
    this.create = create
  }

  reset(channel: number, at: number): void {
    this.live.fill(false)
    this.current = channel
    this.history = this.open(channel, at)
  }

  /** Returns the state whose models to use and sets `history`. */
  select(channel: number): T {
    const previous = this.states[this.current]!
    this.history = previous
    if (channel === this.current) return previous
    this.current = channel
    if (this.live[channel] !== true) this.history = this.open(channel, previous.lastAt)
    return this.states[channel]!
  }

  private open(channel: number, at: number): T {
    const state = (this.states[channel] ??= this.create())
    state.reset()
    state.lastAt = at
    this.live[channel] = true
    return state
  }
}

class ColourState implements AttributeState {
  readonly rgb = new RgbModels()
  readonly nirUsed = new SymbolModel(4)
  readonly nirLow = new SymbolModel(256)
  readonly nirHigh = new SymbolModel(256)
  lastAt = 0

  reset(): void {
    this.rgb.reset()
    this.nirUsed.reset()
    this.nirLow.reset()
    this.nirHigh.reset()
  }
}

/** RGB, optionally followed by near infrared in a layer of its own. */
export class Colour14 implements LayeredItem {
  private readonly rgbLayer = new Layer()
  private readonly nirLayer = new Layer()
  readonly layers: readonly Layer[]
  readonly size: 6 | 8
  private readonly channels = new AttributeChannels(() => new ColourState())

  private readonly hasNir: boolean

  constructor(hasNir: boolean) {
    this.hasNir = hasNir

    this.layers = hasNir ? [this.rgbLayer, this.nirLayer] : [this.rgbLayer]
    this.size = hasNir ? 8 : 6
  }

  reset(_view: DataView, o: number, channel: number): void {
    for (const layer of this.layers) layer.reset()
    this.channels.reset(channel, o)
  }

  write(view: DataView, o: number, channel: number): void {
    const state = this.channels.select(channel)
    const { history } = this.channels
    const last = history.lastAt
    history.lastAt = o
    const mask = state.rgb.write(this.rgbLayer.encoder, view, o, last)
    // Bit 6 only says "not grey"; without the others the colour is the last one.
    if ((mask & 63) !== 0) this.rgbLayer.changed = true
    if (this.hasNir) this.writeNir(state, view.getUint16(o + 6, true), view.getUint16(last + 6, true))
  }

  private writeNir(state: ColourState, nir: number, last: number): void {
    const { encoder } = this.nirLayer
    const low = (nir & 255) !== (last & 255)
    const high = nir >>> 8 !== last >>> 8
    encoder.encodeSymbol(state.nirUsed, (low ? 1 : 0) | (high ? 2 : 0))
    if (low) encoder.encodeSymbol(state.nirLow, (nir - last) & 255)
    if (high) encoder.encodeSymbol(state.nirHigh, ((nir >>> 8) - (last >>> 8)) & 255)
    if (low || high) this.nirLayer.changed = true
  }
}

class BytesState implements AttributeState {
  readonly models: readonly SymbolModel[]
  lastAt = 0

  constructor(size: number) {
    this.models = Array.from({ length: size }, () => new SymbolModel(256))
  }

  reset(): void {
    for (const model of this.models) model.reset()
  }
}

/** Extra bytes of formats 6 to 10: one layer per byte. */
export class Bytes14 implements LayeredItem {
  readonly layers: readonly Layer[]
  private readonly channels: AttributeChannels<BytesState>

  private readonly size: number

  constructor(size: number) {
    this.size = size

    this.layers = Array.from({ length: size }, () => new Layer())
    this.channels = new AttributeChannels(() => new BytesState(size))
  }

  reset(_view: DataView, o: number, channel: number): void {
    for (const layer of this.layers) layer.reset()
    this.channels.reset(channel, o)
  }

  write(view: DataView, o: number, channel: number): void {
    const { models } = this.channels.select(channel)
    const { history } = this.channels
    const last = history.lastAt
    history.lastAt = o
    for (let i = 0; i < this.size; i++) {
      const diff = view.getUint8(o + i) - view.getUint8(last + i)
      const layer = this.layers[i]!
      layer.encoder.encodeSymbol(models[i]!, diff & 255)
      if (diff !== 0) layer.changed = true
    }
  }
}

class WaveState implements AttributeState {
  readonly models: WavePacketModels
  lastAt = 0

  constructor(encoder: ArithmeticEncoder) {
    this.models = new WavePacketModels(encoder)
  }

  reset(): void {
    this.models.reset()
  }
}

export class WavePacket14 implements LayeredItem {
  private readonly layer = new Layer()
  readonly layers = [this.layer] as const
  private readonly channels = new AttributeChannels(() => new WaveState(this.layer.encoder))

  reset(_view: DataView, o: number, channel: number): void {
    this.layer.reset()
    this.channels.reset(channel, o)
  }

  write(view: DataView, o: number, channel: number): void {
    const { models } = this.channels.select(channel)
    const { history } = this.channels
    const last = history.lastAt
    history.lastAt = o
    for (let i = 0; i < WAVE_PACKET_SIZE && !this.layer.changed; i++) {
      this.layer.changed = view.getUint8(o + i) !== view.getUint8(last + i)
    }
    models.write(view, o, last)
  }
}
