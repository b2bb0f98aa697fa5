/** Searches for the AVIF settings (quality and chroma format) with the fewest bytes that reach a perceptual score. */
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import type { ColourFigures } from '../../catalog/target.ts'
import { type Code, type Message, message } from '../../i18n/message.ts'
import { lowestPerceptualQuality, type PerceptualResult, type QualityTrials } from '../search/perceptual-search.ts'
import { likelySettings, sizeAtTarget } from './fast-search.ts'
import type { Chroma } from './libaom.ts'
import { type AvifProbe, type AvifSettings, type ProbeLimit, scaleOf } from './scale.ts'

/** Receipt step that names these AVIF settings. */
export const avifStep = ({ quality, chroma }: AvifSettings): Message => message(STEPS_BY_CHROMA[chroma], { quality })
const STEPS_BY_CHROMA = {
  none: 'avif_at_quality',
  grey: 'avif_at_quality',
  halved: 'avif_at_quality',
  fitted: 'avif_at_quality_fitted',
  full: 'avif_at_quality_full',
} as const satisfies Record<Chroma, Code>

export type AvifResult = PerceptualResult<ColourFigures> & AvifSettings & AvifProbe

/** Limits of a search, and what is known before. */
interface AvifSearch {
  readonly limit: ProbeLimit
  /** Score points lost for each unit of coarseness. `undefined`: the usual ones. */
  readonly slope?: number | undefined
}

/**
 * Searches for the lowest quality that reaches the perceptual target with this chroma format. The last call of `probe` is the one that is
 * returned.
 */
export async function lowestAvifQuality(
  probe: (settings: AvifSettings) => Promise<AvifProbe>,
  target: PicturePerceptualTarget,
  { quality: first, chroma }: AvifSettings,
  { limit, slope }: AvifSearch,
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
    bytes: () => lastProbe().bytes,
  }
  const found = await lowestPerceptualQuality(trials, target, scaleOf(chroma, limit, slope), { quality: first })
  return { ...found, chroma, bytes: lastProbe().bytes }
}

/** Encodings of one picture, at two encoder speeds. */
export interface AvifProbes {
  /** Probe at the speed of the result. The last call is the one that is returned. */
  final(settings: AvifSettings): Promise<AvifProbe>
  /** Probe at `PROBE_SPEED`, with its measured figures. */
  fast(settings: AvifSettings): Promise<AvifProbe>
}

/**
 * Searches for the settings with the fewest bytes: halved, fitted or full chroma. Fast probes predict the quality and rank the chroma
 * formats; probes at the final speed then search from there. Settings that reach the target win over settings that miss it.
 */
export async function smallestSettings(
  probes: AvifProbes,
  target: PicturePerceptualTarget,
  first: number,
  mostProbes: number,
): Promise<AvifResult> {
  const final = remembered(probes.final)
  const { settings, slope } = await likelySettings(probes.fast, target, first)
  const [likely = { chroma: 'halved', quality: first } as const, ...others] = target.effort === 'fast' ? settings.slice(0, 1) : settings
  const smaller = (one: AvifResult, other: AvifResult) => (one.reached && (!other.reached || other.bytes >= one.bytes) ? one : other)
  const search = (from: AvifSettings) => lowestAvifQuality(final, target, from, { limit: mostProbes, slope })
  let best = await search(likely)
  for (const { chroma } of others) {
    const { quality } = best
    if (sizeAtTarget(await final({ quality, chroma }), chroma, target) >= sizeAtTarget(best, best.chroma, target)) continue
    best = smaller(best, await search({ quality, chroma }))
  }
  if (best.reached || best.chroma === 'full' || others.some(({ chroma }) => chroma === 'full')) return best
  return smaller(best, await search({ quality: best.quality, chroma: 'full' }))
}

/** Probe that returns known results without an encoding. */
function remembered(probe: (settings: AvifSettings) => Promise<AvifProbe>): (settings: AvifSettings) => Promise<AvifProbe> {
  const known = new Map<string, AvifProbe>()
  return async (settings) => {
    const name = `${settings.chroma} ${settings.quality}`
    const found = known.get(name) ?? (await probe(settings))
    known.set(name, found)
    return found
  }
}
