/** Reads samples of a WAVE file in blocks, and packs samples to bytes. */

import { discard } from '../../../../wasm/memories/discard.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import { type Adpcm, adpcm } from './adpcm.ts'
import { inRiffOrder } from './aiff/riff-order.ts'
import { g711 } from './g711.ts'
import type { Layout, Wave } from './header.ts'
import { SAMPLE_BLOCK_BYTES } from './tuning.ts'

/** Interleaved samples: signed integers of `bits` bits, or floats with full scale −1…1. */
export type SampleBlock =
  | { readonly kind: 'integer'; readonly bits: number; readonly values: Int32Array }
  | { readonly kind: 'float'; readonly values: Float64Array }

/** Yields all samples of a file in blocks of about 512 KiB. A block is valid until the next is requested. */
export async function* readSamples(
  source: Source,
  wave: Wave,
  options: Options,
  share?: (done: number) => void,
): AsyncGenerator<SampleBlock> {
  const { layout, data } = wave
  const perBlock = Math.max(1, Math.floor(SAMPLE_BLOCK_BYTES / layout.blockBytes))
  const bytesPerRead = perBlock * layout.blockBytes
  let frames = 0
  for (let at = 0; frames < wave.frames; at += bytesPerRead) {
    options.signal.throwIfAborted()
    const wanted = Math.min(bytesPerRead, data.size - at)
    const bytes = await source.read(data.offset + at, wanted)
    if (bytes.length < wanted) throw malformed('wav', data.offset + at + bytes.length, 'samples_end_early')
    const all = unpack(inRiffOrder(bytes, layout), layout)
    if (bytes.length < source.size) discard(bytes)
    const samples = cut(all, (wave.frames - frames) * layout.channels)
    const got = samples.values.length / layout.channels
    if (got === 0) return
    frames += got
    yield samples
    discard(all.values)
    share?.(frames / wave.frames)
  }
}

function cut(samples: SampleBlock, count: number): SampleBlock {
  if (samples.values.length <= count) return samples
  if (samples.kind === 'float') return { kind: 'float', values: samples.values.subarray(0, count) }
  return { ...samples, values: samples.values.subarray(0, count) }
}

function unpack(bytes: Uint8Array, layout: Layout): SampleBlock {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const { coding, bits } = layout
  const blocks = adpcm(coding)
  if (blocks) return { kind: 'integer', bits: 16, values: unpackBlocks(bytes, layout, blocks) }
  const count = Math.floor(bytes.length / layout.blockBytes) * layout.channels
  if (coding === 'float') {
    const values = new Float64Array(count)
    if (bits === 32) for (let i = 0; i < count; i++) values[i] = view.getFloat32(i * 4, true)
    else for (let i = 0; i < count; i++) values[i] = view.getFloat64(i * 8, true)
    return { kind: 'float', values }
  }
  const values = new Int32Array(count)
  if (coding === 'alaw' || coding === 'mulaw') {
    const { expand } = g711()[coding]
    for (let i = 0; i < count; i++) values[i] = expand[bytes[i]!]!
    return { kind: 'integer', bits: 16, values }
  }
  if (bits === 8) for (let i = 0; i < count; i++) values[i] = bytes[i]! - 128
  else if (bits === 16) for (let i = 0; i < count; i++) values[i] = view.getInt16(i * 2, true)
  else if (bits === 24)
    for (let i = 0, at = 0; i < count; i++, at += 3) values[i] = bytes[at]! | (bytes[at + 1]! << 8) | (view.getInt8(at + 2) << 16)
  else for (let i = 0; i < count; i++) values[i] = view.getInt32(i * 4, true)
  return { kind: 'integer', bits, values }
}

/** Decodes ADPCM blocks. An incomplete last block counts if it has a complete header. */
function unpackBlocks(bytes: Uint8Array, { channels, blockBytes }: Layout, { blockSamples, decode }: Adpcm): Int32Array {
  const blocks: Int32Array[] = []
  let total = 0
  for (let at = 0; blockSamples(bytes.length - at, channels) > 0; at += blockBytes) {
    const block = decode(bytes.subarray(at, at + blockBytes), channels)
    blocks.push(block)
    total += block.length
  }
  const values = new Int32Array(total)
  let filled = 0
  for (const block of blocks) {
    values.set(block, filled)
    filled += block.length
  }
  return values
}

/** Packs integers of `fromBits` bits to `bits` bits. The dropped low bits must be zero. */
export function packIntegers(values: Int32Array, fromBits: number, bits: number): Uint8Array {
  const shift = fromBits - bits
  const out = new Uint8Array((values.length * bits) / 8)
  const view = new DataView(out.buffer)
  if (bits === 8) for (let i = 0; i < values.length; i++) out[i] = (values[i]! >> shift) + 128
  else if (bits === 16) for (let i = 0; i < values.length; i++) view.setInt16(i * 2, values[i]! >> shift, true)
  else if (bits === 24) {
    for (let i = 0, at = 0; i < values.length; i++, at += 3) {
      const value = values[i]! >> shift
      out[at] = value
      out[at + 1] = value >> 8
      out[at + 2] = value >> 16
    }
  } else for (let i = 0; i < values.length; i++) view.setInt32(i * 4, values[i]! >> shift, true)
  return out
}

/** Rounds to 16-bit integers, with clipping. Returns the input array if the samples have 16 bits already. */
export function roundTo16Bits(samples: SampleBlock): Int32Array {
  if (samples.kind === 'integer' && samples.bits === 16) return samples.values
  const out = new Int32Array(samples.values.length)
  if (samples.kind === 'integer') {
    const { bits, values } = samples
    const unit = 2 ** (bits - 16)
    for (let i = 0; i < values.length; i++) out[i] = Math.max(-32768, Math.min(32767, Math.round(values[i]! / unit)))
    return out
  }
  for (let i = 0; i < out.length; i++) out[i] = Math.max(-32768, Math.min(32767, Math.round(samples.values[i]! * 32768)))
  return out
}

/** Scales samples to 16-bit units with fractions, so that all codings are comparable. */
export function in16BitUnits(samples: SampleBlock): Float64Array | Int32Array {
  if (samples.kind === 'integer' && samples.bits === 16) return samples.values
  const unit = samples.kind === 'integer' ? 2 ** (samples.bits - 16) : 1 / 32768
  const out = new Float64Array(samples.values.length)
  for (let i = 0; i < out.length; i++) out[i] = samples.values[i]! / unit
  return out
}
