/** Reads and writes the `fmt ` chunk (WAVEFORMATEX, WAVEFORMATEXTENSIBLE), and reads the chunk structure of a WAVE file. */

import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { type RiffChunk, readRiff } from '../../containers/riff/riff.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { RIFF_CREDENTIALS, signedByCredentials } from '../../model/content-credentials.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { adpcm } from './adpcm.ts'
import { MS_COEFFICIENTS } from './ms-adpcm.ts'

/** How a WAVE file encodes a sample. */
export type Coding = 'integer' | 'float' | 'alaw' | 'mulaw' | 'ima' | 'ms' | 'other'

export interface Layout {
  readonly coding: Coding
  readonly channels: number
  readonly hertz: number
  /** Bits per sample in the file: 8, 16, 24, 32 or 64; 4 for ADPCM. */
  readonly bits: number
  /** Bytes of a frame (one sample of each channel), or of an ADPCM block. */
  readonly blockBytes: number
  /** Samples per channel in an ADPCM block; 1 for other codings. */
  readonly blockSamples: number
  /** Speaker positions (dwChannelMask). `undefined`: the file has no WAVEFORMATEXTENSIBLE header. */
  readonly mask: number | undefined
  /** How an AIFF file stores the samples. `undefined`: a WAVE file. */
  readonly iff?: IffStorage
}

export interface IffStorage {
  readonly isLittleEndian: boolean
  /** True if samples of 8 bits are unsigned, as in WAVE. */
  readonly isUnsigned8: boolean
  /** Kind of compression in COMM: four characters. */
  readonly compression: string
  /** False if the sample rate has a fraction, which other formats cannot store. */
  readonly isWholeRate: boolean
}

export interface Wave {
  readonly layout: Layout
  readonly chunks: readonly RiffChunk[]
  readonly data: RiffChunk
  /** Number of samples per channel. */
  readonly frames: number
  /** Bytes after the RIFF form, for example an ID3 tag. */
  readonly tail: { readonly offset: number; readonly size: number }
  readonly container: string
}

/** Last 14 bytes of a KSDATAFORMAT_SUBTYPE GUID, after the format tag: 0000-0010-8000-00AA00389B71. */
const SUBFORMAT = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]

const TAGS: { readonly [tag: number]: Coding } = { 1: 'integer', 2: 'ms', 3: 'float', 6: 'alaw', 7: 'mulaw', 17: 'ima' }

/** Reads the header. @throws CodecError (malformed), CodecError (unsupported_feature) for big-endian files (RIFX) */
export async function readWave(source: Source): Promise<Wave> {
  const riff = await readRiff(source, 'wav')
  if (riff.container === 'RIFX') throw unsupported('big_endian_wave_rifx')
  const fmt = riff.chunks.find((chunk) => chunk.id === 'fmt ')
  const data = riff.chunks.find((chunk) => chunk.id === 'data')
  if (riff.chunks.some(({ id }) => id === RIFF_CREDENTIALS)) throw signedByCredentials()
  if (!fmt || fmt.size < 16) throw malformed('wav', 12, 'no_fmt_chunk')
  if (!data) throw malformed('wav', riff.end, 'no_data_chunk')
  for (const id of ['fmt ', 'data'])
    if (riff.chunks.filter((chunk) => chunk.id === id).length > 1) throw unsupported(message('several_chunks', { id }))
  const layout = parseFormat(await source.read(fmt.offset, Math.min(fmt.size, 64)), fmt.offset)
  const frames = await countFrames(source, layout, data, riff.chunks)
  const tail = { offset: riff.end, size: Math.max(0, source.size - riff.end) }
  return { layout, chunks: riff.chunks, data, frames, tail, container: riff.container }
}

function parseFormat(body: Uint8Array, offset: number): Layout {
  const reader = new ByteReader(body, true)
  let tag = reader.u16(0)
  const channels = reader.u16(2)
  const hertz = reader.u32(4)
  // nAvgBytesPerSec (4 bytes at offset 8) is not needed: it follows from the other fields.
  const blockBytes = reader.u16(12)
  const bits = reader.u16(14)
  let mask: number | undefined
  if (tag === 0xfffe && body.length >= 40) {
    // cbSize at offset 16, wValidBitsPerSample at 18, dwChannelMask at 20. SubFormat's first two bytes are the format tag.
    mask = reader.u32(20)
    // Other GUIDs are variants of the same coding, for example ambisonic channels.
    tag = SUBFORMAT.every((byte, i) => body[26 + i] === byte) ? reader.u16(24) : 0
  }
  const coding = TAGS[tag] ?? 'other'
  if (channels === 0 || channels > 64 || hertz === 0 || hertz > 3_072_000) throw malformed('wav', offset, 'absurd_channels_or_rate')
  const blockSamples = adpcm(coding)?.blockSamples(blockBytes, channels) ?? 1
  const sane: Record<Coding, boolean> = {
    integer: [8, 16, 24, 32].includes(bits) && blockBytes === (channels * bits) / 8,
    float: [32, 64].includes(bits) && blockBytes === (channels * bits) / 8,
    alaw: bits === 8 && blockBytes === channels,
    mulaw: bits === 8 && blockBytes === channels,
    ima: bits === 4 && blockBytes > 4 * channels && blockBytes % (4 * channels) === 0,
    ms: bits === 4 && channels <= 2 && blockSamples > 2 && hasUsualCoefficients(reader),
    other: true,
  }
  return { coding: sane[coding] ? coding : 'other', channels, hertz, bits, blockBytes, blockSamples, mask }
}

/** ADPCMWAVEFORMAT: wNumCoef at offset 20, then the coefficient sets. */
function hasUsualCoefficients(reader: ByteReader): boolean {
  if (reader.length < 50 || reader.u16(20) !== MS_COEFFICIENTS.length) return false
  return MS_COEFFICIENTS.flat().every((value, i) => reader.i16(22 + 2 * i) === value)
}

async function countFrames(source: Source, layout: Layout, data: RiffChunk, chunks: readonly RiffChunk[]): Promise<number> {
  if (layout.coding === 'other') return 0
  const { channels, blockBytes, blockSamples } = layout
  const whole = Math.floor(data.size / blockBytes)
  const blocks = adpcm(layout.coding)
  if (!blocks) return whole
  const coded = whole * blockSamples + blocks.blockSamples(data.size - whole * blockBytes, channels)
  const fact = chunks.find((chunk) => chunk.id === 'fact')
  if (!fact || fact.size < 4) return coded
  const body = await source.read(fact.offset, 4)
  return Math.min(coded, new ByteReader(body, true).u32(0))
}

/** Returns the body of the `fmt ` chunk. Uses WAVEFORMATEXTENSIBLE if the layout has a channel mask. */
export function formatBody(layout: Layout): Uint8Array {
  const tag = { integer: 1, float: 3, alaw: 6, mulaw: 7, ima: 0x11, ms: 2, other: 0 }[layout.coding]
  const { mask } = layout
  const extensible = mask !== undefined && layout.coding !== 'ima'
  const body = ByteWriter.growing(true)
    .u16(extensible ? 0xfffe : tag)
    .u16(layout.channels)
    .u32(layout.hertz)
    .u32(Math.round((layout.hertz * layout.blockBytes) / layout.blockSamples))
    .u16(layout.blockBytes)
    .u16(layout.bits)
  if (extensible)
    body
      .u16(22)
      .u16(layout.bits)
      .u32(mask)
      .bytes([tag, 0, ...SUBFORMAT])
  else if (layout.coding === 'ima') body.u16(2).u16(layout.blockSamples)
  else if (layout.coding !== 'integer') body.u16(0)
  return body.finish()
}
