/** `/openapi.json`: OpenAPI 3.1 from the routes and the schemas that validate. */
import * as z from 'zod'
import { ERROR_TYPES, type ErrorType } from '../tasks/api-error.ts'
import type { RequestHeader, Route, RouteDoc } from './route.ts'
import { errorAnswer } from './schemas.ts'

type Json = Record<string, unknown>

const HEADER_TEXTS = {
  Prefer: '`respond-async` or `wait=N` (RFC 7240)',
  'Idempotency-Key': 'The same key and request within 24 h give the same task',
  Range: 'One range of bytes (RFC 9110)',
  'If-Match': 'Entity tags',
  'If-None-Match': 'Entity tags',
  'If-Range': 'An entity tag',
  'Tus-Resumable': '`1.0.0`',
  'Upload-Length': 'Size of the whole file in bytes',
  'Upload-Offset': 'Where the bytes belong',
  'Upload-Metadata': 'Keys and base64, apart by commas',
  'Upload-Checksum': '`sha1` or `sha256`, a space, base64 of the digest of this chunk',
} as const satisfies Record<RequestHeader, string>

const ERROR_TEXTS: Readonly<Record<number, string>> = {
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

/** Every `error_detail.type`, for people: what it means, and what helps. `doc_url` of an error leads to its line. */
const ERROR_MEANINGS: Readonly<Record<ErrorType | 'target_unreachable', string>> = {
  missing_file: 'No part of the form has the name `file` (of a batch: `files[]`) and a file name, and no `upload` is named.',
  empty_file: 'The file has no bytes.',
  file_too_large: 'The file has more than `limit_bytes`, the most that your plan takes.',
  too_many_files: 'More than `limit` files; `/v1/compress` takes one.',
  invalid_parameter: 'The field, header or query parameter `param` cannot be what it is; `allowed` says what can be.',
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

const DESCRIPTION = `Makes any file smaller and proves that nothing was lost.

Every error is \`{"error": {"code", "message", "request_id"}, "error_detail": {"type", "doc_url", …}}\`, a failed task's as well.

| type | status | |
|---|---|---|
${Object.entries(ERROR_MEANINGS)
  .map(([type, meaning]) => `| \`${type}\` | ${statusOf(type)} | ${meaning} |`)
  .join('\n')}
`

export function openApi(routes: readonly Route[], baseUrl: string): Json {
  const schemas = new Schemas()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    if (route.doc) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route, route.doc, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Whittle',
      version: '1.3.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer whl_live_…' } },
    },
  }
}

/** JSON Schemas of named shapes, each once under `components`. */
class Schemas {
  readonly components: Record<string, unknown> = {}

  of(schema: z.ZodType, io: 'input' | 'output'): unknown {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: ({ jsonSchema }) => loosen(jsonSchema) }) as Json
    return this.#adopt(made)
  }

  named(name: string, schema: Json): Json {
    this.components[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  }

  /** Moves `$defs` to the components, and a named root as well. */
  #adopt(made: Json): unknown {
    const { $schema: _, $defs, ...root } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) this.components[name] = withoutId(definition)
    if (typeof root['id'] !== 'string') return root
    return this.named(root['id'], withoutId(root))
  }
}

/** Fields are only added (docs/versioning.md), so no answer is closed; and the bounds of JavaScript's integers are nobody's business. */
function loosen(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

const withoutId = ({ id: _, ...rest }: Json) => rest

function operation(route: Route, doc: RouteDoc, schemas: Schemas): Json {
  const parameters = [...pathParameters(route.path), ...queryParameters(doc, schemas), ...(doc.headers ?? []).map(headerParameter)]
  return {
    operationId: doc.id,
    summary: doc.summary,
    ...(doc.description ? { description: doc.description } : {}),
    ...(route.access === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(doc.form ? { requestBody: formBody(doc.form, schemas) } : {}),
    ...(doc.body ? { requestBody: { required: true, content: { [doc.body]: { schema: BINARY } } } } : {}),
    responses: responses(route, doc, schemas),
  }
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => ({ name: match[1], in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters(doc: RouteDoc, schemas: Schemas) {
  if (!doc.query) return []
  const { properties } = schemas.of(doc.query, 'output') as { properties: Record<string, unknown> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}

const headerParameter = (name: keyof typeof HEADER_TEXTS) => ({
  name,
  in: 'header',
  required: false,
  description: HEADER_TEXTS[name],
  schema: { type: 'string' },
})

/** OpenAPI 3.1 says it with `contentMediaType`; what most generators know is the `format` of 3.0. */
const BINARY = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

const TARGET_SIZE = { type: 'integer', format: 'int64', minimum: 1, description: 'Wanted size in bytes: the best result that fits.' }

/** Files go in a form; where every file is an upload that was finished before, JSON of the same names will do. */
function formBody(form: NonNullable<RouteDoc['form']>, schemas: Schemas): Json {
  const { properties: fields } = schemas.of(form.fields, 'input') as { properties: Record<string, unknown> }
  const uploads = { type: 'array', minItems: 1, items: { type: 'string' }, description: 'Finished resumable uploads (`upl_…`)' }
  const files = form.several ? { type: 'array', minItems: 1, items: BINARY } : BINARY
  const properties = form.several ? { ...fields, 'uploads[]': uploads } : fields
  // In JSON a number is a number.
  const inJson = fields['target_size'] ? { ...properties, target_size: TARGET_SIZE } : properties
  return {
    required: true,
    content: {
      'multipart/form-data': { schema: { type: 'object', properties: { [form.file]: files, ...properties } } },
      'application/json': {
        schema: schemas.named(form.several ? 'BatchOfUploads' : 'CompressUpload', { type: 'object', properties: inJson }),
      },
    },
  }
}

function responses(route: Route, doc: RouteDoc, schemas: Schemas): Json {
  const error = schemas.of(errorAnswer, 'output')
  const doorErrors = route.access === 'public' ? [] : route.access === 'key' ? [401, 429] : [401, 403, 429]
  const codes = [...new Set([...doorErrors, ...doc.errors])].sort((a, b) => a - b)
  const content = { 'application/json': { schema: error } }
  const errors = Object.fromEntries(codes.map((code) => [code, { description: ERROR_TEXTS[code] ?? 'Error', content }]))
  return { ...success(doc, schemas), ...errors, default: { description: 'Any other error', content } }
}

function success(doc: RouteDoc, schemas: Schemas): Json {
  const { answer } = doc
  if (answer === 'binary') {
    const schema = { type: 'string', format: 'binary' }
    // The type is that of the result; a generator that knows no `*/*` knows the other.
    const content = { 'application/octet-stream': { schema }, '*/*': { schema } }
    return {
      200: { description: 'The file', content },
      206: { description: 'A range of the file', content },
      304: { description: 'You have it already' },
    }
  }
  if (answer === 'created') return { 201: { description: 'It is at `Location`' } }
  if (answer === 'empty') return { 204: { description: 'Done' } }
  if (answer === 'html') return { 200: { description: 'A page', content: { 'text/html': {} } } }
  if (answer === 'json') return { 200: { description: 'A document', content: { 'application/json': {} } } }
  if ('jws' in answer) {
    const content = { 'application/jose': {}, 'application/json': { schema: schemas.of(answer.jws, 'output') } }
    return { 200: { description: 'Signed, or decoded', content } }
  }
  return { 200: { description: 'Done', content: { 'application/json': { schema: schemas.of(answer, 'output') } } } }
}
