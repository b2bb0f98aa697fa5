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
    bytes: () => lastProbe().bytes,
  }
  const found = await lowestPerceptualQuality(trials, target, scaleOf(chroma, limit), { quality: first })
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
  const ranked = await likelySettings(probes.fast, target, first)
  const [likely = { chroma: 'halved', quality: first } as const, ...others] = target.effort === 'fast' ? ranked.slice(0, 1) : ranked
  const smaller = (one: AvifResult, other: AvifResult) => (one.reached && (!other.reached || other.bytes >= one.bytes) ? one : other)
  let best = await lowestAvifQuality(final, target, likely, mostProbes)
  for (const { chroma } of others) {
    const { quality } = best
    if (sizeAtTarget(await final({ quality, chroma }), chroma, target) >= sizeAtTarget(best, best.chroma, target)) continue
    best = smaller(best, await lowestAvifQuality(final, target, { quality, chroma }, mostProbes))
  }
  if (best.reached || best.chroma === 'full' || others.some(({ chroma }) => chroma === 'full')) return best
  return smaller(best, await lowestAvifQuality(final, target, { quality: best.quality, chroma: 'full' }, mostProbes))
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
