import type { VideoStream } from '../../../wasm/ffmpeg/ffmpeg.ts'
import type { Samples } from '../../containers/isobmff/tables.ts'

/** The pictures of a film, as decoder and encoder want them. */
export interface PictureTrack {
  readonly stream: VideoStream
  readonly timescale: number
  readonly samples: Samples
  /** Frames a second, the same for all parts. */
  readonly rate: { readonly num: number; readonly den: number }
  /** Frames come without times of their own (AVI): they count 0, 1, 2 … in display order. */
  readonly counted: boolean
  /** Parameter sets inside the stream, start codes instead of lengths (AVI). */
  readonly annexb: boolean
}

/** How close a part's frames are to the source's. */
export interface PartQuality {
  readonly frames: number
  readonly meanSsim: number
  readonly meanPsnrDb: number
  /** Means over the worst 1 % of the frames. */
  readonly worstSsim: number
  readonly worstPsnrDb: number
}
