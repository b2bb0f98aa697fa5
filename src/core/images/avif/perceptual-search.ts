/** Searches for the AVIF settings (quality and chroma format) with the fewest bytes that reach a perceptual score. */
import { log, pow } from '../../bytes/same-math.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import type { ColourFigures } from '../../catalog/target.ts'
import { type Code, type Message, message } from '../../i18n/message.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import {
  lowestPerceptualQuality,
  marginInPoints,
  type PerceptualResult,
  type QualityScale,
  type QualityTrials,
  scoreMarginPoints,
} from '../search/perceptual-search.ts'
import type { Chroma } from './libaom.ts'
import {
  ASKED_BY_WINDOWS,
  BYTES_PER_POINT,
  CURVE,
  PERCEPTUAL_RANGE,
  POINTS_LOST_BY_HALVING,
  POINTS_PER_COARSENESS,
  PROBES_OF_FITTED,
  TWO_PROBES,
} from './tuning.ts'

/** Most probes until one reaches the target. `two`: at most two probes in all, for pictures where each takes a minute or two. */
export type ProbeLimit = number | 'two'

/** Quality scale of the search. Colour casts come mostly from halved chroma and do not decrease with quality. */
const scaleOf = (chroma: Chroma, limit: ProbeLimit): QualityScale => ({
  ...PERCEPTUAL_RANGE,
  coarseness: (quality) => pow(100 - quality, CURVE),
  qualityOf: (coarseness) => 100 - pow(Math.max(0, coarseness), 1 / CURVE),
  pointsPerCoarseness: chroma === 'fitted' ? POINTS_PER_COARSENESS / 2 : POINTS_PER_COARSENESS,
  ...(limit === 'two' ? TWO_PROBES : { mostProbes: limit }),
  mostAskedByWindows: chroma === 'full' ? ASKED_BY_WINDOWS.full : ASKED_BY_WINDOWS.halved,
})

/** Size and quality figures of an encoded picture or sample. */
export interface AvifProbe {
  readonly bytes: number
  readonly figures: ColourFigures
  readonly perceptual: PerceptualFigures
}

export interface AvifSettings {
  readonly quality: number
  readonly chroma: Chroma
}

/** Receipt step that names these AVIF settings. */
export const avifStep = ({ quality, chroma }: AvifSettings): Message => message(STEPS_BY_CHROMA[chroma], { quality })
const STEPS_BY_CHROMA = {
  none: 'avif_at_quality',
  halved: 'avif_at_quality',
  fitted: 'avif_at_quality_fitted',
  full: 'avif_at_quality_full',
} as const satisfies Record<Chroma, Code>

export type AvifResult = PerceptualResult<ColourFigures> & AvifSettings & AvifProbe

/**
 * Searches for the lowest quality that reaches the perceptual target with this chroma format. The last call of `probe` is the one that is
 * returned.
 */
export async function lowestAvifQuality(
  probe: (settings: AvifSettings) => Promise<AvifProbe>,
  target: PicturePerceptualTarget,
  { quality: first, chroma }: AvifSettings,
  limit: ProbeLimit,
): Promise<AvifResult> {
  let last: AvifProbe | undefined
  const lastProbe = () => {
    if (!last) throw new Error('no encoding exists yet: call encode() first')
    return last
  }
  const trials: QualityTrials<ColourFigures> = {
    encode: async (quality: number) => {
      last = await probe({ quality, chroma })
      return last.figures
    },
    perceptualFigures: async () => lastProbe().perceptual,
  }
  const found = await lowestPerceptualQuality(trials, target, scaleOf(chroma, limit), { quality: first })
  return { ...found, chroma, bytes: lastProbe().bytes }
}

/**
 * Searches for the settings with the fewest bytes: halved, fitted or full chroma. Full chroma wins if it scores so much higher that a
 * lower quality suffices. Settings that reach the target win over settings that miss it.
 */
export async function smallestSettings(
  probeOnce: (settings: AvifSettings) => Promise<AvifProbe>,
  target: PicturePerceptualTarget,
  first: number,
  mostProbes: number,
): Promise<AvifResult> {
  const known = new Map<string, AvifProbe>()
  const probe = async (settings: AvifSettings) => {
    const name = `${settings.chroma} ${settings.quality}`
    const found = known.get(name) ?? (await probeOnce(settings))
    known.set(name, found)
    return found
  }
  const lowest = (chroma: Chroma, quality: number) =>
    lowestAvifQuality(probe, target, { quality, chroma }, mostProbes + (chroma === 'fitted' ? PROBES_OF_FITTED : 0))
  const smaller = (one: AvifResult, other: AvifResult) => (one.reached && (!other.reached || other.bytes >= one.bytes) ? one : other)
  const halvedResult = await lowest('halved', first)
  const fullProbe = await probe({ quality: halvedResult.quality, chroma: 'full' })
  const lost = scoreMarginPoints(fullProbe.perceptual, target) - scoreMarginPoints(halvedResult.perceptual, target)
  const fitted = lost > POINTS_LOST_BY_HALVING ? await probe({ quality: halvedResult.quality, chroma: 'fitted' }) : halvedResult
  const isFitted =
    log(fitted.bytes / halvedResult.bytes) <
    BYTES_PER_POINT * (scoreMarginPoints(fitted.perceptual, target) - scoreMarginPoints(halvedResult.perceptual, target))
  const halved = isFitted ? smaller(halvedResult, await lowest('fitted', halvedResult.quality)) : halvedResult
  const isFullSmaller = await isFullChromaSmaller(probe, target, halved)
  if (halved.reached && !isFullSmaller) return halved
  return smaller(halved, await lowest('full', halved.quality))
}

/** True if full chroma scores so much higher at the quality of `halved` that the final file will probably be smaller. */
async function isFullChromaSmaller(
  probe: (settings: AvifSettings) => Promise<AvifProbe>,
  target: PicturePerceptualTarget,
  halved: AvifResult,
): Promise<boolean> {
  const fullProbe = await probe({ quality: halved.quality, chroma: 'full' })
  const scale = scaleOf('full', 1)
  const points = marginInPoints(fullProbe.perceptual, target, scale) - marginInPoints(halved.perceptual, target, scale)
  return log(fullProbe.bytes / halved.bytes) < BYTES_PER_POINT * points
}
