/** PNG and APNG: exact at `high`; at `medium` and `low` a palette where the level's target holds and it is smaller. */

import { PngEngine, readPngInfo } from '../../../wasm/png/png.ts'
import { type Codec, type Options, type Outcome, type Sink, type Source, TargetUnreachable, type Verdict } from '../../codec/codec.ts'
import { type Convertible, convertPicture, verifyPicture } from '../../raster/convert.ts'
import { type LosslessSearch, losslessBytes, searchLossless } from '../../raster/png-lossless.ts'
import { applyPalette, lookAtColours, type PalettePlan, paletteBytes, searchPalette } from '../../raster/png-quantise.ts'
import { fittedSize } from '../../raster/resize.ts'
import { PALETTE_TARGETS, type RasterTarget, TARGET_LADDER } from '../../raster/targets.ts'
import { convertible } from './convert.ts'
import { inHouseWords, openPngFile, type PngFile, pause } from './file.ts'
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
  const lossless = await searchLossless(engine, file)
  options.progress(0.3)
  const plan = await choose(engine, file, lossless, source, options)
  options.progress(0.5)
  return plan ? writePalette(file, engine, plan, sink, options) : writeLossless(file, engine, lossless, sink, options)
}

const alphaOf = (lossless: LosslessSearch) => !lossless.facts.opaque

/** The palette that wins, or undefined where the exact form does. */
async function choose(
  engine: PngEngine,
  file: PngFile,
  lossless: LosslessSearch,
  source: Source,
  options: Options,
): Promise<PalettePlan | undefined> {
  const exactOnly = options.lossless === true || (options.quality === 'high' && options.targetSize === undefined)
  const profiledGray = file.profiled && !(file.header.colourType & 2)
  // Frames of an animation build on each other, so that their errors would add up; grey profiles forbid palettes.
  if (exactOnly || file.animated || profiledGray || !engine.inOrder || lossless.facts.colours <= 1) return undefined
  if (options.targetSize !== undefined) return chooseBySize(engine, file, lossless, source, options)
  await lookAtColours(engine, file)
  const alpha = alphaOf(lossless)
  const level = options.quality === 'high' ? 'medium' : options.quality
  // Low considers what medium would do, so that it is never larger.
  const targets: RasterTarget[] = level === 'medium' ? [PALETTE_TARGETS.medium] : [PALETTE_TARGETS[level], PALETTE_TARGETS.medium]
  const plans: PalettePlan[] = []
  for (const target of targets) {
    const plan = await searchPalette(engine, file, target, alpha, pause)
    if (plan) plans.push(plan)
    options.signal.throwIfAborted()
  }
  return smallest(engine, file, lossless, plans)
}

const SURE_BYTES = 24 * 1024 * 1024

/** Compares by whole encodes; very large pictures are so clearly smaller with a palette that the sample decides among palettes. */
async function smallest(
  engine: PngEngine,
  file: PngFile,
  lossless: LosslessSearch,
  plans: readonly PalettePlan[],
): Promise<PalettePlan | undefined> {
  const pixels = file.header.width * file.header.height
  const alpha = alphaOf(lossless)
  if (pixels > SURE_BYTES / 4 && lossless.facts.colours > 256) {
    return plans.reduce<PalettePlan | undefined>((best, plan) => (best && best.estimate <= plan.estimate ? best : plan), undefined)
  }
  if (plans.length === 0) return undefined
  let best: { plan: PalettePlan | undefined; bytes: number } = { plan: undefined, bytes: await losslessBytes(engine, file, lossless) }
  for (const plan of plans) {
    const bytes = await paletteBytes(engine, file, plan, alpha)
    if (bytes < best.bytes) best = { plan, bytes }
    await pause()
  }
  return best.plan
}

/** The gentlest step of the ladder whose result fits the wanted size. */
async function chooseBySize(
  engine: PngEngine,
  file: PngFile,
  lossless: LosslessSearch,
  source: Source,
  options: Options,
): Promise<PalettePlan | undefined> {
  const alpha = alphaOf(lossless)
  const around = overheadOf(file)
  const wanted = Math.min(options.targetSize ?? source.size, source.size)
  const exact = (await losslessBytes(engine, file, lossless)) + around
  if (exact < wanted) return undefined
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
  return found
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
  const { facts } = { facts: engine.facts() }
  applyPalette(engine, plan)
  const colours = (engine.layout().palette?.length ?? 0) / 3
  const dropped = await writePng(file, engine, { kind: 'remap', alpha: !facts.opaque }, sink, options)
  const { ssim, psnrDb } = engine.quality()
  const steps = [`palette of ${colours} colours`, ...saidOf(dropped)]
  if (psnrDb === Number.POSITIVE_INFINITY) return { kind: 'compressed', fidelity: 'perceptual', ssim: 1, psnrDb: 99, steps }
  return { kind: 'compressed', fidelity: 'perceptual', ssim, psnrDb, steps }
}

const saidOf = (dropped: readonly string[]) => (dropped.length ? [`no longer true, left out: ${[...new Set(dropped)].join(', ')}`] : [])
