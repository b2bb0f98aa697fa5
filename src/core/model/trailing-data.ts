/**
 * Keeps trailing data: bytes after the end of a format's own data. Examples: a ZIP archive after a picture, the film of a motion photo.
 * Readers ignore these bytes in both files, so they are copied unchanged.
 */

import { equalBytes } from '../bytes/equal.ts'
import { pictureFacts } from '../catalog/outputs.ts'
import { type Message, message } from '../i18n/message.ts'
import type { Codec, Options, Sink, Source } from './codec.ts'
import { TargetUnreachable, unsupported } from './error.ts'
import { slice } from './source.ts'

/** Outcome as `Codec.compress` returns it. */
type WithEvidence = Awaited<ReturnType<Codec['compress']>>

const COPY_BYTES = 256 * 1024

/**
 * Compresses `source` up to byte `end` with `compress`, then appends the rest unchanged.
 * @throws CodecError `unsupported_feature` if readers of the output do not ignore trailing bytes
 */
export async function compressKeepingTrailingData(
  source: Source,
  end: number,
  sink: Sink,
  options: Options,
  compress: (body: Source, options: Options) => Promise<WithEvidence>,
): Promise<WithEvidence> {
  const bytes = source.size - end
  if (bytes <= 0) return await compress(source, options)
  if (pictureFacts(options.output)?.readToTheEnd) throw unsupported(message('bytes_after_end_would_be_lost', { size: bytes }))
  const outcome = await compress(slice(source, 0, end), withReducedTarget(options, bytes)).catch((error: unknown) => {
    throw error instanceof TargetUnreachable ? new TargetUnreachable(error.bestSize + bytes) : error
  })
  if (outcome.kind === 'unchanged') return outcome
  await copyTrailingData(source, end, sink)
  return { ...outcome, steps: [...outcome.steps, ...trailingDataSteps(source, end)] }
}

const withReducedTarget = (options: Options, bytes: number): Options =>
  options.targetSize === undefined ? options : { ...options, targetSize: Math.max(1, options.targetSize - bytes) }

/** Appends all bytes of `source` from `end` to `sink`. */
export async function copyTrailingData(source: Source, end: number, sink: Pick<Sink, 'write'>): Promise<void> {
  for (let at = end; at < source.size; at += COPY_BYTES) {
    await sink.write((await source.read(at, Math.min(COPY_BYTES, source.size - at))).slice())
  }
}

/**
 * Compares `original` from byte `end` with `result` from byte `resultEnd`. `undefined`: they are equal. Otherwise returns the difference.
 */
export async function trailingDataDifference(
  original: Source,
  end: number,
  result: Source,
  resultEnd: number,
): Promise<string | undefined> {
  const length = Math.max(0, original.size - end)
  if (result.size - resultEnd !== length) return `expected ${length} bytes of trailing data, got ${result.size - resultEnd}`
  for (let done = 0; done < length; done += COPY_BYTES) {
    const [a, b] = await Promise.all([original.read(end + done, COPY_BYTES), result.read(resultEnd + done, COPY_BYTES)])
    if (!equalBytes(a, b)) return `the trailing data differs near byte ${end + done} of the original`
  }
  return undefined
}

/** Two files without their equal trailing bytes, or the difference of these bytes. */
type EqualTails = { readonly original: Source; readonly result: Source } | { readonly difference: string }

/**
 * Compares the trailing bytes of `original` (from byte `end`) with the last bytes of `result`. If they are equal, returns both files
 * without them.
 */
export async function stripEqualTrailingData(original: Source, end: number, result: Source): Promise<EqualTails> {
  const bytes = original.size - end
  if (bytes <= 0) return { original, result }
  if (result.size <= bytes)
    return { difference: `the result has ${result.size} bytes, but the original has ${bytes} bytes of trailing data` }
  const resultEnd = result.size - bytes
  const difference = await trailingDataDifference(original, end, result, resultEnd)
  return difference === undefined ? { original: slice(original, 0, end), result: slice(result, 0, resultEnd) } : { difference }
}

/** Returns the receipt's step about trailing bytes that were kept. */
export const trailingDataSteps = (source: Source, end: number): Message[] =>
  source.size > end ? [message('bytes_after_end_kept', { bytes: source.size - end })] : []
