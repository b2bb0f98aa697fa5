import { ArithmeticEncoder } from './arithmetic-encoder.ts'
import { Bytes14, Colour14, type Layer, WavePacket14 } from './attributes-layered.ts'
import { Bytes10, GpsTime11, Point10, Rgb12, WavePacket13 } from './items-pointwise.ts'
import { Point14 } from './point-layered.ts'
import type { PointLayout } from './point-layout.ts'

export interface ChunkEncoder {
  /**
   * Compresses one chunk of whole records.
   * The pieces returned are valid until the next call.
   */
  encode(records: Uint8Array): readonly Uint8Array[]
}

export function createChunkEncoder(layout: PointLayout): ChunkEncoder {
  return layout.compressor === 3 ? new LayeredChunkEncoder(layout) : new PointwiseChunkEncoder(layout)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

class PointwiseChunkEncoder implements ChunkEncoder {
  private readonly encoder = new ArithmeticEncoder(1 << 20)
  private readonly point: Point10
  private readonly time: GpsTime11 | undefined
  private readonly rgb: Rgb12 | undefined
  private readonly wave: WavePacket13 | undefined
  private readonly bytes: Bytes10 | undefined

  private readonly layout: PointLayout

  constructor(layout: PointLayout) {
    this.layout = layout

    const encoder = this.encoder
    this.point = new Point10(encoder)
    this.time = layout.time ? new GpsTime11(encoder) : undefined
    this.rgb = layout.rgb ? new Rgb12(encoder) : undefined
    this.wave = layout.wave ? new WavePacket13(encoder) : undefined
    this.bytes = layout.extra > 0 ? new Bytes10(encoder, layout.extra) : undefined
  }

  encode(records: Uint8Array): readonly Uint8Array[] {
    const encoder = this.encoder
    const point = this.point
    const time = this.time
    const rgb = this.rgb
    const wave = this.wave
    const bytes = this.bytes
    const { recordLength, core, extra } = this.layout
    const view = viewOf(records)
    const timeAt = core
    const rgbAt = timeAt + (time === undefined ? 0 : 8)
    const waveAt = rgbAt + (rgb === undefined ? 0 : 6)
    const bytesAt = recordLength - extra

    encoder.reset()
    point.reset(view, 0)
    time?.reset(view, timeAt)
    rgb?.reset()
    wave?.reset()
    bytes?.reset()
    for (let o = recordLength; o < records.length; o += recordLength) {
      point.write(view, o)
      if (time !== undefined) time.write(view, o + timeAt)
      const last = o - recordLength
      if (rgb !== undefined) rgb.write(view, o + rgbAt, last + rgbAt)
      if (wave !== undefined) wave.write(view, o + waveAt, last + waveAt)
      if (bytes !== undefined) bytes.write(view, o + bytesAt, last + bytesAt)
    }
    return [records.subarray(0, recordLength), encoder.finish()]
  }
}

class LayeredChunkEncoder implements ChunkEncoder {
  private readonly point = new Point14()
  private readonly colour: Colour14 | undefined
  private readonly wave: WavePacket14 | undefined
  private readonly bytes: Bytes14 | undefined
  private readonly layers: readonly Layer[]

  private readonly layout: PointLayout

  constructor(layout: PointLayout) {
    this.layout = layout

    this.colour = layout.rgb ? new Colour14(layout.nir) : undefined
    this.wave = layout.wave ? new WavePacket14() : undefined
    this.bytes = layout.extra > 0 ? new Bytes14(layout.extra) : undefined
    this.layers = [...this.point.layers, ...(this.colour?.layers ?? []), ...(this.wave?.layers ?? []), ...(this.bytes?.layers ?? [])]
  }

  encode(records: Uint8Array): readonly Uint8Array[] {
    const point = this.point
    const colour = this.colour
    const wave = this.wave
    const bytes = this.bytes
    const layers = this.layers
    const { recordLength, core, extra } = this.layout
    const view = viewOf(records)
    const colourAt = core
    const waveAt = colourAt + (colour?.size ?? 0)
    const bytesAt = recordLength - extra

    const first = Point14.channelOf(view, 0)
    point.reset(view, 0, first)
    colour?.reset(view, colourAt, first)
    wave?.reset(view, waveAt, first)
    bytes?.reset(view, bytesAt, first)
    for (let o = recordLength; o < records.length; o += recordLength) {
      const channel = point.write(view, o)
      if (colour !== undefined) colour.write(view, o + colourAt, channel)
      if (wave !== undefined) wave.write(view, o + waveAt, channel)
      if (bytes !== undefined) bytes.write(view, o + bytesAt, channel)
    }

    const streams = layers.map((layer) => layer.finish())
    const sizes = new DataView(new ArrayBuffer(4 + 4 * streams.length))
    sizes.setUint32(0, records.length / recordLength, true)
    for (const [i, stream] of streams.entries()) sizes.setUint32(4 + 4 * i, stream.length, true)
    return [records.subarray(0, recordLength), new Uint8Array(sizes.buffer), ...streams]
  }
}
