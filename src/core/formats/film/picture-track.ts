import type { VideoStream } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import type { SampleTables } from '../../containers/isobmff/tables.ts'

/** Picture track of a film, as decoder and encoder need it. */
export interface PictureTrack {
  readonly stream: VideoStream
  readonly timescale: number
  readonly samples: SampleTables
  /** Average frame rate in frames per second, the same for all parts. */
  readonly rate: { readonly num: number; readonly den: number }
  /** Display time of the film's first frame, in `timescale`. */
  readonly start: number
  /** True if frames have no timestamps (AVI): frames are numbered 0, 1, 2 … in display order. */
  readonly isCounted: boolean
  /** True if the stream contains its parameter sets and uses start codes instead of lengths (AVI). */
  readonly annexb: boolean
}

/** Seconds since the film's first frame. @param time frame number if `isCounted`, otherwise display time in `timescale` */
export const secondsOf = ({ isCounted: counted, rate, start, timescale }: PictureTrack, time: number): number =>
  counted ? (time * rate.den) / rate.num : (time - start) / timescale
