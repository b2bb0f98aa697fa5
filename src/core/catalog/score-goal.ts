/** SSIMULACRA 2 score that a caller asks for (`target_score`) instead of a level. */
import type { Effort } from './effort.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from './floors.ts'
import { LEVELS, type PicturePerceptualTarget, type Quality } from './levels.ts'

/** Scores that callers can ask for. 50 is slightly annoying; above 90, differences are invisible. */
export const TARGET_SCORES = { least: 50, most: 95 } as const

/** Level, or the score that replaces its target, and how long the search may take. */
export interface QualityGoal {
  /** Level; with `targetScore`, the level whose settings apart from the target come closest to the score. */
  readonly quality: Quality
  /** Lowest score of every still picture of the result. `undefined`: the level decides. */
  readonly targetScore?: number
  /** Points above `targetScore` that encoders aim at, because an earlier result missed it. Default: 0. */
  readonly extraPoints?: number
  /** How long the search may take. Default: `balanced`. */
  readonly effort?: Effort
}

/** Levels with a score of their own, the strongest first. */
const SCORED_LEVELS = ['low', 'medium', 'high'] as const

/** Returns the level whose score comes closest to `score`. */
export const levelOfScore = (score: number): (typeof SCORED_LEVELS)[number] =>
  SCORED_LEVELS.reduce((best, level) => (distanceOf(level, score) < distanceOf(best, score) ? level : best))

const distanceOf = (level: Quality, score: number) => Math.abs(LEVELS.perceptual[level].score - score)

/** Luma figures that results must reach in an encoder's own measurement, a little above the floors that apply to the decoded picture. */
const LUMA_FLOOR = { ssim: FLOOR_SSIM + 0.005, psnrDb: FLOOR_PSNR_DB + 0.2 }

/** Score that encoders aim at. `undefined`: the level decides. */
export const aimOf = ({ targetScore, extraPoints = 0 }: QualityGoal): number | undefined =>
  targetScore === undefined ? undefined : targetScore + extraPoints

/** Returns the target of a goal. `ofLevel`: target of its level, which a wanted score replaces. */
export function targetOfGoal(goal: QualityGoal, ofLevel: PicturePerceptualTarget): PicturePerceptualTarget {
  const aim = aimOf(goal)
  const target = aim === undefined ? ofLevel : scoreTarget(aim)
  return goal.effort === undefined ? target : { ...target, effort: goal.effort }
}

/** Target with the score and the floors alone; the other figures of levels do not limit it. */
export function scoreTarget(score: number): PicturePerceptualTarget {
  const { low, medium, high } = LEVELS.perceptual
  const [from, to] = score < medium.score ? [low, medium] : [medium, high]
  const share = (score - from.score) / (to.score - from.score)
  const usual = (coder: keyof PicturePerceptualTarget['usualQuality']) => {
    const quality = from.usualQuality[coder] + share * (to.usualQuality[coder] - from.usualQuality[coder])
    return Math.round(Math.min(MOST_FIRST_QUALITY, Math.max(LEAST_FIRST_QUALITY, quality)))
  }
  return {
    score,
    worstTile: Number.NEGATIVE_INFINITY,
    cast: Number.POSITIVE_INFINITY,
    steps: Number.POSITIVE_INFINITY,
    floor: LUMA_FLOOR,
    usualQuality: { jpeg: usual('jpeg'), webp: usual('webp'), avif: usual('avif'), jxl: usual('jxl') },
    isWantedScore: true,
  }
}

/** Limits of the quality of a first probe, on every encoder's scale. */
const LEAST_FIRST_QUALITY = 20
const MOST_FIRST_QUALITY = 95

/** True if only lossless results are wanted: on request, or at `high` in formats whose `high` is lossless. */
export const isLosslessGoal = ({
  quality,
  targetScore,
  targetSize,
  lossless,
}: QualityGoal & { readonly targetSize?: number; readonly lossless?: boolean }): boolean =>
  lossless === true || (quality === 'high' && targetScore === undefined && targetSize === undefined)
