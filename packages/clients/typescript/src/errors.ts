/** Errors of the client, one class per kind. */
import type { ApiErrorBody, TaskFailed } from './types.ts'

/** Base class of all errors of this package. */
export class WhittleError extends Error {
  override readonly name: string = 'WhittleError'
}

/** The service refused a request. */
export class ApiError extends WhittleError {
  override readonly name = 'ApiError'
  /** HTTP status. */
  readonly status: number
  /** Stable code from `error_detail.type`. `unknown`: something other than the service responded, such as a proxy. */
  readonly type: string
  /** Details of the error, for example `limit_bytes` or `allowed`. */
  readonly detail: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  /** Seconds from the `Retry-After` header. `undefined`: no such header. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, body: Partial<ApiErrorBody>, retryAfterSeconds: number | undefined) {
    super(body.error?.message ?? `the service responded with HTTP ${status}`)
    this.status = status
    this.type = body.error_detail?.type ?? 'unknown'
    this.detail = body.error_detail ?? {}
    this.requestId = body.error?.request_id
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** True if the same request may succeed later. */
  get isRetryable(): boolean {
    return [429, 502, 503, 504].includes(this.status) || this.type === 'idempotency_in_flight'
  }

  /** @deprecated Use `isRetryable`. Removed in the next version. */
  get isPassing(): boolean {
    return this.isRetryable
  }
}

/** The service did not respond within the retry timeout. */
export class UnreachableError extends WhittleError {
  override readonly name = 'UnreachableError'
}

/** The task failed. The reasons are in its `error_detail`. */
export class TaskFailedError extends WhittleError {
  override readonly name = 'TaskFailedError'
  readonly task: TaskFailed
  readonly type: string

  constructor(task: TaskFailed) {
    super(task.error.message)
    this.task = task
    this.type = task.error_detail.type
  }
}

/** The downloaded result differs from the receipt. */
export class DamagedError extends WhittleError {
  override readonly name = 'DamagedError'
}

/** A callback has no valid signature for the secret, or its time stamp is too old or too new. */
export class SignatureError extends WhittleError {
  override readonly name = 'SignatureError'
}

export async function errorOf(response: Response): Promise<ApiError> {
  // A proxy may respond with an HTML page instead of JSON.
  const body = (await response.json().catch(() => ({}))) as Partial<ApiErrorBody> | null
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(response.status, body ?? {}, Number.isFinite(seconds) ? seconds : undefined)
}
