/** Expected trouble of a codec. Anything else that is thrown is a bug of ours. */
import type { Reason } from './codec.ts'

/** The file stays as it is, for `reason`; the message says why to whoever asked. */
export class CodecError extends Error {
  override readonly name = 'CodecError'
  readonly reason: Reason
  /** Where in the file, in bytes, if that is known. */
  readonly offset: number | undefined

  constructor(reason: Reason, message: string, offset?: number) {
    super(message)
    this.reason = reason
    this.offset = offset
  }
}

/** Whether `error` is trouble of a codec, and of one of these reasons if any are named. */
export function isCodecError(error: unknown, ...reasons: Reason[]): error is CodecError {
  return error instanceof CodecError && (reasons.length === 0 || reasons.includes(error.reason))
}

/** The file is damaged: what was expected at which offset, and what stood there. */
export const malformed = (format: string, offset: number, what: string): CodecError =>
  new CodecError('malformed', `${format}: ${what} at byte ${offset}`, offset)

/** The job would need more memory or CPU than it has. */
export const overBudget = (what: string): CodecError => new CodecError('over_budget', what)

/** A variant of the format that its codec does not handle. */
export const unsupported = (what: string): CodecError => new CodecError('unsupported_feature', what)

/** The result would not be smaller. Thrown by sinks; `why` where there is more to say than that. */
export const noGain = (why = ''): CodecError => new CodecError('no_gain', why)

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
