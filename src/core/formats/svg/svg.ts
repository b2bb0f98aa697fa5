import { isEngineError } from '../../../../wasm/engine-error.ts'
import { gzipCompress } from '../../bytes/deflate.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { SVG } from '../../catalog/formats/svg.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Codec, Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { readSvg, type SvgDocument } from './document.ts'
import { findAllowedChanges, hasForeignObject } from './freedom.ts'
import { compressImages } from './images.ts'
import { findMissingItem, Inventories, removedItemSteps } from './inventory.ts'
import { compressLargeSvg, verifyLargeSvg } from './large.ts'
import { streamingPassText } from './lean-rounder.ts'
import { MAX_RENDERING_SECONDS, SvgMeter } from './measure.ts'
import { exactSvg } from './optimize.ts'
import { searchRoundings } from './roundings.ts'
import { assertWellFormed } from './scan.ts'
import { allowedLossesFor, changeOptionsFor, declaredLoss, TARGETS } from './targets.ts'
import { FURTHER_ROUNDING_SHARE } from './tuning.ts'

interface Candidate {
  readonly text: string
  readonly precision: number | undefined
  readonly similarity: Similarity | undefined
  readonly fits: boolean
  /** Reason why the drawing could not be rendered, and therefore not be rounded. */
  readonly undrawn?: string
}

/** Codec for SVG: svgo with a safe preset. The number of decimals is found by rendering. See docs/decisions/svg.md. */
export const svg: Codec = {
  format: SVG,
  async compress(source, sink, options) {
    const document = await readTree(source, options)
    if (!document) return compressLargeSvg(source, sink, options)
    const { text, isGzipped: zipped } = document
    const inventories = new Inventories()
    const candidates = await candidatesOf(text, inventories, options)
    const fitting = candidates.filter(({ fits }) => fits)
    await yieldToEventLoop(options.signal)
    const encoded = fitting.map((candidate) => ({ candidate, bytes: encode(candidate.text, zipped) }))
    encoded.sort((a, b) => a.bytes.length - b.bytes.length)
    const best = encoded[0]!
    await sink.write(best.bytes)
    const removedItems = removedItemSteps(inventories.of(text), inventories.of(best.candidate.text))
    const outcome = outcomeOf(text, best.candidate, [
      ...removedItems,
      ...(best.candidate.undrawn === undefined ? [] : [message('not_measured_not_rounded', { why: best.candidate.undrawn })]),
      ...(zipped ? [message('gzip_by_libdeflate_12')] : []),
      ...(options.inner.time?.steps() ?? []),
    ])
    const wasRendered = best.candidate.similarity !== undefined || best.candidate.undrawn !== undefined
    return { ...outcome, evidence: new KnownTexts(inventories, wasRendered ? [text, best.candidate.text] : []) }
  },
  async verify(original, result, outcome, options, evidence) {
    if (!(await readTree(original))) return verifyLargeSvg(original, result, outcome, options)
    return verifySvg(original, result, outcome, options, evidence instanceof KnownTexts ? evidence : undefined)
  },
}

/**
 * Evidence for `verify`: inventories of texts, and the two texts that were rendered and compared, or that could not be rendered. If `verify`
 * reads the same texts, it need not parse and render them again.
 */
class KnownTexts {
  readonly inventories: Inventories
  readonly #rendered: readonly string[]

  constructor(inventories: Inventories, rendered: readonly string[]) {
    this.inventories = inventories
    this.#rendered = rendered
  }

  wereRendered(original: string, result: string): boolean {
    return this.#rendered[0] === original && this.#rendered[1] === result
  }
}

/** Reads the document. `undefined`: its element trees exceed the memory limit. */
async function readTree(source: Source, options?: Options): Promise<SvgDocument | undefined> {
  try {
    return await readSvg(source, options)
  } catch (error) {
    if (isCodecError(error, 'over_budget')) return undefined
    throw error
  }
}

/** Returns the roundings, and the exact version if they save little. */
async function candidatesOf(text: string, inventories: Inventories, options: Options): Promise<Candidate[]> {
  const { text: withImages } = await compressImages(text, options.inner)
  const exactCandidate = (): Candidate => ({
    text: hasForeignObject(withImages) ? streamingPassText(withImages, undefined) : exactSvg(withImages, changeOptionsFor(options)),
    precision: undefined,
    similarity: undefined,
    fits: true,
  })
  if (options.lossless) return [exactCandidate()]
  try {
    await yieldToEventLoop(options.signal)
    const meter = new SvgMeter(text)
    const rounded = await searchRoundings({ text: withImages, inventories, meter }, TARGETS[options.quality], options)
    options.inner.time?.spend(meter.seconds)
    await yieldToEventLoop(options.signal)
    const gains = rounded.some(({ text: { length }, fits }) => fits && length < FURTHER_ROUNDING_SHARE * withImages.length)
    return gains ? rounded : [...rounded, exactCandidate()]
  } catch (error) {
    if (!isEngineError(error, 'resvg')) throw error
    options.inner.time?.spend(MAX_RENDERING_SECONDS)
    // A document that resvg cannot render may be damaged. svgo repairs such damage silently, and the picture would appear where browsers
    // show none, so damaged documents are refused.
    assertWellFormed(new TextEncoder().encode(text))
    return [{ ...exactCandidate(), undrawn: error.message }]
  }
}

function encode(text: string, zipped: boolean): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  return zipped ? gzipCompress(bytes) : bytes
}

function outcomeOf(original: string, { precision, similarity }: Candidate, further: readonly Message[]): Outcome {
  if (!similarity) return { kind: 'compressed', steps: [message('no_number_changed'), ...further] }
  return { kind: 'compressed', loss: { pictures: declaredLoss(similarity) }, steps: [roundingStep(original, precision), ...further] }
}

function roundingStep(original: string, precision: number | undefined): Message {
  if (!findAllowedChanges(original, { strict: true }).rounding) return message('numbers_shorter_not_rounded')
  return message(hasForeignObject(original) ? 'white_space_removed_coordinates' : 'svgo_coordinates', { decimals: String(precision) })
}

/** Parses the stored result, checks that nothing required is missing, and renders it, unless these texts have been rendered already. */
async function verifySvg(
  original: Source,
  result: Source,
  outcome: Outcome,
  options: Options,
  known: KnownTexts | undefined,
): Promise<Verdict> {
  const before = await readSvg(original)
  await yieldToEventLoop(options.signal)
  const after = await readSvg(result)
  await yieldToEventLoop(options.signal)
  if (before.isGzipped !== after.isGzipped) return { equal: false, difference: 'gzip compression was added or removed' }
  try {
    const inventories = known?.inventories ?? new Inventories()
    const lost = findMissingItem(inventories.of(before.text), inventories.of(after.text), allowedLossesFor(options))
    if (lost !== undefined) return { equal: false, difference: lost }
  } catch (error) {
    if (isCodecError(error, 'malformed')) return { equal: false, difference: error.message }
    throw error
  }
  await yieldToEventLoop(options.signal)
  if (known?.wereRendered(before.text, after.text)) return { equal: true }
  try {
    const meter = new SvgMeter(before.text)
    await yieldToEventLoop(options.signal)
    const similarity = meter.measure(after.text)
    if (!similarity) return { equal: false, difference: 'the result cannot be rendered at the size of the original' }
    const isLossless = outcome.kind === 'compressed' && !outcome.loss
    if (isLossless && similarity.psnrRgbDb !== Number.POSITIVE_INFINITY)
      return { equal: false, difference: 'the rendering changed although the result is lossless' }
    if (!isLossless && similarity.psnrDb < TARGETS.low.psnrDb)
      return { equal: false, difference: `the rendering differs: PSNR ${similarity.psnrDb} dB, minimum ${TARGETS.low.psnrDb} dB` }
  } catch (error) {
    if (isCodecError(error, 'malformed')) return { equal: false, difference: error.message }
    // A document that resvg cannot render only lost comments; see `candidatesOf`.
    if (!isEngineError(error, 'resvg')) throw error
  }
  return { equal: true }
}
