import { isEngineError } from '../../../wasm/engine-error.ts'
import { FLOOR_PSNR_DB, FLOOR_SNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import { FALLBACK_LEVELS } from '../catalog/level-order.ts'
import { holdsFile, isLosslessAs, type KnownFormat, type OutputId } from '../catalog/outputs.ts'
import { englishText, type Message, message } from '../i18n/message.ts'
import type { Codec, Compressed, Options, Outcome, Reason, Source, Suggestion, Verdict } from '../model/codec.ts'
import { CodecError, malformed, overBudget, unsupported } from '../model/error.ts'
import { type Loss, lossWithScore, NO_STILL_PICTURE } from '../model/loss.ts'
import { removedField } from '../model/removed.ts'
import type { ResultSink } from '../model/sink.ts'

/** Accepted result of a job: verified bytes, or the reason why the original file stays unchanged. */
export type CompressionResult =
  | {
      outcome: Compressed
      result: Source /** Verified share of the result, 0 to 1. `undefined`: the codec did not count. */
      verifiedShare?: number
    }
  | {
      outcome: Extract<Outcome, { kind: 'unchanged' }>
      result: undefined /** Description of a bug in Whittle, for the log. `undefined`: no bug. */
      defect?: string
      /** Points by which a lossy result missed the wanted score; infinite: it has no score. `undefined`: none missed it. */
      missedPoints?: number
    }

/** Returns the verified share of a result, 0 to 1. An unchanged file counts as fully verified. `{}`: the codec did not count. */
export function verifiedShareOf(pressed: CompressionResult): { verifiedShare?: number } {
  if (pressed.result === undefined) return { verifiedShare: 1 }
  return pressed.verifiedShare === undefined ? {} : { verifiedShare: pressed.verifiedShare }
}

/** Returns the format of the result. An unchanged file keeps its format. A codec may choose another output than `asked`. */
export function outputOfResult({ outcome }: CompressionResult, format: KnownFormat, asked: OutputId): OutputId {
  return outcome.kind === 'compressed' ? (outcome.output ?? asked) : format.id
}

/**
 * Runs a codec and enforces the promises: the result is smaller, keeps the quality floors, and was decoded and compared. If a level
 * leaves the file unchanged, the gentler levels are tried. Each codec orders its levels, so a gentler level is not better than this one.
 * `openSink` is called once per attempt. Its limit must be the size of the source, or `targetSize` if that is smaller.
 */
export async function compress(
  codec: Codec,
  source: Source,
  openSink: () => Promise<ResultSink>,
  options: Options,
): Promise<CompressionResult> {
  let pressed = await compressAtLevel(codec, source, openSink, options)
  if (isLosslessAs(codec.format, options.output) || holdsFile(codec.format.id, options.output)) return pressed
  for (const quality of FALLBACK_LEVELS[options.quality]) {
    if (pressed.outcome.kind === 'compressed' || !mayGentlerLevelHelp(pressed.outcome.reason, codec.format)) break
    pressed = await compressAtLevel(codec, source, openSink, { ...options, quality })
  }
  return pressed
}

const mayGentlerLevelHelp = (reason: Reason, { gentlerIsLarger }: KnownFormat) =>
  reason === 'below_floor' || (reason === 'no_gain' && !gentlerIsLarger)

/** Runs a codec once at one level and enforces the same promises as `compress`. A rejected result is removed from the sink. */
export async function compressAtLevel(
  codec: Codec,
  source: Source,
  openSink: () => Promise<ResultSink>,
  options: Options,
): Promise<CompressionResult> {
  const sink = await openSink()
  try {
    const { evidence, ...made } = await codec.compress(source, sink, options)
    options.signal.throwIfAborted()
    const outcome = enforcePromises(made, codec.format, { written: sink.written, size: source.size }, options)
    if (outcome.kind === 'unchanged') {
      await sink.abort()
      return { outcome, result: undefined }
    }
    const result = await sink.finish()
    const verdict = await verify({ codec, source, result, outcome, evidence }, options)
    options.signal.throwIfAborted()
    const accepted = verdict.equal
      ? atWantedScore(await acceptVerified({ codec, source, result, outcome }, verdict, options), options)
      : rejected(verdict.difference)
    options.signal.throwIfAborted()
    if (accepted.result === undefined) await sink.abort()
    return accepted
  } catch (error) {
    await sink.abort()
    const expected = expectedFailure(codec.format.id, error)
    if (!expected || options.signal.aborted) throw error
    return expected
  }
}

type Unchanged = Extract<CompressionResult, { result: undefined }>

/** Returns the original as the outcome, because the codec rejected its own result. `difference`: description for the log. */
const rejected = (difference: string): Unchanged => ({
  outcome: { kind: 'unchanged', reason: 'unsupported_feature', detail: message('own_verification_failed') },
  result: undefined,
  defect: difference,
})

/** Accepts a verified result if it also keeps the inventory of the original (`core/inventory`). */
export async function acceptVerified(
  { codec, source, result, outcome }: VerifyInput,
  { ssimulacra2, share = 1, holdsOriginal }: Extract<Verdict, { equal: true }>,
  { quality, output: asked, signal, metadata, uploaded, rendition }: Options,
): Promise<CompressionResult> {
  // A rendition leaves out everything besides the picture, as its caller asked.
  if (rendition) return { outcome: withScore(outcome, ssimulacra2), result, verifiedShare: share }
  const output = outcome.output ?? asked
  // Loaded with the first result, so that the entry of the library stays small.
  const { checkInventory } = await import('../inventory/check.ts')
  // A result that holds the codec's source has its inventory.
  const held = holdsOriginal ? { output: codec.format.id, result: source } : { output, result }
  const verdict = await checkInventory({ format: codec.format, ...held, original: uploaded ?? source, quality, signal, metadata })
  if (verdict.kind === 'unreadable') return rejected(verdict.difference)
  if (verdict.kind === 'lost') {
    const { kind, item, count } = verdict.loss
    const detail = message('inventory_lost', { what: message(`kind_${kind}`), count, item })
    return { outcome: { kind: 'unchanged', reason: 'unsupported_feature', detail }, result: undefined, defect: englishText(detail) }
  }
  const scored = withScore(outcome, ssimulacra2)
  if (verdict.kind === 'none') return { outcome: scored, result, verifiedShare: share }
  const removed = removedField([...(outcome.removed ?? []), ...(verdict.fields.removed ?? [])])
  return { outcome: { ...scored, ...verdict.fields, ...removed }, result, verifiedShare: share }
}

/** Returns the result, or `unchanged` if it is lossy and its score is below the one that the caller asked for. */
function atWantedScore(accepted: CompressionResult, { targetScore }: Options): CompressionResult {
  if (targetScore === undefined || accepted.result === undefined || !accepted.outcome.loss) return accepted
  const { ssimulacra2: score = NO_STILL_PICTURE } = accepted.outcome.loss.pictures ?? {}
  if (score === NO_STILL_PICTURE) {
    const detail = message('score_not_measured', { wanted: targetScore })
    return { outcome: { kind: 'unchanged', reason: 'below_floor', detail }, result: undefined, missedPoints: Number.POSITIVE_INFINITY }
  }
  if (score >= targetScore) return accepted
  const detail = message('score_not_reached', { score: score.toFixed(1), wanted: targetScore })
  return { outcome: { kind: 'unchanged', reason: 'below_floor', detail }, result: undefined, missedPoints: targetScore - score }
}

function withScore(outcome: Compressed, ssimulacra2: number | undefined): Compressed {
  const { loss } = outcome
  return loss?.pictures ? { ...outcome, loss: { ...loss, pictures: lossWithScore(loss.pictures, ssimulacra2) } } : outcome
}

export interface VerifyInput {
  readonly codec: Codec
  readonly source: Source
  readonly result: Source
  readonly outcome: Compressed
  /** Data that the codec's `compress` passes to its `verify`. */
  readonly evidence?: unknown
}

/** Verifies a result. If a file cannot be read here, it is the result: `compress` has already read the original completely. */
async function verify({ codec, source, result, outcome, evidence }: VerifyInput, options: Options): Promise<Verdict> {
  try {
    return await codec.verify(source, result, outcome, options, evidence)
  } catch (error) {
    const trouble = expectedFailure(codec.format.id, error)
    if (!trouble || trouble.outcome.reason === 'over_budget') throw error
    return {
      equal: false,
      difference: trouble.defect ?? (trouble.outcome.detail && englishText(trouble.outcome.detail)) ?? trouble.outcome.reason,
    }
  }
}

interface Sizes {
  readonly written: number
  readonly size: number
}

/** Returns the outcome, or `unchanged` with the reason why the result is rejected, independent of the codec's own judgement. */
function enforcePromises(outcome: Outcome, format: KnownFormat, { written, size }: Sizes, { lossless }: Options): Outcome {
  if (outcome.kind === 'unchanged') return isHelpful(outcome.suggestion, format, size) ? outcome : withoutSuggestion(outcome)
  if (written >= size || written === 0) return { kind: 'unchanged', reason: 'no_gain' }
  if (!outcome.loss) return outcome
  if (lossless) return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('only_exact_asked_for') }
  const detail = belowFloors(outcome.loss)
  return detail === undefined ? outcome : { kind: 'unchanged', reason: 'below_floor', detail }
}

/** True if the format has the suggested output, and the suggestion is smaller than the file. */
const isHelpful = (suggestion: Suggestion | undefined, { outputs }: KnownFormat, size: number) =>
  suggestion !== undefined && suggestion.estimatedBytes < size && (outputs as readonly string[]).includes(suggestion.output)

const withoutSuggestion = ({ suggestion: _, ...outcome }: Extract<Outcome, { kind: 'unchanged' }>) => outcome

/** Returns a message if the loss is below the quality floors. The audio of a film is checked by the film codecs instead. */
function belowFloors({ pictures, sound }: Loss): Message | undefined {
  if (pictures) {
    const { ssim, psnrDb } = pictures
    return ssim >= FLOOR_SSIM && psnrDb >= FLOOR_PSNR_DB
      ? undefined
      : message('ssim_and_psnr', { ssim: ssim.toFixed(4), psnr: psnrDb.toFixed(2) })
  }
  if (!sound) return message('loss_without_figures')
  return sound.snrDb >= FLOOR_SNR_DB ? undefined : message('snr', { snr: sound.snrDb.toFixed(2) })
}

/** Converts an engine error to a codec error. `undefined`: the engine was misused, which is a bug in Whittle. */
function asCodecError(format: string, error: unknown): CodecError | undefined {
  if (error instanceof CodecError) return error
  if (!isEngineError(error) || error.failure === 'misuse') return undefined
  if (error.failure === 'memory' || error.failure === 'too_large') return overBudget(message('engine_reports', { problem: error.message }))
  if (error.failure === 'unsupported') return unsupported(message('engine_reports', { problem: error.message }))
  const at = /byte (\d+)/.exec(error.message)
  return malformed(format, at ? Number(at[1]) : 0, message('engine_reports', { problem: error.message }))
}

/**
 * Converts an expected error to an `unchanged` result. `undefined`: a bug in Whittle. A Wasm trap is reported as a defect, too,
 * because the file passed the checks before the engine.
 */
export function expectedFailure(format: string, error: unknown): Extract<CompressionResult, { result: undefined }> | undefined {
  const known = asCodecError(format, error)
  if (known) {
    const detail = known.detail && { detail: known.detail }
    return { outcome: { kind: 'unchanged', reason: known.reason, ...detail }, result: undefined }
  }
  if (!(error instanceof WebAssembly.RuntimeError)) return undefined
  const outcome = { kind: 'unchanged', reason: 'malformed', detail: message('decoder_gave_up') } as const
  return { outcome, result: undefined, defect: `trap: ${error.message}` }
}
