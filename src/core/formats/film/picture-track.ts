import type { VideoStream } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import type { Samples } from '../../containers/isobmff/tables.ts'

/** The pictures of a film, as decoder and encoder want them. */
export interface PictureTrack {
  readonly stream: VideoStream
  readonly timescale: number
  readonly samples: Samples
  /** Frames a second, the same for all parts. */
  readonly rate: { readonly num: number; readonly den: number }
  /** When the film's first frame is shown. */
  readonly start: number
  /** Frames come without times of their own (AVI): they count 0, 1, 2 … in display order. */
  readonly counted: boolean
  /** Parameter sets inside the stream, start codes instead of lengths (AVI). */
  readonly annexb: boolean
}

/** Seconds since the film's first frame. @param time of a frame: its place where frames are counted, else in `timescale` */
export const secondsOf = ({ counted, rate, start, timescale }: PictureTrack, time: number): number =>
  counted ? (time * rate.den) / rate.num : (time - start) / timescale
