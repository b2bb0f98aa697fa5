import { isEngineError } from '../../../wasm/engine-error.ts'
import { FLOOR_PSNR_DB, FLOOR_SNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import { GENTLER } from '../catalog/level-order.ts'
import type { KnownFormat, OutputId } from '../catalog/outputs.ts'
import { english, type Message, message } from '../i18n/message.ts'
import type { Codec, Compressed, Options, Outcome, Reason, Source, Suggestion, Verdict } from '../model/codec.ts'
import { CodecError, malformed, overBudget, unsupported } from '../model/error.ts'
import { type Loss, scored } from '../model/loss.ts'
import type { ResultSink } from '../model/sink.ts'

/** A result that stands: verified bytes, or the reason why the upload itself is the result. */
export type Pressed =
  | {
      outcome: Compressed
      result: Source /** Of the result that was verified, 0–1; absent where nobody counted. */
      verifiedShare?: number
    }
  | { outcome: Extract<Outcome, { kind: 'unchanged' }>; result: undefined /** A bug of ours, for the log. */; defect?: string }

/** Share of the result that was verified, 0 to 1. A file that stays as it is counts as verified; `{}` where nobody counted. */
export function verifiedShareOf(pressed: Pressed): { verifiedShare?: number } {
  if (pressed.result === undefined) return { verifiedShare: 1 }
  return pressed.verifiedShare === undefined ? {} : { verifiedShare: pressed.verifiedShare }
}

/** What came out: a file that stays as it is keeps its format; a few codecs choose an output of their own; all others make what was asked. */
export function outputOfResult({ outcome }: Pressed, format: KnownFormat, asked: OutputId): OutputId {
  return outcome.kind === 'compressed' ? (outcome.output ?? asked) : format.id
}

/**
 * Runs a codec and keeps the promises: never larger, floors, decoded and compared before it counts. Where a level leaves the
 * file as it is, the gentler ones of the ladder are tried; that levels which do find something are in order is up to the codecs.
 * `openSink` is called once per attempt; its limit must be the source's size (or `targetSize`, if smaller).
 */
export async function compress(codec: Codec, source: Source, openSink: () => Promise<ResultSink>, options: Options): Promise<Pressed> {
  let pressed = await attempt(codec, source, openSink, options)
  if (codec.format.fidelity === 'lossless') return pressed
  for (const quality of GENTLER[options.quality]) {
    if (pressed.outcome.kind === 'compressed' || !mayGainGentler(pressed.outcome.reason)) break
    pressed = await attempt(codec, source, openSink, { ...options, quality })
  }
  return pressed
}

const mayGainGentler = (reason: Reason) => reason === 'no_gain' || reason === 'below_floor'

/** One run of a codec at one level, under the same promises. What is not handed out is removed from the sink. */
export async function attempt(codec: Codec, source: Source, openSink: () => Promise<ResultSink>, options: Options): Promise<Pressed> {
  const sink = await openSink()
  try {
    const { evidence, ...made } = await codec.compress(source, sink, options)
    options.signal.throwIfAborted()
    const outcome = acceptable(made, codec.format, { written: sink.written, size: source.size }, options)
    if (outcome.kind === 'unchanged') {
      await sink.abort()
      return { outcome, result: undefined }
    }
    const result = await sink.finish()
    const verdict = await verify({ codec, source, result, outcome, evidence }, options)
    options.signal.throwIfAborted()
    if (verdict.equal) return { outcome: withScore(outcome, verdict.ssimulacra2), result, verifiedShare: verdict.share ?? 1 }
    await sink.abort()
    const detail = message('own_verification_failed')
    return { outcome: { kind: 'unchanged', reason: 'unsupported_feature', detail }, result: undefined, defect: verdict.difference }
  } catch (error) {
    await sink.abort()
    const expected = expectedTrouble(codec.format.id, error)
    if (!expected || options.signal.aborted) throw error
    return expected
  }
}

function withScore(outcome: Compressed, ssimulacra2: number | undefined): Compressed {
  const { loss } = outcome
  return loss?.pictures ? { ...outcome, loss: { ...loss, pictures: scored(loss.pictures, ssimulacra2) } } : outcome
}

interface Made {
  readonly codec: Codec
  readonly source: Source
  readonly result: Source
  readonly outcome: Compressed
  /** What `compress` handed over for `verify`. */
  readonly evidence?: unknown
}

/** What cannot be read now is the result: the upload was read from one end to the other before, and is not to blame. */
async function verify({ codec, source, result, outcome, evidence }: Made, options: Options): Promise<Verdict> {
  try {
    return await codec.verify(source, result, outcome, options, evidence)
  } catch (error) {
    const trouble = expectedTrouble(codec.format.id, error)
    if (!trouble || trouble.outcome.reason === 'over_budget') throw error
    return {
      equal: false,
      difference: trouble.defect ?? (trouble.outcome.detail && english(trouble.outcome.detail)) ?? trouble.outcome.reason,
    }
  }
}

interface Bytes {
  readonly written: number
  readonly size: number
}

/** The outcome, or why the result must not stand, whatever the codec says of it. */
function acceptable(outcome: Outcome, format: KnownFormat, { written, size }: Bytes, { lossless }: Options): Outcome {
  if (outcome.kind === 'unchanged') return isHelpful(outcome.suggestion, format, size) ? outcome : withoutSuggestion(outcome)
  if (written >= size || written === 0) return { kind: 'unchanged', reason: 'no_gain' }
  if (!outcome.loss) return outcome
  if (lossless) return { kind: 'unchanged', reason: 'unsupported_feature', detail: message('only_exact_asked_for') }
  const detail = belowFloors(outcome.loss)
  return detail === undefined ? outcome : { kind: 'unchanged', reason: 'below_floor', detail }
}

/** A caller can ask for what is suggested, and gains by it. */
const isHelpful = (suggestion: Suggestion | undefined, { outputs }: KnownFormat, size: number) =>
  suggestion !== undefined && suggestion.estimatedBytes < size && (outputs as readonly string[]).includes(suggestion.output)

const withoutSuggestion = ({ suggestion: _, ...outcome }: Extract<Outcome, { kind: 'unchanged' }>) => outcome

/** The figures of what lost more than anything may. What sound beside pictures may lose is for the codecs of films to judge. */
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

/** What engines complain about, as trouble of a format's codec; undefined: a bug of ours. */
function asCodecError(format: string, error: unknown): CodecError | undefined {
  if (error instanceof CodecError) return error
  if (!isEngineError(error) || error.failure === 'misuse') return undefined
  if (error.failure === 'memory' || error.failure === 'too_large') return overBudget(message('engine_reports', { problem: error.message }))
  if (error.failure === 'unsupported') return unsupported(message('engine_reports', { problem: error.message }))
  const at = /byte (\d+)/.exec(error.message)
  return malformed(format, at ? Number(at[1]) : 0, message('engine_reports', { problem: error.message }))
}

/**
 * Trouble that a codec may meet, as an outcome; undefined: a bug of ours. Where a Wasm instance trapped, the file got past
 * our checks, so that is a defect of ours as well.
 */
export function expectedTrouble(format: string, error: unknown): Extract<Pressed, { result: undefined }> | undefined {
  const known = asCodecError(format, error)
  if (known) {
    const detail = known.detail && { detail: known.detail }
    return { outcome: { kind: 'unchanged', reason: known.reason, ...detail }, result: undefined }
  }
  if (!(error instanceof WebAssembly.RuntimeError)) return undefined
  const outcome = { kind: 'unchanged', reason: 'malformed', detail: message('decoder_gave_up') } as const
  return { outcome, result: undefined, defect: `trap: ${error.message}` }
}
