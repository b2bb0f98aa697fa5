/** Descriptions of errors for the reference (`/docs`) and of statuses for `/openapi.json`. */
import { ERROR_TYPES, type ErrorType } from '../tasks/api-error.ts'

/** Descriptions by HTTP status. */
export const ERROR_TEXTS: Readonly<Record<number, string>> = {
  400: 'A parameter is missing, has a wrong format or exceeds a limit',
  401: 'The API key is missing, invalid, expired or disabled',
  403: 'The key, its plan or its account does not allow this request',
  404: 'The object or address does not exist',
  409: 'The current state does not allow this request',
  412: 'A precondition failed',
  415: 'The source is not a picture',
  416: 'The requested range is outside the file',
  422: 'The Idempotency-Key was used for a different request',
  429: 'The rate limit of the plan is exceeded',
  460: 'The checksum does not match the bytes received (tus)',
  502: 'The origin of the picture cannot be reached',
  503: 'The service is busy. Try again after `Retry-After` seconds',
  504: 'The origin of the picture does not answer in time',
}

/** Meaning and remedy of every `error_detail.type`. The page `/docs/errors` has a heading for each, to which `doc_url` leads. */
export const ERROR_MEANINGS: Readonly<Record<ErrorType, string>> = {
  missing_file: 'The form has no field `file` (for a batch: `files[]`) with a file name, and no field `upload`.',
  empty_file: 'The file has 0 bytes.',
  file_too_large: 'The file is larger than `limit_bytes`, the limit of your plan.',
  too_many_files: 'The request has more than `limit` files. `/v1/compress` takes one file.',
  invalid_parameter:
    'The field, header or query parameter `param` is unknown or has a wrong value. `allowed` lists the known names or the allowed values.',
  malformed_request: 'The body cannot be parsed: it is not multipart/form-data, has a wrong boundary or ends too early.',
  unsupported_format: 'The file type is not supported. `/v1/formats` lists the supported types.',
  unsupported_output: 'A file of this format cannot be converted to the value of `format`. `allowed` lists the possible values.',
  unsafe_callback_url: 'A callback URL must be https with a public domain name: no IP address, no internal name, no user name or password.',
  unsafe_url:
    'The address of a source or a destination must be https with a public domain name: no IP address, no internal name, no user name or password.',
  connection_failed:
    'The bucket could not be listed, so nothing was saved or started. `reason` names the cause, `status` and `bucket_error` the answer of its server.',
  password_not_applicable: 'The file is signed, and encryption would break the signature, or the file is already encrypted.',
  missing_key: 'Send the header `Authorization: Bearer <API_KEY>`.',
  invalid_key: 'The API key does not exist or is mistyped.',
  expired_key: 'The API key or the browser token has expired. Create a new one.',
  disabled_key: 'The API key or its account is disabled.',
  https_required: 'The request used http. Use https, and replace the API key, because it was sent unencrypted.',
  missing_scope: 'The API key does not have the scope `scope`.',
  plan_not_allowed: 'Your plan `plan` does not include this feature.',
  token_not_allowed:
    'The browser token does not allow this request. `reason` is `origin`, `request`, `task`, `max_files`, `max_bytes`, `formats`, `quality` or `field` (`param`).',
  not_owner: 'The task belongs to another account.',
  storage_quota_exceeded: 'Results and unfinished uploads fill your storage (`used_bytes` of `quota_bytes`). Delete tasks.',
  unknown_task: 'The task does not exist. It was deleted, or its results have expired.',
  unknown_batch: 'The batch does not exist in your account, or all of its tasks were deleted.',
  unknown_upload: 'The upload does not exist in your account. It was deleted or is older than 24 hours.',
  unknown_preset: 'The account has no preset with this name.',
  unknown_connection: 'The account has no connection with this name.',
  unknown_link: 'The link does not exist, has expired, was used as often as it may be, or its task was deleted.',
  unknown_image_origin: 'The account has no origin of pictures with this name.',
  unknown_picture: 'The origin has no picture at this path, or the account has no such origin, or the image key is not the newest one.',
  invalid_signature:
    'The signature does not match the address of the picture. Sign `{options}/{image_key}/{name}/{path}` with `image_secret`.',
  not_a_picture: 'The file at this path is not a picture that can be shown small. `allowed` lists the formats.',
  origin_unreachable: 'The origin of the picture cannot be reached, or answers with an error (`status`).',
  origin_timeout: 'The origin of the picture does not answer in time.',
  unknown_route: 'The address does not exist.',
  method_not_allowed: 'The address exists, but not with this method. The header `Allow` lists the methods.',
  not_completed: 'The task has no result: its status is `status`. `Prefer: wait=30` on the task waits for the result.',
  idempotency_in_flight: 'The first request with this Idempotency-Key is still in progress. Try again.',
  upload_used: 'Another task already uses this upload. Each task needs an upload of its own.',
  too_many_links: 'The task has `limit` links that still work. Wait until one expires.',
  too_many_image_origins: 'The account has `limit` origins of pictures. Delete one.',
  too_many_presets: 'The account has `limit` presets. Delete one.',
  too_many_connections: 'The account has `limit` connections. Delete one.',
  unknown_sync: 'The account has no sync with this id.',
  sync_running: 'The sync `sync_id` between the same places has not ended. Wait for it, or cancel it.',
  not_resumable: 'The sync has neither failed nor paused, or a later one has begun between the same places.',
  too_many_tokens: 'The key has `limit` browser tokens. Wait until some expire, or make tokens that live shorter.',
  offset_mismatch: 'The upload has `offset` bytes. A PATCH must continue there, and a task needs a complete upload.',
  precondition_failed: 'The entity tag of the result does not match `If-Match`, or `Tus-Resumable` is not 1.0.0.',
  range_not_satisfiable: 'The range is outside the file, which has `size` bytes.',
  idempotency_mismatch: 'The Idempotency-Key was used for another file or other fields in the last 24 hours.',
  rate_limited: 'More than `limit` requests in 60 seconds. The next request is possible in `retry_after_seconds`.',
  too_many_streams: 'The key has `limit` event streams open. Close one, or wait for `Retry-After` seconds.',
  checksum_mismatch: 'The chunk does not match its `Upload-Checksum` or is incomplete. It was discarded; send it again.',
  internal: 'Internal error of the service. Try again; if the error remains, report the `request_id` to the operator.',
  overloaded: 'The service is busy. Try again after `Retry-After` seconds.',
  maintenance: 'The service is closed for maintenance.',
  target_unreachable: 'No result of at most `target_size` bytes meets the minimum quality. `best_size` is the smallest size that does.',
  source_unreachable:
    'The file could not be fetched from its `url` or bucket. `reason` names the cause, such as `http_status`, `no_answer` or `cut_off`. `status` is the HTTP status of the last answer, or null.',
}

/** HTTP status of an error type. */
export const statusOf = (type: ErrorType): number => ERROR_TYPES[type]
