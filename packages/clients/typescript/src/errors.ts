/** What can go wrong, each kind a class of its own. */
import type { ApiErrorBody, TaskFailed } from './types.ts'

export class WhittleError extends Error {
  override readonly name: string = 'WhittleError'
}

/** The service refused a request. */
export class ApiError extends WhittleError {
  override readonly name = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** The stable word of `error_detail.type`, `unknown` where something else answered in the service's place. */
  readonly type: string
  /** The facts that belong to the word: `limit_bytes`, `allowed`, … */
  readonly detail: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  /** From `Retry-After`; undefined where there was none. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, body: Partial<ApiErrorBody>, retryAfterSeconds: number | undefined) {
    super(body.error?.message ?? `the service answered ${status}`)
    this.status = status
    this.type = body.error_detail?.type ?? 'unknown'
    this.detail = body.error_detail ?? {}
    this.requestId = body.error?.request_id
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Whether the same request may be taken later. */
  get isPassing(): boolean {
    return [429, 502, 503, 504].includes(this.status) || this.type === 'idempotency_in_flight'
  }
}

/** Nobody answered, for as long as it was worth trying. */
export class UnreachableError extends WhittleError {
  override readonly name = 'UnreachableError'
}

/** The task ended without a result; the reasons are those of its `error_detail`. */
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

/** What was downloaded is not what the receipt names. */
export class DamagedError extends WhittleError {
  override readonly name = 'DamagedError'
}

/** A callback that was not signed with this secret, or not now. */
export class SignatureError extends WhittleError {
  override readonly name = 'SignatureError'
}

export async function errorOf(answer: Response): Promise<ApiError> {
  // Something in between may answer with a page.
  const body = (await answer.json().catch(() => ({}))) as Partial<ApiErrorBody> | null
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(answer.status, body ?? {}, Number.isFinite(seconds) ? seconds : undefined)
}
