/** What the encoders of `raster/` are asked for, and what they hand back. */

import type { Target } from '../../catalog/levels.ts'
import type { Message } from '../../i18n/message.ts'
import type { Options } from '../../model/codec.ts'
import type { PictureLoss } from '../../model/loss.ts'
import type { Carried, Raster } from '../raster/raster.ts'

export interface EncodeRequest {
  readonly target: Target
  /** Bytes the result may have at most (`target_size`); the best quality that fits, floors kept. */
  readonly targetSize?: number | undefined
  /** Luma alone steers, by `target`: what eyes see of it was not enough for the floors. */
  readonly byLuma?: boolean
  /** Only an exact result will do. */
  readonly lossless?: boolean | undefined
  /** The picture was never lossy: an exact result is worth a try. */
  readonly pristine: boolean
  /** Bytes at which the result stops being of use: the size of the upload. */
  readonly sizeLimit: number
  readonly options: Options
}

export interface Encoded {
  readonly chunks: readonly Uint8Array[]
  readonly step: Message
  /** Absent when the samples are those that went in. */
  readonly loss?: PictureLoss
  /** It was looked at as readers show it, and is what its level promises to eyes, or as near to it as its coder comes. */
  readonly steeredByScore?: boolean
}

export type Encoder = (raster: Raster, carried: Carried, request: EncodeRequest) => Promise<Encoded>
