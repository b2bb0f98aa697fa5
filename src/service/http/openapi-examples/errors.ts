/** One example per error type for `/openapi.json`, with the message that the service sends in English. */
import { apiMessage, translate } from '../../i18n/message.ts'
import type { ApiError, ErrorType } from '../../tasks/api-error.ts'
import { ERROR_MEANINGS, statusOf } from '../error-texts.ts'

type Message = Parameters<typeof translate>[1]

interface ErrorExample {
  readonly message: Message
  /** Other fields of `error_detail`. Default: none. */
  readonly facts?: ApiError['facts']
  /** Paths of the operations that can return it. Default: all. */
  readonly paths?: RegExp
}

const SENDS = /^\/v1\/(compress|batch\/compress)$/
const FILES = /^\/(v1\/(compress|batch\/compress|uploads)|img\/)/
const TASKS = /^\/v1\/tasks\//
const PRESETS = /^\/v1\/presets\//
const CONNECTIONS = /^\/v1\/connections/
const PICTURES = /^\/img\//
const IMAGE_ORIGINS = /^\/v1\/image-origins/
const SYNCS = /^\/v1\/syncs\//
const LINKS = /^\/d\//
const UPLOADS = /^\/v1\/uploads/

const EXAMPLES: Readonly<Record<ErrorType, ErrorExample>> = {
  missing_file: {
    message: apiMessage('file_needed', {
      what: apiMessage('the_file'),
      file: 'file',
      other: apiMessage('a_finished_upload'),
      upload: 'upload',
      address: apiMessage('an_address'),
      url: 'url',
      source: 'source',
    }),
    paths: SENDS,
  },
  empty_file: { message: apiMessage('file_empty'), paths: FILES },
  file_too_large: {
    message: apiMessage('file_too_large', { megabytes: '20', bytes: '20000000' }),
    facts: { limit_bytes: 20_000_000 },
    paths: FILES,
  },
  too_many_files: { message: apiMessage('one_file_only'), facts: { limit: 1 }, paths: SENDS },
  invalid_parameter: {
    message: apiMessage('quality_must_be', { got: 'best' }),
    facts: { param: 'quality', got: 'best', allowed: ['low', 'medium', 'high'] },
  },
  malformed_request: { message: apiMessage('multipart_malformed', { why: apiMessage('it_breaks_off') }), paths: FILES },
  unsupported_format: { message: apiMessage('format_not_recognised'), paths: SENDS },
  unsupported_output: {
    message: apiMessage('cannot_become', { format: 'pdf', wanted: 'webp', allowed: 'pdf' }),
    facts: { param: 'format', got: 'webp', allowed: ['pdf'] },
    paths: SENDS,
  },
  unsafe_callback_url: {
    message: apiMessage('field_unusable', { name: 'callback_url', why: apiMessage('must_begin_with_https') }),
    facts: { param: 'callback_url' },
    paths: FILES,
  },
  unsafe_url: {
    message: apiMessage('field_unusable', { name: 'url', why: apiMessage('host_is_ip_address') }),
    facts: { param: 'url' },
    paths: SENDS,
  },
  password_not_applicable: { message: apiMessage('document_has_password'), facts: { param: 'password' }, paths: SENDS },
  missing_key: { message: apiMessage('key_needed') },
  invalid_key: { message: apiMessage('no_key_of_ours') },
  expired_key: { message: apiMessage('key_expired') },
  disabled_key: { message: apiMessage('key_disabled') },
  https_required: { message: apiMessage('https_only') },
  missing_scope: { message: apiMessage('key_lacks_scope', { scope: 'tasks:write' }), facts: { scope: 'tasks:write' } },
  plan_not_allowed: { message: apiMessage('plan_has_no_callbacks', { plan: 'free' }), facts: { plan: 'free' }, paths: FILES },
  token_not_allowed: {
    message: apiMessage('token_used_up', { limit: 1 }),
    facts: { reason: 'max_files', limit: 1 },
    paths: /^\/v1\/(compress|uploads|tasks\/)/,
  },
  not_owner: { message: apiMessage('task_of_another_account'), paths: TASKS },
  storage_quota_exceeded: {
    message: apiMessage('storage_full'),
    facts: { used_bytes: 999_000_000, quota_bytes: 1_000_000_000 },
    paths: FILES,
  },
  unknown_task: { message: apiMessage('no_such_task', { id: 'tsk_vZlKnlY1GFU0cnEaLZUrMnbi' }), paths: TASKS },
  connection_failed: {
    message: apiMessage('connection_failed', { why: apiMessage('bucket_unauthorised', { answer: '403 SignatureDoesNotMatch' }) }),
    facts: { reason: 'unauthorised', status: 403, bucket_error: 'SignatureDoesNotMatch' },
    paths: CONNECTIONS,
  },
  unknown_batch: { message: apiMessage('no_such_batch', { id: 'bat_vZlKnlY1GFU0cnEaLZUrMnbi' }), paths: /^\/v1\/batches/ },
  unknown_upload: { message: apiMessage('no_such_upload', { id: 'upl_vZlKnlY1GFU0cnEaLZUrMnbi' }), paths: UPLOADS },
  unknown_route: { message: apiMessage('nothing_at', { path: '/v2' }), paths: /^$/ },
  method_not_allowed: { message: apiMessage('ready_preset_fixed', { name: 'web' }), facts: { allowed: ['GET'] }, paths: PRESETS },
  not_completed: {
    message: apiMessage('task_has_no_result', { why: apiMessage('it_is_still', { status: 'processing' }) }),
    facts: { status: 'processing' },
    paths: /^\/v1\/(tasks|batches)\//,
  },
  idempotency_in_flight: { message: apiMessage('idempotency_key_in_flight'), paths: SENDS },
  upload_used: { message: apiMessage('upload_became_task'), paths: SENDS },
  offset_mismatch: { message: apiMessage('upload_stands_at', { offset: '33554432' }), facts: { offset: 33_554_432 }, paths: FILES },
  precondition_failed: { message: apiMessage('other_entity_tag') },
  range_not_satisfiable: { message: apiMessage('range_outside_result', { bytes: '84290' }), facts: { size: 84_290 } },
  idempotency_mismatch: { message: apiMessage('idempotency_key_reused'), paths: SENDS },
  rate_limited: {
    message: apiMessage('too_many_requests', { plan: 'free', limit: '10', seconds: '42' }),
    facts: { plan: 'free', limit: 10, retry_after_seconds: 42 },
  },
  too_many_streams: {
    message: apiMessage('too_many_event_streams', { limit: 20 }),
    facts: { limit: 20 },
    paths: /^\/v1\/((tasks|batches)\/\{\w+\}|syncs\/\{sync_id\}\/events)$/,
  },
  checksum_mismatch: { message: apiMessage('chunk_not_kept', { why: apiMessage('other_bytes_came') }), paths: UPLOADS },
  internal: { message: apiMessage('something_went_wrong') },
  overloaded: { message: apiMessage('service_busy'), facts: { retry_after_seconds: 5 } },
  maintenance: { message: apiMessage('service_busy'), paths: /^$/ },
  target_unreachable: {
    message: apiMessage('target_unreachable', { target: '20000', best: '31744' }),
    facts: { target_size: 20_000, best_size: 31_744 },
    paths: SENDS,
  },
  source_unreachable: {
    message: apiMessage('source_unreachable', { why: apiMessage('source_answered', { status: '404' }) }),
    facts: { status: 404, reason: 'http_status' },
    paths: SENDS,
  },
  invalid_signature: { message: apiMessage('image_signature_wrong'), paths: PICTURES },
  unknown_picture: { message: apiMessage('no_such_picture'), paths: PICTURES },
  unknown_image_origin: { message: apiMessage('no_such_image_origin', { name: 'photos' }), paths: IMAGE_ORIGINS },
  too_many_image_origins: { message: apiMessage('too_many_image_origins', { limit: '20' }), facts: { limit: 20 }, paths: IMAGE_ORIGINS },
  not_a_picture: {
    message: apiMessage('source_is_no_picture', { allowed: 'jpg, png, gif, webp, avif, bmp, heic' }),
    facts: { allowed: ['jpg', 'png', 'gif', 'webp', 'avif', 'bmp', 'heic'], detected: 'PDF' },
    paths: PICTURES,
  },
  origin_unreachable: {
    message: apiMessage('source_unreachable', { why: apiMessage('source_answered', { status: '500' }) }),
    facts: { status: 500, reason: 'http_status' },
    paths: PICTURES,
  },
  origin_timeout: { message: apiMessage('origin_too_slow', { seconds: '10' }), paths: PICTURES },
  unknown_preset: { message: apiMessage('no_such_preset', { name: 'shop' }), paths: PRESETS },
  unknown_connection: {
    message: apiMessage('no_such_connection', { name: 'shop' }),
    paths: /^\/v1\/(connections|compress$|batch\/compress$|syncs$)|\/deliveries$/,
  },
  unknown_sync: { message: apiMessage('no_such_sync', { id: 'syn_vZlKnlY1GFU0cnEaLZUrMnbi' }), paths: SYNCS },
  sync_running: {
    message: apiMessage('sync_runs_already', { id: 'syn_vZlKnlY1GFU0cnEaLZUrMnbi' }),
    facts: { sync_id: 'syn_vZlKnlY1GFU0cnEaLZUrMnbi' },
    paths: /^\/v1\/syncs$/,
  },
  not_resumable: { message: apiMessage('sync_not_resumable'), paths: /\/resume$/ },
  unknown_link: { message: apiMessage('no_such_link'), paths: LINKS },
  too_many_links: { message: apiMessage('too_many_links', { limit: '100' }), facts: { limit: 100 }, paths: /\/links$/ },
  too_many_presets: { message: apiMessage('too_many_presets', { limit: '100' }), facts: { limit: 100 }, paths: PRESETS },
  too_many_connections: { message: apiMessage('too_many_connections', { limit: '20' }), facts: { limit: 20 }, paths: CONNECTIONS },
  too_many_tokens: {
    message: apiMessage('too_many_tokens', { limit: '100000' }),
    facts: { limit: 100_000 },
    paths: /^\/v1\/upload-tokens$/,
  },
}

/** Named examples of the error types that an operation returns with a status. Empty: none. */
export function errorExamples(path: string, status: number, baseUrl: string): Record<string, object> {
  const types = (Object.keys(EXAMPLES) as ErrorType[]).filter(
    (type) => statusOf(type) === status && (EXAMPLES[type].paths?.test(path) ?? true),
  )
  return Object.fromEntries(
    types.map((type) => [type, { summary: type, description: ERROR_MEANINGS[type], value: exampleOf(type, baseUrl) }]),
  )
}

function exampleOf(type: ErrorType, baseUrl: string) {
  const { message, facts = {} } = EXAMPLES[type]
  return {
    error: { code: statusOf(type), message: translate('en', message), request_id: 'req_5s1k9d0c7f2b4a6e8g3h' },
    error_detail: { type, ...facts, doc_url: `${baseUrl}/docs#${type}` },
  }
}
