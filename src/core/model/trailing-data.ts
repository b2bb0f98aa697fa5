/**
 * What stands behind the end of a format in a file, and is none of its content: a ZIP archive behind a picture, the film of a
 * motion photo. Readers pass over it in the upload, and do so in the result: it is kept as it is.
 */

import { pictureFacts } from '../catalog/outputs.ts'
import { type Message, message } from '../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from './codec.ts'
import { TargetUnreachable, unsupported } from './error.ts'
import { slice } from './source.ts'

const COPY_BYTES = 256 * 1024

/**
 * `compress` for all of `source` but what stands behind `end`, which is put behind the result.
 * @throws CodecError (unsupported_feature) where the output has no place for it
 */
export async function withTail(
  source: Source,
  end: number,
  sink: Sink,
  options: Options,
  compress: (body: Source, options: Options) => Promise<Outcome>,
): Promise<Outcome> {
  const bytes = source.size - end
  if (bytes <= 0) return await compress(source, options)
  if (pictureFacts(options.output)?.readToTheEnd) throw unsupported(message('bytes_after_end_would_be_lost', { size: bytes }))
  const outcome = await compress(slice(source, 0, end), lessFor(options, bytes)).catch((error: unknown) => {
    throw error instanceof TargetUnreachable ? new TargetUnreachable(error.bestSize + bytes) : error
  })
  if (outcome.kind === 'unchanged') return outcome
  await copyTail(source, end, sink)
  return { ...outcome, steps: [...outcome.steps, ...tailSteps(source, end)] }
}

const lessFor = (options: Options, bytes: number): Options =>
  options.targetSize === undefined ? options : { ...options, targetSize: Math.max(1, options.targetSize - bytes) }

/** Appends all of `source` from byte `end` on. */
export async function copyTail(source: Source, end: number, sink: Pick<Sink, 'write'>): Promise<void> {
  for (let at = end; at < source.size; at += COPY_BYTES) {
    await sink.write((await source.read(at, Math.min(COPY_BYTES, source.size - at))).slice())
  }
}

/** undefined: from `resultEnd` on `result` holds what `original` does from `end` on, and no more. Else what differs. */
export async function tailDifference(original: Source, end: number, result: Source, resultEnd: number): Promise<string | undefined> {
  const length = Math.max(0, original.size - end)
  if (result.size - resultEnd !== length) return `${length} bytes after the end became ${result.size - resultEnd}`
  for (let done = 0; done < length; done += COPY_BYTES) {
    const [a, b] = await Promise.all([original.read(end + done, COPY_BYTES), result.read(resultEnd + done, COPY_BYTES)])
    if (Buffer.compare(a, b) !== 0) return `the bytes after the end differ near ${end + done}`
  }
  return undefined
}

/** Two files without the bytes behind their ends, which are equal; or how these bytes differ. */
type EqualTails = { readonly original: Source; readonly result: Source } | { readonly difference: string }

/** Compares what stands behind byte `end` of `original` with the end of `result`, and cuts it off both if it is equal. */
export async function withoutEqualTails(original: Source, end: number, result: Source): Promise<EqualTails> {
  const bytes = original.size - end
  if (bytes <= 0) return { original, result }
  if (result.size <= bytes) return { difference: `the result has ${result.size} bytes, and ${bytes} stood behind the upload` }
  const resultEnd = result.size - bytes
  const difference = await tailDifference(original, end, result, resultEnd)
  return difference === undefined ? { original: slice(original, 0, end), result: slice(result, 0, resultEnd) } : { difference }
}

/** In words for the receipt. */
export const tailSteps = (source: Source, end: number): Message[] =>
  source.size > end ? [message('bytes_after_end_kept', { bytes: source.size - end })] : []
