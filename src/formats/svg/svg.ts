import { breathe } from '../../bytes/breathe.ts'
import { gzipCompress } from '../../bytes/deflate.ts'
import { type Codec, MalformedFile, type Options, type Outcome, OverBudget, type Source, type Verdict } from '../../codec/codec.ts'
import type { Likeness } from '../../quality/metrics.ts'
import { readSvg, type SvgDocument } from './document.ts'
import { SVG } from './format.ts'
import { compressImages } from './images.ts'
import { inventoryDifference } from './inventory.ts'
import { compressLean, verifyLean } from './large.ts'
import { SvgMeter } from './measure.ts'
import { EXACT, optimizeSvg } from './optimize.ts'
import { RenderError } from './renderer.ts'
import { HIGHEST_CLAIM_DB, RENDERER_MARGIN_DB, TARGETS } from './targets.ts'

interface Candidate {
  readonly text: string
  readonly precision: number | undefined
  readonly likeness: Likeness | undefined
}

/** svgo behind a safe preset; the decimals that coordinates keep are found by drawing. See docs/design/svg.md. */
export const svg: Codec = {
  format: SVG,
  async compress(source, sink, options) {
    const document = await readTree(source)
    if (!document) return compressLean(source, sink, options)
    const { text, zipped } = document
    const candidates = await candidatesOf(text, options)
    const target = TARGETS[options.quality]
    const fitting = candidates.filter(({ likeness }) => !likeness || (likeness.ssim >= target.ssim && likeness.psnrDb >= target.psnrDb))
    const encoded = fitting.map((candidate) => ({ candidate, bytes: encode(candidate.text, zipped) }))
    encoded.sort((a, b) => a.bytes.length - b.bytes.length)
    const best = encoded[0]!
    await sink.write(best.bytes)
    return outcomeOf(best.candidate, zipped)
  },
  async verify(original, result, outcome, options) {
    return (await readTree(original)) ? verifySvg(original, result, outcome, options) : verifyLean(original, result, outcome, options)
  },
}

/** undefined: its tree does not fit in memory. */
async function readTree(source: Source): Promise<SvgDocument | undefined> {
  try {
    return await readSvg(source)
  } catch (error) {
    if (error instanceof OverBudget) return undefined
    throw error
  }
}

/** The exact one, and roundings from coarse to fine until the finest level is content: the same for every level. */
async function candidatesOf(text: string, options: Options): Promise<Candidate[]> {
  const { text: slim } = await compressImages(text, options.inner)
  const exact = optimizeSvg(slim, EXACT)
  const candidates: Candidate[] = [{ text: exact, precision: EXACT, likeness: undefined }]
  if (options.lossless) return candidates
  let meter: SvgMeter
  try {
    meter = new SvgMeter(text)
  } catch (error) {
    if (error instanceof RenderError) return candidates
    throw error
  }
  for (let precision = 0; precision <= 6; precision++) {
    options.signal.throwIfAborted()
    await breathe()
    options.progress((0.8 * (precision + 1)) / 8)
    const rounded = tidy(exact, precision)
    if (rounded === undefined) continue
    const likeness = meter.measure(rounded)
    if (!likeness) continue
    candidates.push({ text: rounded, precision, likeness })
    if (likeness.ssim >= TARGETS.high.ssim && likeness.psnrDb >= TARGETS.high.psnrDb) break
  }
  return candidates
}

/** Rounded, with nothing missing: if the usual preset loses something, a gentler one. */
function tidy(text: string, precision: number): string | undefined {
  for (const gentle of [false, true]) {
    const rounded = optimizeSvg(text, precision, gentle)
    if (inventoryDifference(text, rounded) === undefined) return rounded
  }
  return undefined
}

function encode(text: string, zipped: boolean): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  return zipped ? gzipCompress(bytes) : bytes
}

function outcomeOf({ precision, likeness }: Candidate, zipped: boolean): Outcome {
  const gzip = zipped ? ['gzip by libdeflate level 12'] : []
  if (!likeness)
    return { kind: 'compressed', fidelity: 'lossless', steps: ['comments and editor data removed, no number touched', ...gzip] }
  return {
    kind: 'compressed',
    fidelity: 'perceptual',
    ssim: likeness.ssim,
    psnrDb: Math.min(HIGHEST_CLAIM_DB, likeness.psnrDb - RENDERER_MARGIN_DB),
    steps: [`svgo, coordinates with ${precision} decimals`, ...gzip],
  }
}

/** Reads the stored result again, draws it again, and looks for what must not be lost. */
async function verifySvg(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const before = await readSvg(original)
  const after = await readSvg(result)
  if (before.zipped !== after.zipped) return { equal: false, difference: 'gzip came or went' }
  const difference = inventoryDifference(before.text, after.text)
  if (difference) return { equal: false, difference }
  options.signal.throwIfAborted()
  try {
    optimizeSvg(after.text, EXACT) // parses
    const likeness = new SvgMeter(before.text).measure(after.text)
    if (!likeness) return { equal: false, difference: 'the result cannot be drawn like the original' }
    const exact = outcome.kind === 'compressed' && outcome.fidelity === 'lossless'
    if (exact && likeness.psnrRgbDb !== Number.POSITIVE_INFINITY) return { equal: false, difference: 'the drawing has changed' }
    if (!exact && likeness.psnrDb < TARGETS.low.psnrDb) return { equal: false, difference: `drawn at ${likeness.psnrDb} dB` }
  } catch (error) {
    if (error instanceof MalformedFile) return { equal: false, difference: error.message }
    // What the renderer cannot draw was only relieved of comments: see `candidatesOf`.
    if (!(error instanceof RenderError)) throw error
  }
  return { equal: true }
}
