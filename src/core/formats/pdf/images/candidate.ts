/** Picture to recompress, and candidates that may replace it. */

import type { Similarity } from '../../../metrics/ssim-psnr.ts'
import type { LumaFigures } from '../../../model/loss.ts'
import type { Filter } from '../filters.ts'
import type { Stream } from '../objects.ts'
import type { PicturePlacement } from '../page-render-sizes.ts'
import { LOSSY_GAIN } from '../tuning.ts'
import type { DrawnImage } from '../usage.ts'
import type { ImageFacts } from './facts.ts'
import type { EncodedPicture } from './jpeg.ts'
import type { FLOORS } from './levels.ts'
import type { PackedSamples } from './near-palette.ts'

export interface Picture {
  number: number
  stream: Stream
  facts: ImageFacts
  isJpeg: boolean
  isMask: boolean
  /** Mask of the picture: none, readable or unreadable. Colours under a mask are arbitrary where the mask hides them. */
  mask: 'none' | 'read' | 'unread'
  drawn: DrawnImage | undefined
  /** True if an earlier candidate exists that the next one must undercut. */
  hasCandidate: boolean
  /**
   * True if the samples are not those of a photo, so the picture does not become a JPEG at full size. Averaging while downsampling only
   * adds tones.
   */
  isGraphic: boolean
}

export type Candidate = EncodedPicture & {
  deflated?: Filter[] | undefined
  packed?: PackedSamples | undefined
  reduced: boolean
  /** Scores of the picture on pages rendered at 144 dpi, one per placement. */
  pageScores?: readonly { place: PicturePlacement; figures: LumaFigures }[]
  /** SSIMULACRA 2 score at the stored size. `undefined`: not measured. */
  ssimulacra2?: number | undefined
}

export const meetsFloors = (seen: Similarity, floors: typeof FLOORS) =>
  seen.ssim >= floors.ssim && seen.psnrDb >= floors.psnrDb && seen.psnrRgbDb >= floors.colourPsnrDb

/** Maximum size in bytes of a lossy candidate. After a first lossy candidate, any smaller one is accepted. */
export const maxLossyBytes = ({ hasCandidate: narrow }: Picture, budget: number): number => (narrow ? budget : budget * LOSSY_GAIN)

/** True if the candidate is a JPEG with at most a quarter of the pixels. A full-size version cannot be smaller. */
export const isMuchSmaller = (facts: ImageFacts, reduced: Candidate) =>
  !reduced.deflated && reduced.width * reduced.height * 4 <= facts.width * facts.height

export function smallestCandidate(candidates: readonly (Candidate | undefined)[]): Candidate | undefined {
  let best: Candidate | undefined
  for (const candidate of candidates) if (candidate && !(best && best.data.length <= candidate.data.length)) best = candidate
  return best
}
