/** Compresses files without the metadata that a caller asked to remove (`metadata` in API.md). */
import { message } from '../i18n/message.ts'
import { type Codec, type Options, removesMetadata, type Source } from '../model/codec.ts'
import { CodecError } from '../model/error.ts'
import type { ResultSink } from '../model/sink.ts'
import { acceptVerified, type CompressionResult, expectedFailure } from './compress.ts'

/** Form of an upload that the codec compresses. */
export interface Prepared {
  /** The upload itself, or the upload without its metadata. */
  readonly source: Source
  /** The upload, if `source` is another form of it. `undefined`: `source` is the upload. */
  readonly uploaded: Source | undefined
}

/**
 * Returns the form of `source` that the codec compresses.
 * @throws CodecError if the file is damaged
 */
export async function prepared(codec: Codec, source: Source, options: Options): Promise<Prepared> {
  if (options.metadata === undefined || !removesMetadata(codec)) return { source, uploaded: undefined }
  const reduced = await codec.withoutMetadata(source, options.metadata, options)
  return reduced === source ? { source, uploaded: undefined } : { source: reduced, uploaded: source }
}

/**
 * Completes the result of a job that removes metadata. If the codec gained nothing, the file without its metadata is the result. A file
 * that keeps its metadata says so in its detail.
 */
export async function afterRemoval(
  codec: Codec,
  { source, uploaded }: Prepared,
  pressed: CompressionResult,
  openSink: () => Promise<ResultSink>,
  options: Options,
): Promise<CompressionResult> {
  const { metadata, targetSize } = options
  if (metadata === undefined) return pressed
  const step = message(metadata === 'safe' ? 'metadata_removed_safe' : 'metadata_removed_strip')
  if (pressed.result !== undefined) {
    const { outcome } = pressed
    const isRemoved = uploaded !== undefined || outcome.removed?.some(({ why }) => why === 'as_requested')
    return isRemoved ? { ...pressed, outcome: { ...outcome, metadata, steps: [step, ...outcome.steps] } } : pressed
  }
  const mayBeResult = uploaded && codec.format.id === options.output && source.size < Math.min(uploaded.size, targetSize ?? uploaded.size)
  const isHarmless = pressed.outcome.reason === 'no_gain' || pressed.outcome.reason === 'below_floor'
  if (mayBeResult && isHarmless) {
    const sink = await openSink()
    for await (const chunk of source.stream()) await sink.write(chunk.slice())
    const result = await sink.finish()
    const outcome = { kind: 'compressed' as const, steps: [step], metadata }
    const accepted = await acceptVerified({ codec, source: uploaded, result, outcome }, { equal: true }, options)
    if (accepted.result === undefined) await sink.abort()
    return accepted
  }
  return (await mayKeepMetadata(codec, uploaded ?? source, options)) ? withWarning(pressed) : pressed
}

/** True if a file has metadata that the caller asked to remove, or if that cannot be found out. */
export async function mayKeepMetadata(codec: Codec, file: Source, { metadata, signal }: Options): Promise<boolean> {
  if (metadata === undefined) return false
  const [{ readInventory }, { hasRemovable }] = await Promise.all([import('../inventory/check.ts'), import('../inventory/judge.ts')])
  try {
    const inventory = await readInventory(codec.format.id, file, signal)
    return inventory === undefined || hasRemovable(inventory, metadata, codec.format.id)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return true
  }
}

function withWarning(pressed: Extract<CompressionResult, { result: undefined }>): CompressionResult {
  const { detail } = pressed.outcome
  const warning = detail ? message('metadata_still_there_because', { why: detail }) : message('metadata_still_there')
  return { ...pressed, outcome: { ...pressed.outcome, detail: warning } }
}

/** Runs `work`, and converts an expected error of the file to an `unchanged` result. */
export async function orUnchanged(codec: Codec, signal: AbortSignal, work: () => Promise<CompressionResult>): Promise<CompressionResult> {
  try {
    return await work()
  } catch (error) {
    const expected = expectedFailure(codec.format.id, error)
    if (!expected || signal.aborted) throw error
    return expected
  }
}
