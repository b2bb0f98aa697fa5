/** PNG and APNG: exact at `high`; at `medium` and `low` a palette where the level's target holds and it is smaller. */

import { type Facts, PngEngine, readPngInfo } from '../../../wasm/png/png.ts'
import { type Codec, type Options, type Outcome, type Sink, type Source, TargetUnreachable, type Verdict } from '../../codec/codec.ts'
import { type Convertible, convertPicture, verifyPicture } from '../../raster/convert.ts'
import { analyse, glance, type LosslessSearch, losslessBytes, searchLossless } from '../../raster/png-lossless.ts'
import { applyPalette, lookAtColours, type PalettePlan, paletteBytes, searchPalette } from '../../raster/png-quantise.ts'
import { fittedSize } from '../../raster/resize.ts'
import { PALETTE_TARGETS, type RasterTarget, TARGET_LADDER } from '../../raster/targets.ts'
import { convertible } from './convert.ts'
import { hasUnusualGamma, inHouseWords, openPngFile, type PngFile, pause } from './file.ts'
import { PNG } from './format.ts'
import { verifyPng } from './verify.ts'
import { writePng } from './write.ts'

export const png: Codec = {
  format: PNG,

  async compress(source, sink, options) {
    try {
      const picture = await converted(source, options)
      if (picture) return await convertPicture(picture, source.size, sink, options)
      return await compressPng(source, sink, options)
    } catch (error) {
      throw inHouseWords(error)
    }
  },

  async verify(original, result, outcome, options): Promise<Verdict> {
    try {
      const picture = await converted(original, options)
      if (picture) return await verifyPicture(picture, result, outcome, options)
      return await verifyPng(original, result, outcome, options)
    } catch (error) {
      throw inHouseWords(error)
    }
  },
}

/** The picture where another format or a smaller size is wanted. */
async function converted(source: Source, options: Options): Promise<Convertible | undefined> {
  if (options.output !== 'png') return convertible(source, options)
  const { fitWithin } = options
  if (!fitWithin || options.lossless) return undefined
  const { header, animated } = await readPngInfo(source.stream())
  return animated || !fittedSize(header.width, header.height, fitWithin) ? undefined : convertible(source, options)
}

async function compressPng(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const file = await openPngFile(source, options)
  options.progress(0.05)
  const engine = new PngEngine(file.header)
  const facts = await analyse(engine, file)
  options.progress(0.1)
  const chosen = mayUsePalette(engine, file, facts, options) ? await choose(engine, file, facts, source, options) : undefined
  options.progress(0.5)
  if (chosen?.kind === 'palette') return writePalette(file, engine, chosen.plan, sink, options)
  const lossless = chosen?.lossless ?? (await searchLossless(engine, file))
  return writeLossless(file, engine, lossless, sink, options)
}

/** Frames of an animation build on each other, so that their errors would add up; grey profiles forbid palettes. */
function mayUsePalette(engine: PngEngine, file: PngFile, facts: Facts, options: Options): boolean {
  const exactOnly = options.lossless === true || (options.quality === 'high' && options.targetSize === undefined)
  const profiledGray = file.profiled && !(file.header.colourType & 2)
  return !exactOnly && !file.animated && !profiledGray && !hasUnusualGamma(file) && engine.inOrder && facts.colours !== 1
}

type Chosen = { kind: 'palette'; plan: PalettePlan } | { kind: 'exact'; lossless?: LosslessSearch }

/** A palette that is estimated below this share of a quick exact encode wins without more ado. */
const CLEARLY_SMALLER = 0.75

/** A palette, or the exact form where that is smaller. */
async function choose(engine: PngEngine, file: PngFile, facts: Facts, source: Source, options: Options): Promise<Chosen> {
  if (options.targetSize !== undefined) return chooseBySize(engine, file, !facts.opaque, source, options)
  await lookAtColours(engine, file)
  const level = options.quality === 'high' ? 'medium' : options.quality
  // Low considers what medium would do, so that it is never larger.
  const targets: RasterTarget[] = level === 'medium' ? [PALETTE_TARGETS.medium] : [PALETTE_TARGETS.medium, PALETTE_TARGETS[level]]
  const plans: PalettePlan[] = []
  for (const target of targets) {
    const plan = await searchPalette(engine, file, target, !facts.opaque, pause)
    if (plan) plans.push(plan)
    options.signal.throwIfAborted()
  }
  const [first] = plans
  if (!first) return { kind: 'exact' }
  const likely = plans.reduce((best, plan) => (plan.estimate < best.estimate ? plan : best), first)
  if (likely.estimate < CLEARLY_SMALLER * (await glance(engine, file))) return { kind: 'palette', plan: likely }
  const lossless = await searchLossless(engine, file)
  let best: { chosen: Chosen; bytes: number } = { chosen: { kind: 'exact', lossless }, bytes: await losslessBytes(engine, file, lossless) }
  for (const plan of plans) {
    const bytes = await paletteBytes(engine, file, plan, !facts.opaque)
    if (bytes < best.bytes) best = { chosen: { kind: 'palette', plan }, bytes }
    await pause()
  }
  return best.chosen
}

/** The gentlest step of the ladder whose result fits the wanted size. */
async function chooseBySize(engine: PngEngine, file: PngFile, alpha: boolean, source: Source, options: Options): Promise<Chosen> {
  const lossless = await searchLossless(engine, file)
  const around = overheadOf(file)
  const wanted = Math.min(options.targetSize ?? source.size, source.size)
  const exact = (await losslessBytes(engine, file, lossless)) + around
  if (exact < wanted) return { kind: 'exact', lossless }
  await lookAtColours(engine, file)
  let smallestBytes = exact
  let found: PalettePlan | undefined
  let low = 0
  let high = TARGET_LADDER.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const target = TARGET_LADDER[middle]
    const plan = target && (await searchPalette(engine, file, target, alpha, pause))
    const bytes = plan ? (await paletteBytes(engine, file, plan, alpha)) + around : Number.POSITIVE_INFINITY
    smallestBytes = Math.min(smallestBytes, bytes)
    if (plan && bytes < wanted) {
      found = plan
      high = middle - 1
    } else {
      low = middle + 1
    }
    options.signal.throwIfAborted()
  }
  if (!found) throw new TargetUnreachable(smallestBytes)
  return { kind: 'palette', plan: found }
}

/** Bytes of a result beside its image data, PLTE and tRNS. */
function overheadOf(file: PngFile): number {
  const chunks = file.items.reduce((sum, item) => sum + ('type' in item ? item.data.length + 12 : 12), 0)
  return 8 + 25 + 12 + 64 + chunks
}

const COLOUR_TYPES = { 0: 'grey', 2: 'RGB', 3: 'palette', 4: 'grey and alpha', 6: 'RGB and alpha' } as const

async function writeLossless(file: PngFile, engine: PngEngine, lossless: LosslessSearch, sink: Sink, options: Options): Promise<Outcome> {
  const { plan } = lossless
  plan.apply(engine)
  engine.setEffort(plan.effort)
  const { header } = file
  const layout = engine.layout()
  const dropped = await writePng(file, engine, { kind: 'encode', alpha: false }, sink, options)
  const steps = [`filters chosen per band, deflate level ${plan.effort.level}`]
  if (layout.colourType !== header.colourType || layout.bitDepth !== header.bitDepth) {
    const name = (form: { colourType: 0 | 2 | 3 | 4 | 6; bitDepth: number }) => `${COLOUR_TYPES[form.colourType]} ${form.bitDepth} bits`
    steps.unshift(`${name(header)} → ${name(layout)}, exact`)
  }
  if (header.interlaced && engine.inOrder) steps.push('Adam7 → plain')
  return { kind: 'compressed', fidelity: 'lossless', steps: [...steps, ...saidOf(dropped)] }
}

async function writePalette(file: PngFile, engine: PngEngine, plan: PalettePlan, sink: Sink, options: Options): Promise<Outcome> {
  const facts = engine.facts()
  applyPalette(engine, plan)
  const colours = (engine.layout().palette?.length ?? 0) / 3
  const dropped = await writePng(file, engine, { kind: 'remap', alpha: !facts.opaque }, sink, options)
  const { ssim, psnrDb } = engine.quality()
  const steps = [`palette of ${colours} colours`, ...saidOf(dropped)]
  if (psnrDb === Number.POSITIVE_INFINITY) return { kind: 'compressed', fidelity: 'perceptual', ssim: 1, psnrDb: 99, steps }
  return { kind: 'compressed', fidelity: 'perceptual', ssim, psnrDb, steps }
}

const saidOf = (dropped: readonly string[]) => (dropped.length ? [`no longer true, left out: ${[...new Set(dropped)].join(', ')}`] : [])
