/** Search for the AVIF settings with the fewest bytes that reach a score: quality, and whether chroma keeps its resolution. */
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import type { ColourFigures } from '../../catalog/target.ts'
import { type Code, type Message, message } from '../../i18n/message.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import {
  lowestPerceptualQuality,
  marginInPoints,
  type PerceptualResult,
  pointsToSpare,
  type QualityScale,
} from '../search/perceptual-search.ts'
import type { Chroma } from './libaom.ts'
import {
  ASKED_BY_WINDOWS,
  BYTES_PER_POINT,
  CURVE,
  LOST_BY_HALVING,
  PERCEPTUAL_RANGE,
  POINTS_PER_COARSENESS,
  PROBES_OF_FITTED,
  TWO_PROBES,
} from './tuning.ts'

/** Probes at most, where one reaches the target; `two`: all there may be, where each takes a minute or two. */
export type ProbeLimit = number | 'two'

/** Casts are mostly of halved chroma, which no quality mends. */
const scaleOf = (chroma: Chroma, looks: ProbeLimit): QualityScale => ({
  ...PERCEPTUAL_RANGE,
  coarseness: (quality) => (100 - quality) ** CURVE,
  qualityOf: (coarseness) => 100 - Math.max(0, coarseness) ** (1 / CURVE),
  pointsPerCoarseness: chroma === 'fitted' ? POINTS_PER_COARSENESS / 2 : POINTS_PER_COARSENESS,
  ...(looks === 'two' ? TWO_PROBES : { mostProbes: looks }),
  mostAskedByWindows: chroma === 'full' ? ASKED_BY_WINDOWS.full : ASKED_BY_WINDOWS.halved,
})

/** A result, or a sample of one, beside what it was made of. */
export interface AvifProbe {
  readonly bytes: number
  readonly figures: ColourFigures
  readonly visible: PerceptualFigures
}

export interface AvifSettings {
  readonly quality: number
  readonly chroma: Chroma
}

/** In words for the receipt. */
export const stepOf = ({ quality, chroma }: AvifSettings): Message => message(STEPS_BY_CHROMA[chroma], { quality })
const STEPS_BY_CHROMA = {
  none: 'avif_at_quality',
  halved: 'avif_at_quality',
  fitted: 'avif_at_quality_fitted',
  full: 'avif_at_quality_full',
} as const satisfies Record<Chroma, Code>

export type AvifResult = PerceptualResult<ColourFigures> & AvifSettings & AvifProbe

/** The lowest quality that looks as it should, with this chroma; what `look` made last is what is found. */
export async function lowestAvifQuality(
  look: (settings: AvifSettings) => Promise<AvifProbe>,
  wanted: PicturePerceptualTarget,
  { quality: first, chroma }: AvifSettings,
  looks: ProbeLimit,
): Promise<AvifResult> {
  let last: AvifProbe | undefined
  const made = () => {
    if (!last) throw new Error('nothing was made yet')
    return last
  }
  const maker = {
    make: async (quality: number) => {
      last = await look({ quality, chroma })
      return last.figures
    },
    look: async () => made().visible,
  }
  const seen = await lowestPerceptualQuality(maker, wanted, scaleOf(chroma, looks), { quality: first })
  return { ...seen, chroma, bytes: made().bytes }
}

/**
 * The settings that take the fewest bytes: halved chroma, fitted to what it is of, or whole, where that looks so much better at the same
 * quality that a lower one will do. What looks as it should goes before what does not.
 */
export async function smallestSettings(
  lookAt: (settings: AvifSettings) => Promise<AvifProbe>,
  wanted: PicturePerceptualTarget,
  first: number,
  mostLooks: number,
): Promise<AvifResult> {
  const known = new Map<string, AvifProbe>()
  const look = async (settings: AvifSettings) => {
    const name = `${settings.chroma} ${settings.quality}`
    const found = known.get(name) ?? (await lookAt(settings))
    known.set(name, found)
    return found
  }
  const lowest = (chroma: Chroma, quality: number) =>
    lowestAvifQuality(look, wanted, { quality, chroma }, mostLooks + (chroma === 'fitted' ? PROBES_OF_FITTED : 0))
  const smaller = (one: AvifResult, other: AvifResult) => (one.reached && (!other.reached || other.bytes >= one.bytes) ? one : other)
  const means = await lowest('halved', first)
  const full = await look({ quality: means.quality, chroma: 'full' })
  const lost = pointsToSpare(full.visible, wanted) - pointsToSpare(means.visible, wanted)
  const fitted = lost > LOST_BY_HALVING ? await look({ quality: means.quality, chroma: 'fitted' }) : means
  const isFitted =
    Math.log(fitted.bytes / means.bytes) < BYTES_PER_POINT * (pointsToSpare(fitted.visible, wanted) - pointsToSpare(means.visible, wanted))
  const halved = isFitted ? smaller(means, await lowest('fitted', means.quality)) : means
  const isWhole = await isWorthWhole(look, wanted, halved)
  if (halved.reached && !isWhole) return halved
  return smaller(halved, await lowest('full', halved.quality))
}

/** Whether whole chroma looks so much better at the same quality as `halved` that it will take fewer bytes in the end. */
async function isWorthWhole(
  look: (settings: AvifSettings) => Promise<AvifProbe>,
  wanted: PicturePerceptualTarget,
  halved: AvifResult,
): Promise<boolean> {
  const full = await look({ quality: halved.quality, chroma: 'full' })
  const scale = scaleOf('full', 1)
  const points = marginInPoints(full.visible, wanted, scale) - marginInPoints(halved.visible, wanted, scale)
  return Math.log(full.bytes / halved.bytes) < BYTES_PER_POINT * points
}
