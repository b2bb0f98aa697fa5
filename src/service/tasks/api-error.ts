/** Error response of the HTTP API: status, machine-readable type, message and details. */
import { type ApiMessage, type ApiMessageOrCode, toApiMessage, translate } from '../i18n/message.ts'
import type { TaskError } from '../store/task.ts'

export interface ErrorFacts {
  readonly [fact: string]: unknown
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Value of `error_detail.type`: one of `ERROR_TYPES`. */
  readonly type: ErrorType
  /** Error message that can be translated. `Error.message` has it in English. */
  readonly apiMessage: ApiMessage
  /** Other fields of `error_detail`. */
  readonly facts: ErrorFacts
  /** Response headers of this error (`Allow`, `Retry-After`, `Content-Range`). */
  readonly headers: Readonly<Record<string, string>>

  constructor(type: ErrorType, said: ApiMessageOrCode, facts: ErrorFacts = {}, headers: Readonly<Record<string, string>> = {}) {
    super(translate('en', toApiMessage(said)))
    this.apiMessage = toApiMessage(said)
    this.type = type
    this.status = ERROR_TYPES[type]
    this.facts = facts
    this.headers = headers
  }

  /** Converts the error to the form that a failed task stores. */
  asTaskError(requestId: string): TaskError {
    return { code: this.status, type: this.type, message: this.apiMessage, requestId, facts: this.facts }
  }
}

/** HTTP status of every `error_detail.type`. */
export const ERROR_TYPES = {
  missing_file: 400,
  empty_file: 400,
  file_too_large: 400,
  too_many_files: 400,
  invalid_parameter: 400,
  malformed_request: 400,
  unsupported_format: 400,
  unsupported_output: 400,
  unsafe_callback_url: 400,
  unsafe_url: 400,
  connection_failed: 400,
  password_not_applicable: 400,
  target_unreachable: 400,
  source_unreachable: 400,
  missing_key: 401,
  invalid_key: 401,
  expired_key: 401,
  disabled_key: 401,
  https_required: 403,
  missing_scope: 403,
  plan_not_allowed: 403,
  token_not_allowed: 403,
  invalid_signature: 403,
  not_owner: 403,
  storage_quota_exceeded: 403,
  unknown_task: 404,
  unknown_batch: 404,
  unknown_upload: 404,
  unknown_preset: 404,
  unknown_connection: 404,
  unknown_link: 404,
  unknown_image_origin: 404,
  unknown_picture: 404,
  unknown_sync: 404,
  unknown_route: 404,
  method_not_allowed: 405,
  not_completed: 409,
  idempotency_in_flight: 409,
  upload_used: 409,
  too_many_links: 409,
  too_many_image_origins: 409,
  too_many_presets: 409,
  too_many_connections: 409,
  too_many_tokens: 409,
  sync_running: 409,
  not_resumable: 409,
  offset_mismatch: 409,
  precondition_failed: 412,
  not_a_picture: 415,
  range_not_satisfiable: 416,
  idempotency_mismatch: 422,
  rate_limited: 429,
  too_many_streams: 429,
  checksum_mismatch: 460,
  internal: 500,
  origin_unreachable: 502,
  overloaded: 503,
  maintenance: 503,
  origin_timeout: 504,
} as const

export type ErrorType = keyof typeof ERROR_TYPES

export const invalidParameter = (param: string, said: ApiMessageOrCode, facts: ErrorFacts = {}) =>
  new ApiError('invalid_parameter', said, { param, ...facts })
