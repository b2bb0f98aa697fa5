/** A picture on its way, and what may be stored instead. */

import type { Similarity } from '../../../metrics/ssim-psnr.ts'
import type { LumaFigures } from '../../../model/loss.ts'
import type { Filter } from '../filters.ts'
import type { Stream } from '../objects.ts'
import type { Place } from '../page-render-sizes.ts'
import { LOSSY_GAIN } from '../tuning.ts'
import type { Drawn } from '../usage.ts'
import type { ImageFacts } from './facts.ts'
import type { Coded } from './jpeg.ts'
import type { FLOORS } from './levels.ts'
import type { Packed } from './near-palette.ts'

export interface Picture {
  number: number
  stream: Stream
  facts: ImageFacts
  isJpeg: boolean
  isMask: boolean
  /** Whether a mask hides some of it, and whether that can be read here: the colours there are nobody's. */
  mask: 'none' | 'read' | 'unread'
  drawn: Drawn | undefined
  /** There is a result to fall below. */
  narrow: boolean
  /** Its samples are not those of a photograph: as they stand (averages have more tones, not fewer) they do not become JPEG. */
  graphic: boolean
}

export type Candidate = Coded & {
  deflated?: Filter[] | undefined
  packed?: Packed | undefined
  reduced: boolean
  /** What pages show of it at 144 dpi. */
  seen?: readonly { place: Place; figures: LumaFigures }[]
  /** As it is stored. */
  ssimulacra2?: number | undefined
}

export const keeps = (seen: Similarity, floors: typeof FLOORS) =>
  seen.ssim >= floors.ssim && seen.psnrDb >= floors.psnrDb && seen.psnrRgbDb >= floors.colourPsnrDb

/** Bytes that a lossy step may come to: where there is one already, the better one of the two is what counts. */
export const worthwhile = ({ narrow }: Picture, budget: number): number => (narrow ? budget : budget * LOSSY_GAIN)

/** Reduced so far that the full picture cannot be smaller. */
export const isMuchSmaller = (facts: ImageFacts, reduced: Candidate) =>
  !reduced.deflated && reduced.width * reduced.height * 4 <= facts.width * facts.height

export function smallest(candidates: readonly (Candidate | undefined)[]): Candidate | undefined {
  let best: Candidate | undefined
  for (const candidate of candidates) if (candidate && !(best && best.data.length <= candidate.data.length)) best = candidate
  return best
}
