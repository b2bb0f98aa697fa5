/** Reads an AVI file's pictures as a track whose frames have positions instead of timestamps. */

import { ByteReader } from '../../../bytes/reader.ts'
import type { SampleTables } from '../../../containers/isobmff/tables.ts'
import type { Avi } from '../../../containers/riff/avi.ts'
import { fourCC } from '../../../containers/riff/riff.ts'
import { type Message, message } from '../../../i18n/message.ts'
import type { Source } from '../../../model/codec.ts'
import type { PictureTrack } from '../picture-track.ts'
import { decoderOf, isIntraOnly } from './fourcc.ts'

export type PictureTrackResult = { track: PictureTrack; index: number } | { kept: Message; reason: 'unsupported_feature' }

/** Chunk type `pc` (palette change, chunks `xxpc`) as a little-endian number. */
const PALETTE_CHANGE = 0x6370

/** biCompression value of uncompressed pictures. */
const BI_RGB = 0
/** Palette after the BITMAPINFOHEADER, as RGBQUADs. biClrUsed is at offset 32; 0 means 256 colours. */
function paletteOf(strf: Uint8Array): Uint8Array {
  const reader = new ByteReader(strf, true)
  return strf.slice(40, 40 + 4 * Math.min(256, reader.u32(32) || 256))
}

/** FFmpeg's pixel format tag for blue, green, red and an unused byte: 'BGR\0'. */
const BGR0 = 0x524742

/** Extradata that makes FFmpeg's decoder read rows from the bottom up. Bitmaps do so unless their height is negative. */
const rowOrder = (height: number) => (height > 0 ? new TextEncoder().encode('BottomUp\0') : new Uint8Array())

/** Returns the first picture stream as a track with frames numbered 0, 1, 2 …, or the reason why its pictures are copied. */
export async function pictureTrack(source: Source, file: Avi): Promise<PictureTrackResult> {
  const stream = file.streams.find(({ kind }) => kind === 'vids')
  if (!stream || stream.strf.length < 40) return { kept: message('no_pictures'), reason: 'unsupported_feature' }
  // BITMAPINFOHEADER: width at offset 4, height at 8 (negative: top-down), bits at 14, compression at 16.
  const reader = new ByteReader(stream.strf, true)
  const [width, height] = [reader.i32(4), Math.abs(reader.i32(8))]
  const compression = fourCC(stream.strf, 16)
  const decoder = decoderOf(compression)
  if (!decoder) return { kept: message('pictures_of_type_kept', { type: compression }), reason: 'unsupported_feature' }
  if (width < 16 || height < 16 || width > 16384 || height > 16384)
    return { kept: message('pictures_of', { width, height }), reason: 'unsupported_feature' }
  const samples = samplesOf(file, stream.index, isIntraOnly(decoder))
  if (file.chunks.indexesOfStream(stream.index).some((chunk) => file.chunks.kind[chunk] === PALETTE_CHANGE))
    return { kept: message('changing_palette'), reason: 'unsupported_feature' }
  if (samples.count === 0) return { kept: message('no_pictures'), reason: 'unsupported_feature' }
  const rate = { num: Math.max(1, Math.min(stream.rate, 0x7fffffff)), den: Math.max(1, Math.min(stream.scale, 0x7fffffff)) }
  const fps = rate.num / rate.den
  if (!(fps >= 0.1 && fps <= 1000)) return { kept: message('frames_a_second', { fps }), reason: 'unsupported_feature' }
  const bits = reader.u16(14)
  const isRgb = reader.u32(16) === BI_RGB
  const palette = isRgb && bits === 8 ? paletteOf(stream.strf) : undefined
  if (isRgb && !palette && ![16, 24, 32].includes(bits))
    return { kept: message('uncompressed_pictures_of_bits', { bits }), reason: 'unsupported_feature' }
  const extradata = isRgb ? rowOrder(reader.i32(8)) : stream.strf.slice(40)
  return {
    index: stream.index,
    track: {
      stream: {
        decoder,
        extradata: extradata.length === 0 && decoder === 'mpeg4' ? await objectLayer(source, samples) : extradata,
        width,
        height,
        // The fourth byte has no meaning (BITMAPINFOHEADER, biBitCount), but FFmpeg would use it as transparency.
        tag: isRgb && bits === 32 ? BGR0 : reader.u32(16),
        bitsPerSample: palette ? 24 : bits,
        ...(palette ? { palette } : {}),
        ...(decoder === 'h264' ? { reorder: 4 } : {}),
      },
      timescale: Math.max(1, Math.round(fps)),
      samples,
      rate,
      start: 0,
      isCounted: true,
      annexb: true,
    },
  }
}

/** Lists the non-empty chunks of an AVI stream as samples of a track. */
function samplesOf({ chunks }: Avi, stream: number, intraOnly: boolean): SampleTables {
  const used = chunks.indexesOfStream(stream).filter((i) => chunks.size[i]! > 0)
  return {
    count: used.length,
    offset: chunks.offsetsOf(used),
    size: used.map((i) => chunks.size[i]!),
    dts: Uint32Array.from({ length: used.length + 1 }, (_, i) => i),
    composition: new Int32Array(used.length),
    sync: Uint8Array.from(used, (chunk, i) => (intraOnly || i === 0 || chunks.key[chunk] ? 1 : 0)),
  }
}

const HEADER_BYTES = 4096

/** Header of an MPEG-4 stream (ISO/IEC 14496-2, 6.2). Some files have it only before the first picture, but every part needs it. */
async function objectLayer(source: Source, { offset, size }: SampleTables): Promise<Uint8Array> {
  const bytes = (await source.read(offset[0]!, Math.min(HEADER_BYTES, size[0]!))).slice()
  for (let at = 0; at + 4 <= bytes.length; at++) {
    // vop_start_code: the first picture begins here.
    if (bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1 && bytes[at + 3] === 0xb6) return bytes.subarray(0, at)
  }
  return new Uint8Array()
}
