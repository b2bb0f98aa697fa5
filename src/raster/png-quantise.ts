/** A palette for a target: how many colours, and how far pixels may stray to repeat their neighbours. */
import type { Effort, PictureQuality, PngEngine } from '../../wasm/png/engine.ts'
import type { PngPicture } from './png-picture.ts'
import { holds, type RasterTarget } from './targets.ts'

export interface PalettePlan {
  readonly colours: number
  readonly tolerance: number
  readonly effort: Effort
  /** Measured on the whole picture. */
  readonly quality: PictureQuality
  /** Bytes of the whole picture, estimated from the sample. */
  readonly estimate: number
}

const TRIAL: Effort = { level: 6, trialLevel: 4, strategies: 0x05, bandBytes: 262144, passes: 0 }
/** Indices rarely gain from filters other than None and Up; the least sum of magnitudes never wins. */
const FINAL: Effort = { level: 12, trialLevel: 6, strategies: 0x4f, bandBytes: 131072, passes: 0 }
const FINAL_SMALL: Effort = { level: 12, trialLevel: 7, strategies: 0xcf, bandBytes: 65536, passes: 10 }

const MOST_TOLERANT = 12
const K_MEANS_ROUNDS = 8
const MOST_ATTEMPTS = 7

/** After `histogram`: the engine knows colours and a sample of the picture. */
export async function lookAtColours(engine: PngEngine, picture: PngPicture): Promise<void> {
  engine.begin('histogram')
  await picture.visit(engine)
}

/** The plan of the fewest bytes that holds the target, or undefined where no palette does. After `lookAtColours`. */
export async function searchPalette(
  engine: PngEngine,
  picture: PngPicture,
  target: RasterTarget,
  alpha: boolean,
  pause: () => Promise<void>,
): Promise<PalettePlan | undefined> {
  engine.setEffort(TRIAL)
  let share = 1
  const palettes = new Map<number, number>()
  let current = 0
  const quantise = (colours: number) => {
    if (current !== colours) palettes.set(colours, engine.quantise(colours, K_MEANS_ROUNDS))
    current = colours
  }
  const fits = (colours: number, tolerance: number): boolean => {
    quantise(colours)
    engine.setTolerance(tolerance)
    const trial = engine.trial(alpha, false)
    share = trial.share
    return holds(trial, target, share < 1 ? 1 : 0)
  }

  // The fewest colours that hold the target.
  let high = 256
  if (!fits(256, 0)) return undefined
  let low = Math.max(1, Math.min(target.leastColours, engine.histogramColours()) - 1)
  while (high - low > Math.max(1, high >> 4)) {
    const middle = Math.max(low + 1, Math.round(Math.sqrt(low * high)))
    if (fits(middle, 0)) high = middle
    else low = middle
    await pause()
  }

  // More colours leave room for repeats; bytes decide.
  let best: { colours: number; tolerance: number; estimate: number } | undefined
  let worse = 0
  for (const factor of [1, 1.35, 1.9, 2.7, 4]) {
    const colours = Math.min(256, Math.round(high * factor))
    if (best && colours <= best.colours) break
    const tolerance = mostTolerant((t) => fits(colours, t))
    engine.setTolerance(tolerance)
    const estimate = engine.trial(alpha, true).bytes
    await pause()
    if (!best || estimate < best.estimate) best = { colours, tolerance, estimate }
    else if (++worse > 1) break
    if (colours === 256) break
  }
  if (!best) return undefined

  const { width, height } = picture.header
  const plan = { ...best, estimate: best.estimate / share, effort: width * height <= 1 << 20 ? FINAL_SMALL : FINAL }
  return share < 1 ? measureWhole(engine, picture, plan, target, alpha) : { ...plan, quality: measureSample(engine, plan, alpha) }
}

/** The largest tolerance that fits, to about 5 %. */
function mostTolerant(fits: (tolerance: number) => boolean): number {
  if (fits(MOST_TOLERANT)) return MOST_TOLERANT
  let low = 0
  let high = 0.5
  while (high < MOST_TOLERANT && fits(high)) {
    low = high
    high *= 2
  }
  for (let i = 0; i < 4; i++) {
    const middle = (low + high) / 2
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}

function measureSample(engine: PngEngine, plan: { colours: number; tolerance: number }, alpha: boolean): PictureQuality {
  applyPalette(engine, plan)
  return engine.trial(alpha, false)
}

/** The sample is not the picture: measure it all, and step back until it holds. */
async function measureWhole(
  engine: PngEngine,
  picture: PngPicture,
  plan: Omit<PalettePlan, 'quality'>,
  target: RasterTarget,
  alpha: boolean,
): Promise<PalettePlan | undefined> {
  let { colours, tolerance } = plan
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    applyPalette(engine, { colours, tolerance })
    engine.begin('indices', { alpha })
    await picture.visit(engine)
    const quality = engine.quality()
    if (holds(quality, target)) return { ...plan, colours, tolerance, quality }
    if (colours === 256 && tolerance === 0) return undefined
    const last = attempt === MOST_ATTEMPTS - 1
    colours = last ? 256 : Math.min(256, Math.ceil(colours * 1.6))
    tolerance = last || tolerance < 0.05 ? 0 : tolerance * 0.6
  }
  return undefined
}

/** Makes a plan's palette the engine's layout, and its effort the engine's. */
export function applyPalette(engine: PngEngine, plan: { colours: number; tolerance: number; effort?: Effort }): void {
  engine.quantise(plan.colours, K_MEANS_ROUNDS)
  engine.setTolerance(plan.tolerance)
  if (plan.effort) engine.setEffort(plan.effort)
}

/** Image data bytes of a plan, measured by a muted encode. */
export async function paletteBytes(engine: PngEngine, picture: PngPicture, plan: PalettePlan, alpha: boolean): Promise<number> {
  applyPalette(engine, plan)
  engine.begin('remap', { mute: true, alpha })
  await picture.visit(engine)
  const { palette, paletteAlpha } = engine.layout()
  return engine.encodedBytes() + (palette ? palette.length + 12 : 0) + (paletteAlpha ? paletteAlpha.length + 12 : 0)
}
