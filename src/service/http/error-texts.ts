/** Descriptions of errors for the reference (`/docs`) and of statuses for `/openapi.json`. */
import { ERROR_TYPES, type ErrorType } from '../tasks/api-error.ts'

/** Descriptions by HTTP status. */
export const ERROR_TEXTS: Readonly<Record<number, string>> = {
  400: 'Parameters missing, badly formatted, or over limits',
  401: 'No key, or one that is invalid, expired or disabled',
  403: 'The key, its plan or its account may not do this',
  404: 'There is no such thing',
  409: 'Not now',
  412: 'A precondition failed',
  416: 'The range is outside of the file',
  422: 'The Idempotency-Key belongs to another request',
  429: 'Over the requests per minute of the plan',
  460: 'The checksum is that of other bytes (tus)',
  503: 'Busy; try again after `Retry-After` seconds',
}

/** Meaning and remedy of every `error_detail.type`. The `doc_url` of an error links to its row. */
const ERROR_MEANINGS: Readonly<Record<ErrorType | 'target_unreachable', string>> = {
  missing_file: 'No part of the form has the name `file` (of a batch: `files[]`) and a file name, and no `upload` is named.',
  empty_file: 'The file has no bytes.',
  file_too_large: 'The file has more than `limit_bytes`, the most that your plan takes.',
  too_many_files: 'More than `limit` files; `/v1/compress` takes one.',
  invalid_parameter:
    'The field, header or query parameter `param` is not known here, or cannot be what it is; `allowed` says which names are known, or what can be.',
  malformed_request: 'The request is not readable: no multipart/form-data, a broken boundary, a body that ends too soon.',
  unsupported_format: 'The bytes are no format that this service knows; see `/v1/formats`.',
  unsupported_output: 'A file of this format cannot become what `format` asks for; `allowed` can be.',
  unsafe_callback_url: 'Callbacks go to https and public names only: no IP address, no internal name, no credentials.',
  password_not_applicable: 'A password would break the signature of this file, or it is under one already.',
  missing_key: 'Send `Authorization: Bearer <API_KEY>`.',
  invalid_key: 'There is no such key; a mistyped one is recognised by its checksum.',
  expired_key: 'The key has expired; make a new one in the console.',
  disabled_key: 'The key, or its account, is disabled.',
  https_required: 'The request came over plain http: replace the key, it was sent in clear.',
  missing_scope: 'The key lacks `scope`.',
  plan_not_allowed: 'Your `plan` does not have this.',
  not_owner: 'The task belongs to another account.',
  storage_quota_exceeded: 'The results you keep, and uploads under way, fill your storage (`used_bytes` of `quota_bytes`): delete tasks.',
  unknown_task: 'There is no such task; it was deleted, or its results have expired.',
  unknown_batch: 'There is no such batch in your account, or all of its tasks are gone.',
  unknown_upload: 'There is no such upload in your account; it was deleted, or it is older than 24 hours.',
  unknown_route: 'There is nothing at this address.',
  method_not_allowed: 'The address exists, the method does not; `Allow` says which do.',
  not_completed: 'There is no result (yet): the task is `status`. `Prefer: wait=30` on the task waits for it.',
  idempotency_in_flight: 'The first request under this Idempotency-Key is still being worked on; ask again.',
  upload_used: 'The upload has become a task already; one upload is one task.',
  offset_mismatch: 'The upload stands at `offset`: a PATCH goes on there, and a task needs all of its bytes.',
  precondition_failed: 'The result is not what `If-Match` names, or `Tus-Resumable` is another version than 1.0.0.',
  range_not_satisfiable: 'The range lies outside of the `size` bytes.',
  idempotency_mismatch: 'The Idempotency-Key was used for another file or other fields within 24 hours.',
  rate_limited: 'More than `limit` requests in 60 seconds; the next one is free in `retry_after_seconds`.',
  checksum_mismatch: 'The chunk is not what its `Upload-Checksum` says, or broke off; nothing of it was kept.',
  internal: 'Our mistake. Try again; if it stays, tell the `request_id`.',
  overloaded: 'Busy; try again after `Retry-After` seconds.',
  maintenance: 'Closed for a while.',
  target_unreachable: 'Only of a task: no result of at most `target_size` keeps the quality floors; `best_size` does.',
}

const statusOf = (type: string) => (type in ERROR_TYPES ? ERROR_TYPES[type as ErrorType] : 400)

/** Markdown table of all error types. The `doc_url` of an error links to its row. */
export const ERROR_TABLE = `| type | status | |
|---|---|---|
${Object.entries(ERROR_MEANINGS)
  .map(([type, meaning]) => `| \`${type}\` | ${statusOf(type)} | ${meaning} |`)
  .join('\n')}
`
