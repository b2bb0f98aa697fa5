/** An AVI file's pictures as a track, whose frames have places instead of times. */
import type { PictureTrack } from '../../containers/film/pictures.ts'
import type { Samples } from '../../containers/isobmff/tables.ts'
import type { Avi } from '../../containers/riff/avi.ts'
import { fourCC } from '../../containers/riff/riff.ts'
import { decoderOf } from './fourcc.ts'

/** The first picture stream as a track whose frames count 0, 1, 2 … */
export function pictureTrack(file: Avi): { track: PictureTrack; index: number } | { kept: string; reason: 'unsupported_feature' } {
  const stream = file.streams.find(({ kind }) => kind === 'vids')
  if (!stream || stream.strf.length < 40) return { kept: 'no pictures', reason: 'unsupported_feature' }
  // BITMAPINFOHEADER: width at 4, height at 8 (negative is top-down), bits at 14, compression at 16.
  const view = new DataView(stream.strf.buffer, stream.strf.byteOffset, stream.strf.length)
  const [width, height] = [view.getInt32(4, true), Math.abs(view.getInt32(8, true))]
  const compression = fourCC(stream.strf, 16)
  const decoder = decoderOf(compression)
  if (!decoder) return { kept: `pictures of type '${compression}' are kept as they are`, reason: 'unsupported_feature' }
  if (width < 16 || height < 16 || width > 16384 || height > 16384)
    return { kept: `pictures of ${width}×${height}`, reason: 'unsupported_feature' }
  const used = file.chunks.filter((chunk) => chunk.stream === stream.index && chunk.size > 0)
  const samples: Samples = {
    count: used.length,
    offset: Float64Array.from(used, ({ offset }) => offset),
    size: Uint32Array.from(used, ({ size }) => size),
    dts: Float64Array.from({ length: used.length + 1 }, (_, i) => i),
    composition: new Int32Array(used.length),
    sync: Uint8Array.from(used, ({ key }, i) => (key || i === 0 ? 1 : 0)),
  }
  if (used.length === 0) return { kept: 'no pictures', reason: 'unsupported_feature' }
  const rate = { num: Math.max(1, Math.min(stream.rate, 0x7fffffff)), den: Math.max(1, Math.min(stream.scale, 0x7fffffff)) }
  const fps = rate.num / rate.den
  if (!(fps >= 0.1 && fps <= 1000)) return { kept: `${fps} frames a second`, reason: 'unsupported_feature' }
  return {
    index: stream.index,
    track: {
      stream: {
        decoder,
        extradata: stream.strf.slice(40),
        width,
        height,
        tag: view.getUint32(16, true),
        bitsPerSample: view.getUint16(14, true),
        ...(decoder === 'h264' ? { reorder: 4 } : {}),
      },
      timescale: Math.max(1, Math.round(fps)),
      samples,
      rate,
      counted: true,
      annexb: true,
    },
  }
}
