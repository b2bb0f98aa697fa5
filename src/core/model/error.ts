/** Errors that codecs are expected to throw. Any other error is a bug in Whittle. */
import { englishText, type Message, type MessageOrCode, message, toMessage } from '../i18n/message.ts'
import type { Reason } from './codec.ts'

/** Error after which the file stays unchanged. `reason` becomes the reason in the receipt. */
export class CodecError extends Error {
  override readonly name = 'CodecError'
  readonly reason: Reason
  /** Explanation for the caller. `undefined`: the reason is enough. */
  readonly detail: Message | undefined
  /** Position of the problem in the file, in bytes. `undefined`: not known. */
  readonly offset: number | undefined

  constructor(reason: Reason, detail?: MessageOrCode, offset?: number) {
    super(detail === undefined ? '' : englishText(toMessage(detail)))
    this.reason = reason
    this.detail = detail === undefined ? undefined : toMessage(detail)
    this.offset = offset
  }
}

/** True if `error` is a `CodecError` with one of `reasons`, or with any reason if none is given. */
export function isCodecError(error: unknown, ...reasons: Reason[]): error is CodecError {
  return error instanceof CodecError && (reasons.length === 0 || reasons.includes(error.reason))
}

/** Returns the error for a damaged file. `offset`: position of the damage in bytes. `what`: what was expected and found there. */
export const malformed = (format: string, offset: number, what: MessageOrCode): CodecError =>
  new CodecError('malformed', message('malformed_at', { format, what: toMessage(what), offset }), offset)

/** Returns the error for a job that needs more memory or CPU time than it has. */
export const overBudget = (what: MessageOrCode): CodecError => new CodecError('over_budget', what)

/** Returns the error for a variant of the format that the codec does not support. */
export const unsupported = (what: MessageOrCode): CodecError => new CodecError('unsupported_feature', what)

/** Returns the error that sinks throw if the result would not be smaller. `why`: explanation; default: none. */
export const noGain = (why?: MessageOrCode): CodecError => new CodecError('no_gain', why)

/** Error if no result that keeps the quality floors fits into `target_size`. The task fails and reports the smallest possible size. */
export class TargetUnreachable extends Error {
  override readonly name = 'TargetUnreachable'
  /** Size in bytes of the smallest result that keeps the quality floors. */
  readonly bestSize: number
  constructor(bestSize: number) {
    super(`the smallest result that keeps the floors has ${bestSize} bytes`)
    this.bestSize = bestSize
  }
}
