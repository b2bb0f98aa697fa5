/** The `fmt ` chunk (WAVEFORMATEX, WAVEFORMATEXTENSIBLE) and the frame of a WAVE file. */

import type { Source } from '../../codec/codec.ts'
import { malformed, unsupported } from '../../codec/error.ts'
import { type Chunk, readRiff } from '../../containers/riff/riff.ts'
import { adpcm } from './adpcm.ts'
import { MS_COEFFICIENTS } from './ms-adpcm.ts'

/** How one sample is stored. */
export type Coding = 'integer' | 'float' | 'alaw' | 'mulaw' | 'ima' | 'ms' | 'other'

export interface Layout {
  readonly coding: Coding
  readonly channels: number
  readonly hertz: number
  /** Bits a sample takes in the file (8, 16, 24, 32, 64; 4 for ADPCM). */
  readonly bits: number
  /** Bytes of a frame (one sample of every channel), or of an ADPCM block. */
  readonly blockBytes: number
  /** Samples a channel in an ADPCM block. */
  readonly blockSamples: number
  /** Speaker positions of WAVEFORMATEXTENSIBLE; undefined for the plain header. */
  readonly mask: number | undefined
}

export interface Wave {
  readonly layout: Layout
  readonly chunks: readonly Chunk[]
  readonly data: Chunk
  /** Samples a channel. */
  readonly frames: number
  /** Foreign bytes behind the form. */
  readonly tail: { readonly offset: number; readonly size: number }
  readonly container: string
}

const TAGS: { readonly [tag: number]: Coding } = { 1: 'integer', 2: 'ms', 3: 'float', 6: 'alaw', 7: 'mulaw', 17: 'ima' }

/** @throws CodecError (malformed), CodecError (unsupported_feature) (big-endian files) */
export async function readWave(source: Source): Promise<Wave> {
  const riff = await readRiff(source, 'wav')
  if (riff.container === 'RIFX') throw unsupported('big-endian WAVE (RIFX)')
  const fmt = riff.chunks.find((chunk) => chunk.id === 'fmt ')
  const data = riff.chunks.find((chunk) => chunk.id === 'data')
  if (!fmt || fmt.size < 16) throw malformed('wav', 12, "no 'fmt ' chunk")
  if (!data) throw malformed('wav', riff.end, "no 'data' chunk")
  if (riff.chunks.filter((chunk) => chunk.id === 'data').length > 1) throw unsupported("several 'data' chunks")
  const layout = parseFormat(await source.read(fmt.offset, Math.min(fmt.size, 64)), fmt.offset)
  const frames = await countFrames(source, layout, data, riff.chunks)
  const tail = { offset: riff.end, size: Math.max(0, source.size - riff.end) }
  return { layout, chunks: riff.chunks, data, frames, tail, container: riff.container }
}

function parseFormat(body: Uint8Array, offset: number): Layout {
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  let tag = view.getUint16(0, true)
  const channels = view.getUint16(2, true)
  const hertz = view.getUint32(4, true)
  // nAvgBytesPerSec (4 bytes at 8) follows from the rest.
  const blockBytes = view.getUint16(12, true)
  const bits = view.getUint16(14, true)
  let mask: number | undefined
  if (tag === 0xfffe && body.length >= 40) {
    // cbSize at 16, wValidBitsPerSample at 18, dwChannelMask at 20, SubFormat's first two bytes are the old tag.
    mask = view.getUint32(20, true)
    tag = view.getUint16(24, true)
  }
  const coding = TAGS[tag] ?? 'other'
  if (channels === 0 || channels > 64 || hertz === 0 || hertz > 3_072_000) throw malformed('wav', offset, 'absurd channels or rate')
  const blockSamples = adpcm(coding)?.blockSamples(blockBytes, channels) ?? 1
  const sane: Record<Coding, boolean> = {
    integer: [8, 16, 24, 32].includes(bits) && blockBytes === (channels * bits) / 8,
    float: [32, 64].includes(bits) && blockBytes === (channels * bits) / 8,
    alaw: bits === 8 && blockBytes === channels,
    mulaw: bits === 8 && blockBytes === channels,
    ima: bits === 4 && blockBytes > 4 * channels && blockBytes % (4 * channels) === 0,
    ms: bits === 4 && channels <= 2 && blockSamples > 2 && hasUsualCoefficients(view),
    other: true,
  }
  return { coding: sane[coding] ? coding : 'other', channels, hertz, bits, blockBytes, blockSamples, mask }
}

/** ADPCMWAVEFORMAT: wNumCoef at 20, then the sets. */
function hasUsualCoefficients(view: DataView): boolean {
  if (view.byteLength < 50 || view.getUint16(20, true) !== MS_COEFFICIENTS.length) return false
  return MS_COEFFICIENTS.flat().every((value, i) => view.getInt16(22 + 2 * i, true) === value)
}

async function countFrames(source: Source, layout: Layout, data: Chunk, chunks: readonly Chunk[]): Promise<number> {
  if (layout.coding === 'other') return 0
  const { channels, blockBytes, blockSamples } = layout
  const whole = Math.floor(data.size / blockBytes)
  const blocks = adpcm(layout.coding)
  if (!blocks) return whole
  const coded = whole * blockSamples + blocks.blockSamples(data.size - whole * blockBytes, channels)
  const fact = chunks.find((chunk) => chunk.id === 'fact')
  if (!fact || fact.size < 4) return coded
  const body = await source.read(fact.offset, 4)
  return Math.min(coded, new DataView(body.buffer, body.byteOffset, 4).getUint32(0, true))
}

/** The `fmt ` chunk's body for a layout; extensible when it names speakers. */
export function formatBody(layout: Layout): Uint8Array {
  const tag = { integer: 1, float: 3, alaw: 6, mulaw: 7, ima: 0x11, ms: 2, other: 0 }[layout.coding]
  const extensible = layout.mask !== undefined && layout.coding !== 'ima'
  const size = extensible ? 40 : layout.coding === 'ima' ? 20 : layout.coding === 'integer' ? 16 : 18
  const body = new Uint8Array(size)
  const view = new DataView(body.buffer)
  view.setUint16(0, extensible ? 0xfffe : tag, true)
  view.setUint16(2, layout.channels, true)
  view.setUint32(4, layout.hertz, true)
  view.setUint32(8, Math.round((layout.hertz * layout.blockBytes) / layout.blockSamples), true)
  view.setUint16(12, layout.blockBytes, true)
  view.setUint16(14, layout.bits, true)
  if (extensible) {
    view.setUint16(16, 22, true)
    view.setUint16(18, layout.bits, true)
    view.setUint32(20, layout.mask!, true)
    // KSDATAFORMAT_SUBTYPE: the old tag in front of 0000-0010-8000-00AA00389B71.
    body.set([tag, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71], 24)
  } else if (layout.coding === 'ima') {
    view.setUint16(16, 2, true)
    view.setUint16(18, layout.blockSamples, true)
  }
  return body
}
