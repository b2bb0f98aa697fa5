/** BMP codec: fewer bits a pixel and run-length coding, lossless; at levels `medium` and `low` also a palette within the target. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { PngEngine } from '../../../../wasm/png/engine.ts'
import { equalBytes } from '../../bytes/equal.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { BMP } from '../../catalog/formats/bmp.ts'
import { isLosslessGoal } from '../../catalog/score-goal.ts'
import { mostExactBytes, targetForSize } from '../../catalog/small-pictures.ts'
import { type Message, type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import { PictureMeter, scoreOfRows, similarityTo16Bits } from '../../images/compare/compare.ts'
import { convertPicture } from '../../images/convert/convert.ts'
import type { RenditionSource } from '../../images/convert/rendition.ts'
import { CLAIM_TOLERANCE } from '../../images/convert/tuning.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { detectDataPicture, exactDataStep } from '../../images/data-pictures/data-picture.ts'
import { applyPalette, collectColours, PaletteTrials, searchPalette } from '../../images/png/palette-search.ts'
import { asRgba } from '../../images/raster/raster.ts'
import { refuseReduction } from '../../images/search/fit-to-size.ts'
import { paletteTargetsOf, type RasterTarget, TARGETS_BY_QUALITY } from '../../images/search/targets.ts'
import { gentlestThatFits } from '../../metrics/search.ts'
import type { Codec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { lossOf, pixelLoss } from '../../model/loss.ts'
import { compressKeepingTrailingData, trailingDataDifference } from '../../model/trailing-data.ts'
import { convertibleBmp, stripsOf } from './convert.ts'
import { DeepMeter, deepRowsFromBottom, rowsFromBottom } from './deep.ts'
import { type BmpHeader, readHeader } from './header.ts'
import { asPicture, type BmpPixels, openPixels, rgbRows, spareBytesAreEqual } from './pixels.ts'
import { type BmpForm, BmpWriter, fileBytes, plainBytes, RunCounter } from './write.ts'

export const bmp: Codec = withRenditions(
  {
    format: BMP,

    async compress(source, sink, options) {
      if (isConverted(options)) return convertPicture(await convertibleBmp(source, options), source, sink, options)
      const header = await readHeader(source)
      refuseReduction(BMP, header, options)
      const pixels = await openPixels(source, header, options)
      try {
        return await compressKeepingTrailingData(source, pixels.end, sink, options, (body, bodyOptions) =>
          compressBmp({ source: body, header, pixels, options: bodyOptions }, sink),
        )
      } catch (error) {
        if (isEngineError(error, 'png') && error.failure === 'damaged')
          throw malformed('bmp', header.pixelsAt, message('engine_reports', { problem: error.message }))
        throw error
      }
    },

    async verify(original, result, outcome, options) {
      if (isConverted(options)) return verifyPicture(await convertibleBmp(original, options), { original, result, outcome }, options)
      return verifyBmp(original, result, outcome, options)
    },
  },
  bmpForRendition,
)

async function bmpForRendition(source: Source, options: Options): Promise<RenditionSource> {
  const picture = await convertibleBmp(source, options)
  return { picture, stored: picture.raster }
}

const isConverted = (options: Options) => options.output !== 'bmp'

interface Job {
  readonly source: Source
  readonly header: BmpHeader
  readonly pixels: BmpPixels
  readonly options: Options
}

/** Form of the result: its layout, the size of its pixels, and the engine pass that produces its rows. */
interface Plan {
  readonly form: BmpForm
  readonly pixelBytes: number
  readonly bytes: number
  readonly prepare: (engine: PngEngine) => void
  readonly lossy: boolean
}

async function compressBmp(job: Job, sink: Sink): Promise<Outcome> {
  const { header, pixels, options, source } = job
  if (header.masks[3] !== 0) return alphaBmp(job, sink)
  if (pixels.hasSpareBits && !(await spareBytesAreEqual(source, header, options))) {
    return unchangedBecause('fourth_byte_of_pixels_holds_something')
  }
  using engine = new PngEngine(pixels.header)
  const picture = asPicture(pixels)
  engine.begin('analyse')
  await picture.visit(engine)
  const { colours } = engine.facts()
  const data = pixels.hasDeepFields || header.masks[3] !== 0 ? undefined : await detectDataPicture({ ...stripsOf(pixels), most: 255 })
  const plans: Plan[] = []
  if (pixels.hasDeepFields) {
    if (isLosslessGoal(options)) {
      throw unsupported('more_than_eight_bits_of_colour_exactly')
    }
  } else if (colours <= 256) {
    // If indexed pictures are data, programs read the indices, so their order must stay.
    const plan = (e: PngEngine) => void (data && pixels.header.colourType === 3 ? e.planUnchanged() : e.planPalette(1))
    for (const one of await indexedPlans(engine, job, plan, false)) plans.push(one)
  } else {
    const pixelBytes = plainBytes(header, 24)
    const form: BmpForm = { kind: 'rgb24' }
    plans.push({ form, pixelBytes, bytes: fileBytes(header, form, pixelBytes), prepare: () => undefined, lossy: false })
  }
  options.progress(0.2)
  const targetSize = options.targetSize === undefined ? undefined : Math.min(options.targetSize, source.size)
  const exact = smallest(plans)
  if (exact && data) return withFirstStep(await write(job, engine, exact, sink), exactDataStep(data))
  if (exact && (isLosslessGoal(options) || (targetSize !== undefined && exact.bytes < targetSize))) {
    return await write(job, engine, exact, sink)
  }
  await collectColours(engine, picture)
  const trials = new PaletteTrials(engine)
  const add = async (target: RasterTarget) => {
    const plan = await searchPalette(trials, picture, target, false, () => yieldToEventLoop(options.signal))
    options.signal.throwIfAborted()
    const found = plan ? await indexedPlans(engine, job, (e) => applyPalette(e, plan), true) : []
    for (const one of found) plans.push(one)
    return found
  }
  if (targetSize === undefined) for (const target of paletteTargetsOf(options)) await add(targetForSize(target, header))
  else
    return await write(
      job,
      engine,
      await gentlestThatFits(TARGETS_BY_QUALITY, targetSize, async (target) => smallest(await add(target))),
      sink,
    )
  const fewest = smallest(plans)
  const best = fewest && exact && exact.bytes <= mostExactBytes(fewest.bytes, header) ? exact : fewest
  if (!best) throw unsupported('more_than_eight_bits_no_palette')
  return await write(job, engine, best, sink)
}

const withFirstStep = (outcome: Outcome, step: Message): Outcome =>
  outcome.kind === 'compressed' ? { ...outcome, steps: [step, ...outcome.steps] } : outcome

const smallest = ([first, ...others]: readonly Plan[]) =>
  first && others.reduce((best, plan) => (plan.bytes < best.bytes ? plan : best), first)

/** Plans for the engine's current palette: plain rows and run-length coding. */
async function indexedPlans(engine: PngEngine, job: Job, prepare: Plan['prepare'], lossy: boolean): Promise<Plan[]> {
  prepare(engine)
  const { header } = job
  const palette = engine.layout().palette ?? new Uint8Array(3)
  const bits = palette.length <= 6 ? 1 : palette.length <= 48 ? 4 : 8
  const plain: BmpForm = { kind: 'indexed', bits, runs: false, palette }
  const forms: { form: BmpForm; pixelBytes: number }[] = [{ form: plain, pixelBytes: plainBytes(header, bits) }]
  const runForms: BmpForm[] =
    bits === 1
      ? []
      : bits === 4
        ? [
            { ...plain, bits: 4, runs: true },
            { ...plain, bits: 8, runs: true },
          ]
        : [{ ...plain, runs: true }]
  const counters = runForms.map((form) => ({ form, counter: new RunCounter(form) }))
  if (counters.length) {
    await showIndices(engine, job, palette, lossy, (row) => {
      for (const { counter } of counters) counter.add(row)
    })
  }
  for (const { form, counter } of counters) forms.push({ form, pixelBytes: counter.bytes })
  return forms.map(({ form, pixelBytes }) => ({ form, pixelBytes, bytes: fileBytes(header, form, pixelBytes), prepare, lossy }))
}

/** Passes rows of indices into the engine's palette to `onRow`, from the bottom. */
async function showIndices(
  engine: PngEngine,
  { pixels }: Job,
  palette: Uint8Array,
  lossy: boolean,
  onRow: (row: Uint8Array) => void,
): Promise<void> {
  const picture = asPicture(pixels)
  if (lossy) {
    engine.onRow = onRow
    engine.begin('indices')
    await picture.visit(engine)
    engine.onRow = undefined
    return
  }
  // Look up exact palettes here, because the engine only packs indices while it writes PNG.
  const index = new Map<number, number>()
  for (let i = 0; i * 3 < palette.length; i++)
    index.set(((palette[3 * i] ?? 0) << 16) | ((palette[3 * i + 1] ?? 0) << 8) | (palette[3 * i + 2] ?? 0), i)
  const { width } = pixels.header
  const out = new Uint8Array(width)
  for await (const rgb of rgbRows(pixels, 'bottom-up')) {
    for (let i = 0; i < width; i++)
      out[i] = index.get(((rgb[3 * i] ?? 0) << 16) | ((rgb[3 * i + 1] ?? 0) << 8) | (rgb[3 * i + 2] ?? 0)) ?? 0
    onRow(out)
  }
}

async function write(job: Job, engine: PngEngine, plan: Plan, sink: Sink): Promise<Outcome> {
  const { header, options, pixels } = job
  plan.prepare(engine)
  const writer = new BmpWriter(sink, header, plan.form, plan.pixelBytes)
  using meter = plan.lossy && pixels.hasDeepFields && plan.form.kind === 'indexed' ? new DeepMeter(pixels, plan.form.palette) : undefined
  if (plan.form.kind === 'rgb24') {
    for await (const row of rgbRows(pixels, 'bottom-up')) {
      writer.row(row)
      await writer.flush()
    }
  } else {
    const { palette } = plan.form
    const ready = async () => {
      await writer.flush()
      await meter?.next()
    }
    await showIndices(engine, { ...job, pixels: prepared(pixels, ready) }, palette, plan.lossy, (row) => {
      meter?.push(row)
      writer.row(row)
    })
  }
  await writer.end()
  options.progress(0.95)
  const steps = [stepOf(header, plan.form)]
  if (!plan.lossy) return { kind: 'compressed', steps }
  return { kind: 'compressed', ...lossOf(pixelLoss(meter?.finish() ?? engine.quality())), steps }
}

/** Returns the same rows and awaits `ready` before each of them. */
function prepared(pixels: BmpPixels, ready: () => Promise<void>): BmpPixels {
  return {
    ...pixels,
    async *rows(order) {
      for await (const row of pixels.rows(order)) {
        await ready()
        yield row
      }
    },
  }
}

function stepOf(header: BmpHeader, form: BmpForm): Message {
  const to =
    form.kind === 'rgb24'
      ? message('bits_only', { bits: 24 })
      : message(form.runs ? 'colours_in_bits_run_lengths' : 'colours_in_bits', { colours: form.palette.length / 3, bits: form.bits })
  return message('bits_to', { bits: header.bits, to })
}

/** Outcome if no smaller BMP is lossless. BMP with 16 bits and alpha exists, but common readers reject it. */
const unchangedBecause = (detail: MessageOrCode): Outcome => ({ kind: 'unchanged', reason: 'no_gain', detail: toMessage(detail) })

/** Compresses a picture with an alpha channel: 24 bits if all pixels are opaque, otherwise unchanged. */
async function alphaBmp(job: Job, sink: Sink): Promise<Outcome> {
  using engine = new PngEngine(job.pixels.header)
  engine.begin('analyse')
  await asPicture(job.pixels).visit(engine)
  if (!engine.facts().opaque) return unchangedBecause(message('transparency_takes_bits', { bits: job.header.bits }))
  const opaque: BmpHeader = { ...job.header, masks: [job.header.masks[0], job.header.masks[1], job.header.masks[2], 0] }
  const pixels = await openPixels(job.source, opaque, job.options)
  return await compressBmp({ ...job, header: opaque, pixels: { ...pixels, hasSpareBits: false } }, sink)
}

/** Decodes both files and compares samples (lossless) or similarity (lossy), and size, resolution and profile. */
async function verifyBmp(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const differ = (difference: string): Verdict => ({ equal: false, difference })
  const [a, b] = [await readHeader(original), await readHeader(result)]
  if (a.width !== b.width || a.height !== b.height) return differ(`the size changed: ${a.width}×${a.height} became ${b.width}×${b.height}`)
  if (!equalBytes(a.gap, b.gap)) return differ('the bytes between headers and pixels changed')
  if (a.pixelsPerMetre.some((v, i) => v !== b.pixelsPerMetre[i]))
    return differ(`the resolution changed: ${a.pixelsPerMetre.join('×')} became ${b.pixelsPerMetre.join('×')} pixels per metre`)
  if ((a.profile?.length ?? 0) !== (b.profile?.length ?? 0) || a.profile?.some((v, i) => v !== b.profile?.[i]))
    return differ('the profile changed')
  const [x, y] = [await openPixels(original, a, options), await openPixels(result, b, options)]
  const tail = await trailingDataDifference(original, x.end, result, y.end)
  if (tail) return differ(tail)
  const loss = outcome.kind === 'compressed' ? outcome.loss : undefined
  using meter = new PictureMeter({ width: a.width, height: a.height, channels: 3 }, ['similarity'])
  const [left, right] = [rgbRows(x, 'bottom-up'), rgbRows(y, 'bottom-up')]
  const alpha = x.header.colourType === 6
  for (let row = 0; row < a.height; row++) {
    const p: Uint8Array | undefined = (await left.next()).value
    const q: Uint8Array | undefined = (await right.next()).value
    if (!p || !q) return differ(`row ${row} is missing`)
    const rgb = alpha ? p.filter((_, i) => i % 4 !== 3) : p
    if (alpha && p.some((v, i) => i % 4 === 3 && v !== 255)) return differ('transparency is lost')
    if (loss) meter.push(rgb, q)
    else if (rgb.some((v, i) => v !== q[i])) return differ(`row ${row} differs`)
  }
  if (!loss) return { equal: true }
  const found = x.hasDeepFields
    ? await similarityTo16Bits(deepRowsFromBottom(x), asRgba(rowsFromBottom(y)).rows())
    : meter.finish().similarity
  if (!found) return differ('the result has fewer rows than the upload')
  const claim = loss.pictures
  if (!claim) return differ('the outcome has a loss without quality figures')
  if (claim.ssim > found.ssim + CLAIM_TOLERANCE.ssim || claim.psnrDb > found.psnrDb + CLAIM_TOLERANCE.psnrDb) {
    return differ(`claimed ${claim.ssim} and ${claim.psnrDb} dB, found ${found.ssim} and ${found.psnrDb} dB`)
  }
  const [before, after] = [await convertibleBmp(original, options), await convertibleBmp(result, options)]
  return { equal: true, ssimulacra2: await scoreOfRows(asRgba(before.raster), asRgba(after.raster).rows()) }
}
