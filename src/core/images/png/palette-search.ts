/** Searches for a palette that reaches a target: number of colours, dithering, and the tolerance for repeating neighbours. */

import type { ColourFacts, Effort, PictureQuality, PngEngine, TrialQuality } from '../../../../wasm/png/engine.ts'
import { pow } from '../../bytes/same-math.ts'
import { type RasterTarget, rasterMarginDb } from '../search/targets.ts'
import type { PngPicture } from './png-picture.ts'
import {
  DB_PER_DOUBLING,
  DITHERS,
  type Dither,
  FILTER_BY_ENTROPY,
  FILTER_NONE,
  FILTERING_RATIO,
  K_MEANS_ROUNDS,
  LARGEST_TOLERANCE,
  MOST_DITHERED_COLOURS,
  MOST_GUESSES,
  MOST_PALETTE_ATTEMPTS,
  MOST_SHADES,
  MOST_TOLERANCE_PROBES,
  PALETTE_TRIAL,
  QUICK_ESTIMATE,
  QUICK_ESTIMATE_EVERY,
  SPREADS,
  STEPS_PER_DOUBLING,
} from './tuning.ts'

export interface PalettePlan {
  readonly kind: 'palette'
  readonly colours: number
  readonly tolerance: number
  readonly dither: Dither
  readonly effort: Effort
  /** Estimated size of the whole picture in bytes, scaled up from the sample. */
  readonly estimate: number
  /** Second-best settings that reach the target on the sample, tried if this plan misses it on the whole picture. */
  readonly otherwise?: PaletteSettings
}

/** Bytes of a palette entry in PLTE. They matter for icons, not for photographs. */
const ENTRY_BYTES = 3

/** Safety margin of a sample, as a factor: 1 for a sample, 0 for the whole picture. */
const marginOf = (share: number) => (share < 1 ? 1 : 0)

/** Collects the colour histogram and the sample that palette trials need. */
export async function collectColours(engine: PngEngine, picture: PngPicture): Promise<void> {
  engine.begin('histogram')
  await picture.visit(engine)
}

/** Best possible score, used before the score is measured, so that it does not limit the margin. */
const UNMEASURED_SCORE = 100

type PaletteSettings = Pick<PalettePlan, 'colours' | 'tolerance' | 'dither'>

/** Tries palettes on the engine's sample and caches the results for the next target. Requires `collectColours`. */
export class PaletteTrials {
  readonly engine: PngEngine
  /** Quality figures of all trials, by settings. All targets and levels share them. */
  readonly #found = new Map<string, TrialQuality>()
  /** Sizes of all encoded samples, by settings and filter strategies. */
  readonly #bytes = new Map<string, number>()
  #current = ''

  constructor(engine: PngEngine) {
    this.engine = engine
  }

  /** Forgets the current palette, because the engine may have made other palettes since. */
  begin(): void {
    this.#current = ''
  }

  apply({ colours, tolerance, dither }: PaletteSettings): void {
    const current = `${colours} ${SPREADS[dither]}`
    if (this.#current !== current) this.engine.quantise(colours, K_MEANS_ROUNDS, SPREADS[dither])
    this.#current = current
    this.engine.setTolerance(tolerance)
    this.engine.setDither(...DITHERS[dither])
  }

  /** Distance from the target in dB; negative: below the target. The score is measured only if the cheaper figures reach the target. */
  margin(settings: PaletteSettings, target: RasterTarget): number {
    const marginIn = (found: TrialQuality) => rasterMarginDb({ score: UNMEASURED_SCORE, ...found }, target, marginOf(found.share))
    const key = keyOf(settings)
    const known = this.#found.get(key)
    if (known && (known.score !== undefined || marginIn(known) < 0)) return marginIn(known)
    this.apply(settings)
    const found = this.engine.trial((part) => marginIn(part) >= 0)
    this.#found.set(key, found)
    return marginIn(found)
  }

  /** Size in bytes of the encoded sample, with a proportional share of the palette. */
  bytes(settings: PaletteSettings, strategies: number): number {
    const key = `${keyOf(settings)} ${strategies}`
    const known = this.#bytes.get(key)
    if (known !== undefined) return known
    this.apply(settings)
    this.engine.setEffort({ ...PALETTE_TRIAL, strategies })
    const bytes = this.engine.trialBytes('palette') + ENTRY_BYTES * settings.colours * this.engine.sampleShare()
    this.#bytes.set(key, bytes)
    return bytes
  }
}

const keyOf = ({ colours, tolerance, dither }: PaletteSettings) => `${colours} ${tolerance} ${dither}`

/** Inputs that all palette plans of one target share. */
interface Search {
  readonly trials: PaletteTrials
  readonly target: RasterTarget
  readonly pause: () => Promise<void>
}

/**
 * Returns the plan with the fewest bytes that reaches the target on the sample. `undefined`: no palette does. The caller measures the
 * whole picture and may need a larger palette (`largerPalette`).
 */
export async function planPalette(
  trials: PaletteTrials,
  picture: PngPicture,
  target: RasterTarget,
  pause: () => Promise<void>,
): Promise<PalettePlan | undefined> {
  const { engine } = trials
  await engine.minimiseCasts(MOST_SHADES, DITHERS.everywhere, pause)
  trials.begin()
  const search: Search = { trials, target, pause }
  const least = Math.max(1, Math.min(target.leastColours, engine.histogramColours()))
  const plain = await fewestColours(search, { least, most: 256, dither: 'none' })
  const candidates = plain === undefined ? [] : [await withTolerance(search, plain)]
  let ditheredColours: number | undefined
  for (const dither of ['everywhere', 'wide', 'smooth'] as const) {
    const others = dither === 'wide' ? (ditheredColours ?? plain) : plain
    const most = others === undefined ? 256 : Math.floor(others * MOST_DITHERED_COLOURS[dither])
    // Of 200 pictures whose dithered form was larger than the plain one, none was smallest with this kind of dithering.
    const [nearest, diffused] = candidates
    if (dither === 'wide' && nearest?.dither === 'none' && diffused && diffused.bytes > nearest.bytes) continue
    const colours = most > least ? await fewestColours(search, { least, most, dither }) : undefined
    if (colours === undefined) continue
    if (dither === 'everywhere') ditheredColours = colours
    await pause()
    const settings = { colours, tolerance: 0, dither }
    candidates.push({ ...settings, bytes: trials.bytes(settings, FILTER_NONE) })
  }
  const [best, ...others] = candidates.sort((a, b) => a.bytes - b.bytes)
  if (!best) return undefined
  const otherwise = others.find((settings) => settings.dither === 'everywhere')
  const { colours, tolerance, dither } = best
  await pause()
  const filtered = trials.bytes(best, FILTER_BY_ENTROPY)
  const filters = filtered < best.bytes * FILTERING_RATIO
  const { width, height } = picture.header
  return {
    kind: 'palette',
    colours,
    tolerance,
    dither,
    ...(otherwise && { otherwise: { colours: otherwise.colours, tolerance: 0, dither: otherwise.dither } }),
    estimate: Math.min(filtered, best.bytes) / engine.sampleShare(),
    effort: finalEffort(width * height, filters ? FILTER_BY_ENTROPY : FILTER_NONE),
  }
}

/** Tries more colours with more tolerance, which repeats neighbouring indices, and returns the settings with the fewest bytes. */
async function withTolerance({ trials, target, pause }: Search, fewest: number): Promise<PaletteSettings & { bytes: number }> {
  let best: (PaletteSettings & { bytes: number }) | undefined
  for (const factor of [1, 1.5, 2.25]) {
    const colours = Math.min(256, Math.round(fewest * factor))
    if (best && colours <= best.colours) break
    // Stop adding colours if even an optimistic tolerance would not save bytes.
    const likely = best && Math.min(LARGEST_TOLERANCE, best.tolerance * 2.5 + 1)
    if (best && likely !== undefined && trials.bytes({ colours, tolerance: likely, dither: 'none' }, FILTER_NONE) >= best.bytes) break
    const marginAt = (tolerance: number) => trials.margin({ colours, tolerance, dither: 'none' }, target)
    await pause()
    const tolerance = mostTolerant(marginAt, best && Math.max(1, best.tolerance))
    const settings: PaletteSettings = { colours, tolerance, dither: 'none' }
    const bytes = trials.bytes(settings, FILTER_NONE)
    await pause()
    if (best && bytes >= best.bytes) break
    best = { ...settings, bytes }
    if (colours === 256) break
  }
  return best ?? { colours: fewest, tolerance: 0, dither: 'none', bytes: Number.POSITIVE_INFINITY }
}

function finalEffort(pixels: number, strategies: number): Effort {
  const level = pixels <= 1 << 18 ? 12 : pixels <= 1 << 20 ? 11 : 10
  return { level, trialLevel: 3, strategies, bandBytes: 131072, passes: 0, sparse: level < 12 }
}

const coloursAt = (step: number) => Math.round(256 * pow(2, -step / STEPS_PER_DOUBLING))
const stepOf = (colours: number) => Math.ceil(STEPS_PER_DOUBLING * Math.log2(256 / colours) - 1e-9)

/** Fewest colours that reach the target, on a scale of six steps per doubling. `undefined`: `most` colours do not reach it. */
async function fewestColours(
  { trials, target, pause }: Search,
  { least, most, dither }: { least: number; most: number; dither: Dither },
): Promise<number | undefined> {
  const marginAt = (step: number) => trials.margin({ colours: coloursAt(step), tolerance: 0, dither }, target)
  const first = stepOf(most)
  await pause()
  let holds = { step: first, margin: marginAt(first) }
  if (holds.margin < 0) return undefined
  let fails: { step: number; margin?: number } = { step: Math.max(first, stepOf(least)) + 1 }
  for (let probe = 0; fails.step - holds.step > 1; probe++) {
    // PSNR in dB grows roughly linearly with the logarithm of the number of colours.
    const slope =
      fails.margin === undefined ? DB_PER_DOUBLING / STEPS_PER_DOUBLING : (holds.margin - fails.margin) / (fails.step - holds.step)
    const guess = holds.step + Math.round(holds.margin / Math.max(0.1, slope))
    const middle = probe >= MOST_GUESSES ? (holds.step + fails.step) >> 1 : guess
    const step = Math.min(fails.step - 1, Math.max(holds.step + 1, middle))
    const margin = marginAt(step)
    if (margin >= 0) holds = { step, margin }
    else fails = { step, margin }
    await pause()
  }
  return coloursAt(holds.step)
}

/** Largest tolerance that reaches the target, within about 0.1 dB or a few probes. Errors grow roughly linearly with the tolerance. */
function mostTolerant(margin: (tolerance: number) => number, guess?: number): number {
  const excess = (db: number) => pow(10, -db / 10) - 1
  const spare = margin(0)
  let low = { tolerance: 0, excess: excess(spare) }
  if (low.excess >= 0) return 0
  let high: { tolerance: number; excess: number } | undefined
  let next = guess ?? (spare > 4 ? LARGEST_TOLERANCE : spare > 0.3 ? 2.5 : 1)
  for (let probe = 0; probe < MOST_TOLERANCE_PROBES; probe++) {
    const found = { tolerance: next, excess: excess(margin(next)) }
    if (found.excess <= 0) {
      low = found
      if (next >= LARGEST_TOLERANCE || found.excess > -0.025) break
    } else {
      high = found
    }
    if (high && high.tolerance < 0.05) break
    next = high
      ? low.tolerance + (high.tolerance - low.tolerance) * Math.min(0.9, Math.max(0.1, (-low.excess / (high.excess - low.excess)) * 0.98))
      : Math.min(LARGEST_TOLERANCE, low.tolerance * 2.5)
  }
  return low.tolerance
}

/** Next palette if the whole picture is `short` dB below what its sample promised. `undefined`: no further palette. */
export function largerPalette(plan: PalettePlan, attempt: number, short: number): PalettePlan | undefined {
  const { colours, tolerance } = plan
  if (attempt >= MOST_PALETTE_ATTEMPTS) return undefined
  if (colours === 256 && tolerance === 0) {
    const { otherwise, ...rest } = plan
    return otherwise && { ...rest, ...otherwise }
  }
  const last = attempt === MOST_PALETTE_ATTEMPTS - (plan.otherwise ? 2 : 1)
  const more = Math.max(1 + 0.15 * 2 ** (attempt - 1), pow(2, Math.min(1, (short + 0.2) / DB_PER_DOUBLING)))
  return {
    ...plan,
    colours: last ? 256 : moreColours(colours, Math.min(256, Math.ceil(colours * more))),
    tolerance: last || tolerance < 0.05 ? 0 : tolerance * Math.max(0.5, pow(10, -(short + 0.2) / 10)),
  }
}

/** Most colours of 2-bit and 4-bit indices. They are tried before a larger palette, which needs twice the bits. */
const COLOURS_OF_DEPTHS = [4, 16]

const moreColours = (colours: number, larger: number) => COLOURS_OF_DEPTHS.find((most) => colours < most && most < larger) ?? larger

/** Plans a palette and enlarges it until the whole picture reaches the target. `undefined`: no palette does. */
export async function searchPalette(
  trials: PaletteTrials,
  picture: PngPicture,
  target: RasterTarget,
  alpha: boolean,
  pause: () => Promise<void>,
): Promise<PalettePlan | undefined> {
  let plan = await planPalette(trials, picture, target, pause)
  for (let attempt = 1; plan; attempt++) {
    const margin = rasterMarginDb(await measurePalette(trials.engine, picture, plan, alpha), target)
    if (margin >= 0) return plan
    plan = largerPalette(plan, attempt, -margin)
  }
  return undefined
}

/** Quality figures of a palette plan, measured on the whole picture. */
export async function measurePalette(engine: PngEngine, picture: PngPicture, plan: PalettePlan, alpha: boolean): Promise<PictureQuality> {
  applyPalette(engine, plan)
  engine.begin('indices', { alpha })
  await picture.visit(engine)
  return engine.quality()
}

/** Sets palette and effort of the PNG engine to those of the plan. */
export function applyPalette(engine: PngEngine, plan: PaletteSettings & { effort?: Effort }): void {
  engine.quantise(plan.colours, K_MEANS_ROUNDS, SPREADS[plan.dither])
  engine.setTolerance(plan.tolerance)
  engine.setDither(...DITHERS[plan.dither])
  if (plan.effort) engine.setEffort(plan.effort)
}

/** Size of the image data in bytes of a palette plan, measured by an encode pass without output. */
export async function paletteBytes(engine: PngEngine, picture: PngPicture, plan: PalettePlan, alpha: boolean): Promise<number> {
  applyPalette(engine, plan)
  engine.begin('remap', { mute: true, alpha })
  await picture.visit(engine)
  const { palette, paletteAlpha } = engine.layout()
  return engine.encodedBytes() + (palette ? palette.length + 12 : 0) + (paletteAlpha ? paletteAlpha.length + 12 : 0)
}

/** Estimated size in bytes of a lossless result, scaled up from the sample. Requires a `survey` pass. */
export function estimateExactBytes(engine: PngEngine, facts: ColourFacts): number {
  engine.setEffort(QUICK_ESTIMATE)
  const share = engine.sampleShare()
  if (facts.colours > 256) return engine.trialBytes(facts.gray ? 'gray' : 'colour', QUICK_ESTIMATE_EVERY) / share
  engine.quantise(256, 1)
  engine.setTolerance(0)
  engine.setDither(0)
  return engine.trialBytes('palette', QUICK_ESTIMATE_EVERY) / share
}
