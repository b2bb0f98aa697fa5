/** Request to a picture encoder, and its result. */

import type { LossyPictureTarget } from '../../catalog/levels.ts'
import type { Message } from '../../i18n/message.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options } from '../../model/codec.ts'
import type { PictureLoss } from '../../model/loss.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'

export interface EncodeRequest {
  readonly target: LossyPictureTarget
  /** Maximum size of the result in bytes (`target_size`): the best quality that fits and keeps the floors. `undefined`: no maximum. */
  readonly targetSize?: number | undefined
  /** True if the search must use luma SSIM and PSNR (`target`), because the perceptual search ended below the floors. */
  readonly byLuma?: boolean
  /** True if only a lossless result is allowed. */
  readonly lossless?: boolean | undefined
  /** True if the picture was never compressed lossily, so that a lossless result is worth a try. */
  readonly pristine: boolean
  /** Size of the upload in bytes; a result of this size or more is useless. */
  readonly sizeLimit: number
  readonly options: Options
}

export interface EncodedPicture {
  readonly chunks: readonly Uint8Array[]
  readonly step: Message
  /** Quality figures of the result. `undefined`: the samples are unchanged. */
  readonly loss?: PictureLoss
  /** Comparison of the decoded result with the picture, as viewers show both. `undefined`: not measured. */
  readonly similarity?: Similarity | undefined
  /** True if the perceptual score steered the search. The result reaches the level's score, or comes as close as the encoder can. */
  readonly steeredByScore?: boolean
  /** SSIMULACRA 2 score that the search measured. `undefined`: luma steered the search, or the samples are unchanged. */
  readonly score?: number | undefined
  /** Score of exactly these bytes, which verification would measure again. `undefined`: not known. */
  readonly scoreOfFile?: number | undefined
}

export type Encoder = (raster: Raster, carried: PictureMetadata, request: EncodeRequest) => Promise<EncodedPicture>
