/**
 * Whether a receipt is true, by the upload and the result alone: hashes and sizes, that one is the other decoded again, and every
 * figure measured anew (docs/decisions/checking-receipts.md).
 */
import { createHash } from 'node:crypto'
import { grant } from '../../../wasm/memories/memories.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import type { FormatId } from '../catalog/index.ts'
import { type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import type { Codecs, Options, Outcome, Quality, Source } from '../model/codec.ts'
import type { NativeFilm } from '../model/external-encoder.ts'
import type { Loss } from '../model/loss.ts'
import { identify } from '../pipeline/identify.ts'
import { optionsOf } from '../pipeline/job.ts'
import { figureFindings } from './figures.ts'
import { needsProgram } from './films.ts'
import { type Finding, finding, unchecked } from './finding.ts'
import { type Measured, measure } from './measure.ts'
import type { Claims, ReadReceipt } from './receipt.ts'

export interface Checked {
  readonly format?: FormatId
  readonly output?: OutputId
  readonly fidelity?: 'same bytes' | 'lossless' | 'perceptual' | 'unknown'
  readonly measured?: Measured
  readonly findings: readonly Finding[]
}

/** Heap of one machine, not of an isolate. */
const MEMORY_BYTES = 1024 * 1024 * 1024
const LOSSLESS: Outcome = { kind: 'compressed', steps: [] }
/** Claims nothing, so that only what a result is gets verified. */
const ANY_LOSS: Outcome = {
  kind: 'compressed',
  steps: [],
  loss: { pictures: { ssim: 0, psnrDb: 0, measuredAt: undefined }, sound: { snrDb: Number.NEGATIVE_INFINITY } },
}
/** Of their pictures nothing but measuring tells. */
const OF_PICTURES: ReadonlySet<FormatId> = new Set(['pdf', 'docx', 'xlsx', 'pptx', 'ofd', 'epub', 'kmz', 'eml'])

/** Of two files without a receipt, and which of its outputs the result is. */
export async function checkFiles(
  original: Source,
  result: Source,
  output: OutputId | undefined,
  codecs: Codecs,
  native?: NativeFilm,
): Promise<Checked> {
  const format = await identify(original)
  if (!format) return { findings: [finding('format', false, 'the original is of no known format')] }
  if (await sameBytes(original, result))
    return { format: format.id, output: format.id, fidelity: 'same bytes', findings: [finding('result', true)] }
  if (!output) {
    const other = (await identify(result))?.id ?? 'unknown'
    return { format: format.id, findings: [finding('result', false, `what it is (${other}) a file of ${format.id} does not become`)] }
  }
  return await checkContent({ original, format, result, output, codecs, ...(native && { native }) }, [
    'high',
    'medium',
    'low',
    ...(format.ultra ? (['ultra'] as const) : []),
  ])
}

export async function checkReceipt(
  original: Source,
  result: Source,
  receipt: ReadReceipt,
  codecs: Codecs,
  native?: NativeFilm,
): Promise<Checked> {
  const { claims } = receipt
  const signature = signatureFinding(receipt)
  if (!claims) return { findings: [signature, finding('receipt', false, 'it is no receipt that can be read')] }
  const format = await identify(original)
  const facts = [
    signature,
    ...(await fileFindings(original, result, claims)),
    finding('format', format?.id === claims.format, `the original is ${format?.id ?? 'of no known format'}`),
  ]
  if (!format) return { findings: facts }
  if (claims.result.outcome === 'unchanged') {
    const outcome = claims.encrypted
      ? underPassword('outcome')
      : finding('outcome', await sameBytes(original, result), 'the result is not the original')
    return { format: format.id, findings: [...facts, outcome] }
  }
  if (claims.encrypted) return { format: format.id, findings: [...facts, ...['result', 'fidelity', 'figures'].map(underPassword)] }
  const smaller = finding('outcome', result.size < original.size, 'the result is not smaller')
  const output = expectedOutput(format, claims.output_format)
  if (!output)
    return {
      format: format.id,
      findings: [...facts, smaller, finding('output_format', false, `a file of ${format.id} does not become ${claims.output_format}`)],
    }
  const checked = await checkContent({ original, format, result, output, codecs, ...(native && { native }) }, [claims.quality])
  return {
    ...checked,
    findings: [
      ...facts,
      smaller,
      ...checked.findings,
      ...(await claimFindings({ original, format, result, output, codecs, ...(native && { native }) }, checked, claims)),
    ],
  }
}

/** Containers that leave no choice (a NIfTI pair in a ZIP) come under the format's first output. */
const expectedOutput = (format: KnownFormat, said: string): OutputId | undefined =>
  format.outputs.find((id) => id === said) ?? (said === 'zip' ? format.outputs[0] : undefined)

interface Pair {
  readonly original: Source
  readonly format: KnownFormat
  readonly result: Source
  readonly output: OutputId
  readonly codecs: Codecs
  /** Decodes films for which there is no engine here. */
  readonly native?: NativeFilm
}

// Whether usage rights were to be dropped stands in the steps; what else is signed is unchanged all the same.
const optionsFor = ({ format, codecs, output, native }: Pair, quality: Quality): Options =>
  optionsOf(format, codecs, { quality, output, usageRights: 'drop', memoryBudget: MEMORY_BYTES, native })

/** What the result is of the original, at whichever of these levels it may be one. */
async function checkContent(pair: Pair, qualities: readonly Quality[]): Promise<Checked> {
  using _ = grant(MEMORY_BYTES)
  const { format, output } = pair
  const known = { format: format.id, output }
  // A wrapper stands around the whole file, and formats that are never lossy have no figures.
  const isMovie = format.id === 'mp4' || format.id === 'mov'
  if (isMovie && !pair.native && (await needsProgram(pair.original, pair.result, optionsFor(pair, 'high')).catch(() => false)))
    return { ...known, findings: [unchecked('result', 'an FFmpeg on this machine would decode its pictures')] }
  const isWhole = outputFacts(output).wraps || (format.fidelity === 'lossless' && !OF_PICTURES.has(format.id))
  let difference = ''
  for (const quality of qualities) {
    const options = optionsFor(pair, quality)
    const exactly = await differenceOf(pair, LOSSLESS, options)
    if (isWhole) {
      if (exactly === undefined) return { ...known, fidelity: 'lossless', findings: [finding('result', true)] }
      difference = exactly
      continue
    }
    const loosely = exactly === undefined ? undefined : await differenceOf(pair, ANY_LOSS, options)
    difference = loosely ?? ''
    if (loosely !== undefined) continue
    const measured = await measure(pair, options)
    // Verification may let an exact claim pass where it looks at structure alone: what is measured decides.
    const isLossless = exactly === undefined && !measured.loss
    const isKnown = measured.unmeasured.length === 0 || (output === format.id ? !OF_PICTURES.has(format.id) : output === 'flac')
    const fidelity = !isLossless ? 'perceptual' : isKnown ? 'lossless' : 'unknown'
    return { ...known, fidelity, measured, findings: [finding('result', true), ...floorFindings(measured.loss)] }
  }
  return { ...known, findings: [finding('result', false, difference)] }
}

/** Why the codec does not take the result for one of the original; undefined where it does. */
async function differenceOf({ original, format, result, codecs }: Pair, outcome: Outcome, options: Options): Promise<string | undefined> {
  const codec = codecs[format.id]
  if (!codec) return `${format.id} has no codec`
  try {
    const verdict = await codec.verify(original, result, outcome, options)
    return verdict.equal ? undefined : verdict.difference
  } catch (error) {
    // Codecs and engines throw what they cannot read: the result is another kind of file, or damaged.
    return error instanceof Error ? error.message : String(error)
  }
}

function floorFindings(loss: Loss | undefined): Finding[] {
  const { ssim, psnrDb } = loss?.pictures ?? { ssim: 1, psnrDb: Number.POSITIVE_INFINITY }
  if (ssim >= FLOOR_SSIM && psnrDb >= FLOOR_PSNR_DB) return []
  return [finding('floors', false, `SSIM ${ssim.toFixed(4)} and ${psnrDb.toFixed(2)} dB are below ${FLOOR_SSIM} and ${FLOOR_PSNR_DB} dB`)]
}

/** Fidelity and figures against what was found. */
async function claimFindings(pair: Pair, { fidelity, measured }: Checked, claims: Claims): Promise<Finding[]> {
  const { result } = claims
  // What is no result of this original has no figures.
  if (fidelity === undefined) return []
  const findings: Finding[] = []
  if (fidelity === 'unknown') findings.push(unchecked('fidelity', measured?.unmeasured.join(', ') ?? ''))
  else findings.push(finding('fidelity', (fidelity === 'perceptual') === (result.fidelity === 'perceptual'), `it is ${fidelity}`))
  if (fidelity === 'lossless') return findings
  for (const one of figureFindings(claims, measured ?? { unmeasured: [] }, pair.format.id)) findings.push(one)
  if (result.fidelity !== 'perceptual') return findings
  const difference = await differenceOf(pair, claimedOutcome(claims), optionsFor(pair, claims.quality))
  findings.push(finding('figures', difference === undefined, difference))
  return findings
}

/** As the codec said it of its result. */
function claimedOutcome({ result }: Claims): Outcome {
  const { ssim, psnr_db = Number.POSITIVE_INFINITY, mean_ssim, mean_psnr_db = Number.POSITIVE_INFINITY, snr_db } = result
  const mean = mean_ssim === undefined ? {} : { mean: { ssim: mean_ssim, psnrDb: mean_psnr_db } }
  const loss: Loss = {
    ...(ssim !== undefined && { pictures: { ssim, psnrDb: psnr_db, measuredAt: undefined, ...mean } }),
    ...(snr_db !== undefined && { sound: { snrDb: snr_db } }),
  }
  return { kind: 'compressed', steps: [], loss }
}

function signatureFinding({ signature }: ReadReceipt): Finding {
  if (signature.kind === 'unchecked') return unchecked('signature', signature.why)
  return finding('signature', signature.kind === 'true', signature.kind === 'false' ? signature.why : undefined)
}

const underPassword = (field: string) => unchecked(field, 'the result is under a password')

async function fileFindings(original: Source, result: Source, claims: Claims): Promise<Finding[]> {
  const hashes = [await sha256Of(original), await sha256Of(result)]
  return [
    finding('original_size', original.size === claims.original_size, `it is ${original.size}, the receipt says ${claims.original_size}`),
    finding('original_sha256', hashes[0] === claims.result.original_sha256, 'the receipt is of another original'),
    finding('compressed_size', result.size === claims.compressed_size, `it is ${result.size}, the receipt says ${claims.compressed_size}`),
    finding('sha256', hashes[1] === claims.result.sha256, 'the receipt is of another result'),
  ]
}

async function sha256Of(source: Source): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source.stream()) hash.update(chunk)
  return hash.digest('hex')
}

const sameBytes = async (a: Source, b: Source) => a.size === b.size && (await sha256Of(a)) === (await sha256Of(b))
