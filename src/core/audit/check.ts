/**
 * Checks whether a receipt is true, using the original and the result alone. It compares hashes and sizes, decodes both files, and
 * measures every figure again (docs/decisions/checking-receipts.md).
 */

import { withEngines } from '../../../wasm/loading/engine-files.ts'
import { allowMemory } from '../../../wasm/memories/memories.ts'
import { sha256Hex } from '../bytes/digest.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import { FORMATS, type FormatId } from '../catalog/index.ts'
import type { RemovingMode } from '../catalog/metadata.ts'
import { formatFor, holdsFile, isLosslessAs, type KnownFormat, type OutputId, outputFacts } from '../catalog/outputs.ts'
import { levelOfScore, TARGET_SCORES } from '../catalog/score-goal.ts'
import { type Codecs, type Options, type Outcome, type Quality, removesMetadata, type Source } from '../model/codec.ts'
import type { ExternalFilmCodec } from '../model/external-encoder.ts'
import type { Loss } from '../model/loss.ts'
import type { PictureBox } from '../model/picture-box.ts'
import { identify } from '../pipeline/identify.ts'
import { optionsOf } from '../pipeline/job.ts'
import { figureFindings } from './figures.ts'
import { type Finding, finding, unchecked } from './finding.ts'
import { type CheckedInventory, checkInventoryClaims, type InventoryReport } from './inventory.ts'
import { type Measured, measure } from './measure.ts'
import type { Claims, ReadReceipt } from './receipt.ts'

export interface VerifyReport {
  readonly format?: FormatId
  readonly output?: OutputId
  readonly fidelity?: 'same bytes' | 'lossless' | 'perceptual' | 'unknown'
  readonly measured?: Measured
  /** What both files hold besides pixels and samples. `undefined`: the format has no inventory, or a file cannot be read. */
  readonly inventory?: InventoryReport
  readonly findings: readonly Finding[]
}

/** Memory budget of a check in bytes: 1 GB, because checks run on one machine and not in a 128 MB isolate. */
const MEMORY_BYTES = 1024 * 1024 * 1024
const LOSSLESS: Outcome = { kind: 'compressed', steps: [] }
/** Outcome with the lowest possible claims, so that `verify` checks the structure of the result and no figure. */
const ANY_LOSS: Outcome = {
  kind: 'compressed',
  steps: [],
  loss: { pictures: { ssim: 0, psnrDb: 0, measuredAt: undefined }, sound: { snrDb: Number.NEGATIVE_INFINITY } },
}
/** Formats whose lossless verification does not compare embedded pictures. Only measuring the pictures shows a loss. */
const FORMATS_WITH_PICTURES: ReadonlySet<FormatId> = new Set([
  'pdf',
  'docx',
  'xlsx',
  'pptx',
  'odt',
  'ods',
  'odp',
  'odg',
  'ofd',
  'epub',
  'kmz',
  'eml',
  'rtf',
  'ppt',
  'xls',
])

/**
 * Compares an original with a result when there is no receipt, and measures the loss. `output`: format of the result.
 * `undefined`: the result is in no format that the original can be converted to.
 */
export async function checkFiles(
  original: Source,
  result: Source,
  output: OutputId | undefined,
  codecs: Codecs,
  native?: ExternalFilmCodec,
): Promise<VerifyReport> {
  const found: KnownFormat = (await identify(original)) ?? FORMATS.data
  const format = formatFor(found, output) ?? found
  if (await sameBytes(original, result))
    return { format: format.id, output: format.id, fidelity: 'same bytes', findings: [finding('result', true)] }
  if (!output) {
    const other = (await identify(result))?.id ?? 'unknown'
    return {
      format: format.id,
      findings: [finding('result', false, `the result is a file of format ${other}, which is no output of ${format.id}`)],
    }
  }
  const pair = await withBox({ original, format, result, output, codecs, ...(native && { native }) })
  const qualities: readonly Quality[] = ['high', 'medium', 'low', ...(format.ultra ? (['ultra'] as const) : [])]
  return withInventory(await checkContent(pair, qualities), await checkInventoryClaims(pair, qualities))
}

export async function checkReceipt(
  original: Source,
  result: Source,
  receipt: ReadReceipt,
  codecs: Codecs,
  native?: ExternalFilmCodec,
): Promise<VerifyReport> {
  const { claims } = receipt
  const signature = signatureFinding(receipt)
  if (!claims)
    return { findings: [signature, finding('receipt', false, 'the file is not a valid receipt; a signed receipt or its JSON is expected')] }
  const found = await identify(original)
  const own = found?.isOnRequest && found.id !== claims.format ? undefined : found
  const format: KnownFormat | undefined = own ?? (claims.format === 'data' ? FORMATS.data : undefined)
  const facts = [
    signature,
    ...(await fileFindings(original, result, claims)),
    finding(
      'format',
      (format?.id ?? 'unknown') === claims.format,
      `the format of the original is ${format?.id ?? 'not supported'}, the receipt says ${claims.format}`,
    ),
  ]
  if (claims.result.outcome === 'unchanged') {
    const outcome = claims.encrypted
      ? uncheckedEncrypted('outcome')
      : finding('outcome', await sameBytes(original, result), 'the receipt says "unchanged", but the result differs from the original')
    return { ...(format && { format: format.id }), findings: [...facts, outcome] }
  }
  if (!format) return { findings: facts }
  if (claims.encrypted) return { format: format.id, findings: [...facts, ...['result', 'fidelity', 'figures'].map(uncheckedEncrypted)] }
  const smaller = finding(
    'outcome',
    result.size < original.size,
    `the result (${result.size} bytes) is not smaller than the original (${original.size} bytes)`,
  )
  const output = expectedOutput(format, claims.output_format)
  if (!output)
    return {
      format: format.id,
      findings: [...facts, smaller, finding('output_format', false, `${claims.output_format} is no output of ${format.id}`)],
    }
  const { metadata } = claims.result
  const files = { original, format, result, output, codecs, ...(native && { native }), ...(metadata && { metadata }) }
  const pair = await withBox({ ...files, original: await withoutMetadata(files) })
  const qualities = [levelOf(claims)]
  const checked = await checkContent(pair, qualities)
  const findings = [...facts, smaller, ...checked.findings, ...(await claimFindings(pair, checked, claims))]
  return withInventory({ ...checked, findings }, await checkInventoryClaims(files, qualities, claims))
}

/** Level of a receipt; for a score, the level whose settings were used. */
const levelOf = ({ quality, target_score: score }: Claims): Quality => quality ?? levelOfScore(score ?? TARGET_SCORES.most)

/** Adds the box that the picture was reduced to, if the result is smaller than the original. */
async function withBox(pair: Pair): Promise<Pair> {
  if (!pair.format.resizes) return pair
  using _ = allowMemory(MEMORY_BYTES)
  const { reducedBoxOf } = await withEngines(import('./reduced-box.ts'))
  const fitWithin = await reducedBoxOf({ ...pair, format: pair.format.id }, optionsFor(pair, 'high'))
  return fitWithin ? { ...pair, fitWithin } : pair
}

/** Returns the original without the metadata that the receipt declares as removed, because codecs compare with that form. */
async function withoutMetadata(pair: Pair): Promise<Source> {
  const { original, format, codecs, metadata } = pair
  const codec = codecs[format.id]
  if (!metadata || !codec || !removesMetadata(codec)) return original
  return await codec.withoutMetadata(original, metadata, optionsFor(pair, 'high')).catch(() => original)
}

const withInventory = (report: VerifyReport, { inventory, findings }: CheckedInventory): VerifyReport => ({
  ...report,
  ...(inventory && { inventory }),
  findings: [...report.findings, ...findings],
})

/**
 * Returns the output that a receipt names. A receipt may say `zip` for files that only exist in a ZIP (a NIfTI pair); that is the
 * format's first output.
 */
const expectedOutput = (format: KnownFormat, claimed: string): OutputId | undefined =>
  format.outputs.find((id) => id === claimed) ?? (claimed === 'zip' ? format.outputs[0] : undefined)

interface Pair {
  readonly original: Source
  readonly format: KnownFormat
  readonly result: Source
  readonly output: OutputId
  readonly codecs: Codecs
  /** Metadata that the receipt declares as removed. `undefined`: none. */
  readonly metadata?: RemovingMode
  /** External decoder for films that Whittle has no engine for. `undefined`: such films are not measured. */
  readonly native?: ExternalFilmCodec
  /** Box that a smaller picture of the result fits exactly. `undefined`: the result has the size of the original. */
  readonly fitWithin?: PictureBox
}

// `usageRights: 'drop'` accepts results without usage rights, because the receipt's steps name them. Other signatures must be unchanged.
const optionsFor = ({ format, codecs, output, native, metadata, fitWithin }: Pair, quality: Quality): Options =>
  optionsOf(format, codecs, { quality, output, usageRights: 'drop', memoryBudget: MEMORY_BYTES, native, metadata, fitWithin })

async function needsExternalDecoder(pair: Pair): Promise<boolean> {
  const films = await withEngines(import('./films.ts'))
  return await films.needsExternalDecoder(pair.original, pair.format.id, pair.result, optionsFor(pair, 'high'))
}

/** Finds the first of `qualities` at which the codec accepts `result` as a result of `original`, and measures the loss. */
async function checkContent(pair: Pair, qualities: readonly Quality[]): Promise<VerifyReport> {
  using _ = allowMemory(MEMORY_BYTES)
  const { format, output } = pair
  const known = { format: format.id, output }
  // For outputs that hold the file and always-lossless formats, one comparison covers the whole file, and there are no figures to measure.
  const isMovie = format.id === 'mp4' || format.id === 'mov' || (['mkv', 'webm', 'ts', 'flv'].includes(format.id) && output === 'mp4')
  if (isMovie && !pair.native && (await needsExternalDecoder(pair).catch(() => false)))
    return { ...known, findings: [unchecked('result', 'the film was not decoded; install FFmpeg on this machine and check again')] }
  const isHeld = outputFacts(output).wraps || holdsFile(format.id, output)
  const isWhole = isHeld || (isLosslessAs(format, output) && !FORMATS_WITH_PICTURES.has(format.id))
  let difference = ''
  for (const quality of qualities) {
    const options = optionsFor(pair, quality)
    const exactDifference = await differenceOf(pair, LOSSLESS, options)
    if (isWhole) {
      if (exactDifference === undefined) return { ...known, fidelity: 'lossless', findings: [finding('result', true)] }
      difference = exactDifference
      continue
    }
    const lossyDifference = exactDifference === undefined ? undefined : await differenceOf(pair, ANY_LOSS, options)
    difference = lossyDifference ?? ''
    if (lossyDifference !== undefined) continue
    const measured = await measure(pair, options)
    // A codec's `verify` may accept a lossless claim by structure alone, so the measured loss decides.
    const isLossless = exactDifference === undefined && !measured.loss
    const isMeasured =
      measured.unmeasured.length === 0 || (output === format.id ? !FORMATS_WITH_PICTURES.has(format.id) : output === 'flac')
    const fidelity = !isLossless ? 'perceptual' : isMeasured ? 'lossless' : 'unknown'
    return { ...known, fidelity, measured, findings: [finding('result', true), ...floorFindings(measured.loss)] }
  }
  return { ...known, findings: [finding('result', false, difference)] }
}

/** Returns why the codec rejects `result` as a result of `original`. `undefined`: the codec accepts it. */
async function differenceOf({ original, format, result, codecs }: Pair, outcome: Outcome, options: Options): Promise<string | undefined> {
  const codec = codecs[format.id]
  if (!codec) return `${format.id} has no codec`
  try {
    const verdict = await codec.verify(original, result, outcome, options)
    return verdict.equal ? undefined : verdict.difference
  } catch (error) {
    // Codecs and engines throw if they cannot read a file. The result is then damaged or of another format.
    return error instanceof Error ? error.message : String(error)
  }
}

function floorFindings(loss: Loss | undefined): Finding[] {
  const { ssim, psnrDb } = loss?.pictures ?? { ssim: 1, psnrDb: Number.POSITIVE_INFINITY }
  if (ssim >= FLOOR_SSIM && psnrDb >= FLOOR_PSNR_DB) return []
  return [finding('floors', false, `SSIM ${ssim.toFixed(4)} and ${psnrDb.toFixed(2)} dB are below ${FLOOR_SSIM} and ${FLOOR_PSNR_DB} dB`)]
}

/** Compares the receipt's fidelity and figures with what was measured. */
async function claimFindings(pair: Pair, { fidelity, measured }: VerifyReport, claims: Claims): Promise<Finding[]> {
  const { result } = claims
  // Without a measured fidelity, the result does not belong to this original, so there are no figures to compare.
  if (fidelity === undefined) return []
  const findings: Finding[] = []
  if (fidelity === 'unknown') findings.push(unchecked('fidelity', measured?.unmeasured.join(', ') ?? ''))
  else findings.push(finding('fidelity', (fidelity === 'perceptual') === (result.fidelity === 'perceptual'), `it is ${fidelity}`))
  if (fidelity === 'lossless') return findings
  for (const one of figureFindings(claims, measured ?? { unmeasured: [] }, pair.format.id, pair.output)) findings.push(one)
  if (result.fidelity !== 'perceptual') return findings
  const difference = await differenceOf(pair, claimedOutcome(claims, pair.format.family === 'audio'), optionsFor(pair, levelOf(claims)))
  findings.push(finding('figures', difference === undefined, difference))
  return findings
}

/** Rebuilds the codec's outcome from the figures of a receipt, so that the codec can verify them. */
function claimedOutcome({ result }: Claims, isSound: boolean): Outcome {
  const { ssim, psnr_db = Number.POSITIVE_INFINITY, mean_ssim, mean_psnr_db = Number.POSITIVE_INFINITY, snr_db } = result
  const mean = mean_ssim === undefined ? {} : { mean: { ssim: mean_ssim, psnrDb: mean_psnr_db } }
  const loss: Loss = {
    ...(ssim !== undefined && { pictures: { ssim, psnrDb: psnr_db, measuredAt: undefined, ...mean } }),
    // Receipts of silent sound have no ratio.
    ...((snr_db !== undefined || isSound) && { sound: { snrDb: snr_db ?? Number.POSITIVE_INFINITY } }),
  }
  return { kind: 'compressed', steps: [], loss }
}

function signatureFinding({ signature }: ReadReceipt): Finding {
  if (signature.kind === 'unchecked') return unchecked('signature', signature.why)
  return finding('signature', signature.kind === 'true', signature.kind === 'false' ? signature.why : undefined)
}

const uncheckedEncrypted = (field: string) => unchecked(field, 'not checked, because the result is encrypted with a password')

async function fileFindings(original: Source, result: Source, claims: Claims): Promise<Finding[]> {
  const hashes = [await sha256Of(original), await sha256Of(result)]
  return [
    finding('original_size', original.size === claims.original_size, `it is ${original.size}, the receipt says ${claims.original_size}`),
    finding('original_sha256', hashes[0] === claims.result.original_sha256, 'the receipt belongs to another original'),
    finding('compressed_size', result.size === claims.compressed_size, `it is ${result.size}, the receipt says ${claims.compressed_size}`),
    finding('sha256', hashes[1] === claims.result.sha256, 'the receipt belongs to another result'),
  ]
}

async function sha256Of(source: Source): Promise<string> {
  return sha256Hex(source.stream())
}

const sameBytes = async (a: Source, b: Source) => a.size === b.size && (await sha256Of(a)) === (await sha256Of(b))
