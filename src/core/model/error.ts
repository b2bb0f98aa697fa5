/** Expected trouble of a codec. Anything else that is thrown is a bug of ours. */
import { english, type Message, message, messageOf, type Said } from '../i18n/message.ts'
import type { Reason } from './codec.ts'

/** The file stays as it is, for `reason`. */
export class CodecError extends Error {
  override readonly name = 'CodecError'
  readonly reason: Reason
  /** Why, for whoever asked. `undefined`: the reason says it all. */
  readonly detail: Message | undefined
  /** Where in the file, in bytes, if that is known. */
  readonly offset: number | undefined

  constructor(reason: Reason, detail?: Said, offset?: number) {
    super(detail === undefined ? '' : english(messageOf(detail)))
    this.reason = reason
    this.detail = detail === undefined ? undefined : messageOf(detail)
    this.offset = offset
  }
}

/** Whether `error` is trouble of a codec, and of one of these reasons if any are named. */
export function isCodecError(error: unknown, ...reasons: Reason[]): error is CodecError {
  return error instanceof CodecError && (reasons.length === 0 || reasons.includes(error.reason))
}

/** The file is damaged: what was expected at which offset, and what stood there. */
export const malformed = (format: string, offset: number, what: Said): CodecError =>
  new CodecError('malformed', message('malformed_at', { format, what: messageOf(what), offset }), offset)

/** The job would need more memory or CPU than it has. */
export const overBudget = (what: Said): CodecError => new CodecError('over_budget', what)

/** A variant of the format that its codec does not handle. */
export const unsupported = (what: Said): CodecError => new CodecError('unsupported_feature', what)

/** The result would not be smaller. Thrown by sinks; `why` where there is more to say than that. */
export const noGain = (why?: Said): CodecError => new CodecError('no_gain', why)

/** `target_size` cannot be reached with the floors kept. The task fails and says how small it can get. */
export class TargetUnreachable extends Error {
  override readonly name = 'TargetUnreachable'
  /** Bytes of the smallest result that keeps the floors. */
  readonly bestSize: number
  constructor(bestSize: number) {
    super(`the smallest result that keeps the floors has ${bestSize} bytes`)
    this.bestSize = bestSize
  }
}
