/** AVIF steered by what eyes see (seen-search.ts): its quality, and whether chroma keeps its resolution. */
import type { SeenPicture } from '../quality/levels.ts'
import type { ColourFigures } from '../quality/target.ts'
import type { Visible } from '../quality/visible.ts'
import type { Chroma } from './avif-codec.ts'
import { lowestSeen, marginOf, type Scale, type Seen } from './seen-search.ts'

/** Scores fall by 1.3 points a step of libavif's quality at 30, by half a point at 85. */
const CURVE = 1.6
const POINTS_PER_COARSENESS = 0.066
/** What a point of the score takes, as a share of the bytes, at any level. */
const BYTES_PER_POINT = 0.04

/** Looks at most, where one is good enough; all there may be, where each takes a minute or two, the second a little higher to be the last. */
export type Looks = number | 'two'

/** Casts are mostly of halved chroma, which no quality mends. */
const scaleOf = (chroma: Chroma, looks: Looks): Scale => ({
  lowest: 20,
  highest: 97,
  coarseness: (quality) => (100 - quality) ** CURVE,
  qualityOf: (coarseness) => 100 - Math.max(0, coarseness) ** (1 / CURVE),
  pointsPerCoarseness: POINTS_PER_COARSENESS,
  ...(looks === 'two' ? { mostLooks: 1, mostMisses: 2, aimPoints: 1.5, tileSlope: 2 } : { mostLooks: looks }),
  mostAskedByWindows: chroma === 'halved' ? 2 : 6,
})

/** A result, or a sample of one, beside what it was made of. */
export interface AvifLook {
  readonly bytes: number
  readonly figures: ColourFigures
  readonly visible: Visible
}

export interface AvifSettings {
  readonly quality: number
  readonly chroma: Chroma
}

/** In words for the receipt. */
export const stepOf = ({ quality, chroma }: AvifSettings): string => `AVIF at quality ${quality}${chroma === 'full' ? ', 4:4:4' : ''}`

export type AvifSeen = Seen<ColourFigures> & AvifSettings & AvifLook

/** The lowest quality that looks as it should, with this chroma; what `look` made last is what is found. */
export async function lowestSeenAvif(
  look: (settings: AvifSettings) => Promise<AvifLook>,
  wanted: SeenPicture,
  { quality: first, chroma }: AvifSettings,
  looks: Looks,
): Promise<AvifSeen> {
  let last: AvifLook | undefined
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
  const seen = await lowestSeen(maker, wanted, scaleOf(chroma, looks), { quality: first })
  return { ...seen, chroma, bytes: made().bytes }
}

/**
 * The settings that take the fewest bytes: halved chroma, or whole, where that looks so much better at the same quality that a lower
 * one will do. What looks as it should goes before what does not.
 */
export async function fewestBytes(
  look: (settings: AvifSettings) => Promise<AvifLook>,
  wanted: SeenPicture,
  first: number,
  mostLooks: number,
): Promise<AvifSeen> {
  const halved = await lowestSeenAvif(look, wanted, { quality: first, chroma: 'halved' }, mostLooks)
  if (halved.reached && !(await isWorthWhole(look, wanted, halved))) return halved
  const full = await lowestSeenAvif(look, wanted, { quality: halved.quality, chroma: 'full' }, mostLooks)
  return halved.reached && (!full.reached || full.bytes >= halved.bytes) ? halved : full
}

async function isWorthWhole(look: (settings: AvifSettings) => Promise<AvifLook>, wanted: SeenPicture, halved: AvifSeen): Promise<boolean> {
  const full = await look({ quality: halved.quality, chroma: 'full' })
  const scale = scaleOf('full', 1)
  const points = marginOf(full.visible, wanted, scale) - marginOf(halved.visible, wanted, scale)
  return Math.log(full.bytes / halved.bytes) < BYTES_PER_POINT * points
}
