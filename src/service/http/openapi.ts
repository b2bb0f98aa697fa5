/** Builds `/openapi.json` (OpenAPI 3.1) from the routes and their validation schemas. */
import * as z from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import { DOCUMENT_DPI } from '../../core/catalog/levels.ts'
import { TARGET_SCORES } from '../../core/catalog/score-goal.ts'
import { ERROR_TEXTS } from './error-texts.ts'
import { answerExamples, BODY_EXAMPLES, EVENTS_EXAMPLE, PARAMETER_EXAMPLES } from './openapi-examples/answers.ts'
import { codeSamples } from './openapi-examples/code-samples.ts'
import { errorExamples } from './openapi-examples/errors.ts'
import type { RequestHeader, Route, RouteDoc } from './route.ts'
import { errorAnswer, task } from './schemas/tasks.ts'

type Json = Record<string, unknown>

const HEADER_TEXTS = {
  Prefer: '`respond-async` or `wait=N` (RFC 7240)',
  'Idempotency-Key': 'A repeated request with the same key within 24 h returns the same task',
  Range: 'One range of bytes (RFC 9110)',
  'If-Match': 'Entity tags',
  'If-None-Match': 'Entity tags',
  'If-Range': 'An entity tag',
  'Tus-Resumable': '`1.0.0`',
  'Upload-Length': 'Size of the whole file in bytes',
  'Upload-Offset': 'Offset in bytes at which the chunk begins',
  'Upload-Metadata': 'Pairs of key and base64 value, separated by commas',
  'Last-Event-ID': 'Id of the last event that the client has received, if it comes again',
  'Upload-Checksum': '`sha1` or `sha256`, a space, and the digest of this chunk in base64',
} as const satisfies Record<RequestHeader, string>

const DESCRIPTION = `Whittle makes files smaller and compares every result with the original. Send a file to \`POST /v1/compress\`. The answer is a
task with a receipt: what changed, how it was measured, and what was kept.

**Key.** Send \`Authorization: Bearer whl_live_…\` with each request. Create keys in the [console](/console). To try requests on this page, paste a
key under *Authentication*. The page sends it to this service only, and forgets it when you leave.

**Errors.** Every error is \`{"error": {"code", "message", "request_id"}, "error_detail": {"type", "doc_url", …}}\`, also in failed tasks.
\`message\` is for people: English, or Simplified Chinese if \`Accept-Language\` prefers it. Programs read \`error_detail.type\`.
[All types](/docs/errors) are listed with their remedies.

**Guides.** [Quick start](/docs/quick-start) · [formats and levels](/docs/formats) · [receipts](/docs/receipts) · [large files](/docs/uploads) ·
[callbacks](/docs/callbacks) · [plans and limits](/docs/limits) · [versions](/docs/versioning). Clients: [TypeScript](/docs/typescript),
[Python](/docs/python), [Go](/docs/go), [PHP](/docs/php).`

/** Tags in reading order. An operation belongs to the first tag whose pattern matches its path. */
const TAGS = [
  { name: 'Compress', description: 'Send files and receive tasks.', paths: /^\/v1\/(compress|batch)/ },
  { name: 'Tasks', description: 'Progress, results, and receipts that anybody can verify.', paths: /^\/v1\/tasks|jwks/ },
  {
    name: 'Uploads',
    description: 'Resumable uploads, for files larger than one request body may be, and tokens for browsers.',
    paths: /^\/v1\/upload/,
  },
  { name: 'Links', description: 'Addresses that download a result without a key.', paths: /^\/d\// },
  { name: 'Account', description: 'Presets, usage and limits of the account.', paths: /^\/v1\// },
  { name: 'Service', description: 'Pages and health checks.', paths: /./ },
  // Callbacks have a tag of their own: openapi-generator creates one class per tag and would overwrite the class of the operations.
  { name: 'Callbacks', description: 'Requests that the service sends to a `callback_url`.', paths: /^$/ },
] as const

const tagOf = (path: string) => TAGS.find(({ paths }) => paths.test(path))!.name

export function openApi(routes: readonly Route[], baseUrl: string): Json {
  const schemas = new Schemas()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    if (route.doc) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route, route.doc, schemas, baseUrl)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Whittle',
      version: manifest.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'Whittle', url: baseUrl },
    },
    servers: [{ url: baseUrl }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    security: [{ key: [] }],
    paths,
    webhooks: webhooks(schemas),
    components: {
      schemas: schemas.components,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Authorization: Bearer whl_live_…, or whl_test_… for separate tasks, usage and storage of test keys. Pages use a browser token: wut_….',
        },
      },
    },
  }
}

/** Converts named schemas to JSON Schema, each once under `components`. */
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

  /** Moves `$defs` and a named root schema to the components. */
  #adopt(made: Json): unknown {
    const { $schema: _, $defs, ...root } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) this.components[name] = withoutId(definition)
    if (typeof root['id'] !== 'string') return root
    return this.named(root['id'], withoutId(root))
  }
}

/**
 * Adapts a schema for clients. Answers stay open for new fields (docs/users/versioning.md), and limits of JavaScript integers are removed.
 * PHP code of openapi-generator checks patterns of dates after parsing and compares `true` with a string, so both are removed.
 */
function loosen(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format === 'date-time') delete schema.pattern
  if (schema.type === 'boolean') delete schema.const
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

const withoutId = ({ id: _, ...rest }: Json) => rest

function operation(route: Route, doc: RouteDoc, schemas: Schemas, baseUrl: string): Json {
  const parameters = [...pathParameters(route.path), ...queryParameters(route, schemas), ...(doc.headers ?? []).map(headerParameter)]
  const samples = codeSamples(baseUrl)[doc.id]
  return {
    operationId: doc.id,
    tags: [tagOf(route.path)],
    summary: doc.summary,
    description: doc.description ?? `${doc.summary}.`.replace(/\?\.$/, '?'),
    ...(route.access === 'public' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(doc.form ? { requestBody: formBody(doc.form, schemas, BODY_EXAMPLES[doc.id]) } : {}),
    ...(doc.json ? { requestBody: jsonBody(doc.json, schemas, BODY_EXAMPLES[doc.id]) } : {}),
    ...(doc.body ? { requestBody: { required: true, content: { [doc.body]: { schema: BINARY } } } } : {}),
    responses: responses(route, doc, schemas, baseUrl),
    ...(samples ? { 'x-codeSamples': samples } : {}),
  }
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
    ...exampleOf(name),
  }))

const exampleOf = (name: string) => (name in PARAMETER_EXAMPLES ? { example: PARAMETER_EXAMPLES[name] } : {})

function queryParameters({ query }: Route, schemas: Schemas) {
  if (!query) return []
  const { properties } = schemas.of(query, 'output') as { properties: Record<string, unknown> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema, ...exampleOf(name) }))
}

const headerParameter = (name: keyof typeof HEADER_TEXTS) => ({
  name,
  in: 'header',
  required: false,
  description: HEADER_TEXTS[name],
  schema: { type: 'string' },
})

/** OpenAPI 3.1 uses `contentMediaType` for binary data; most generators only know the `format` of 3.0. */
const BINARY = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

/** Fields of JSON bodies that are numbers. */
const JSON_NUMBERS = {
  target_size: { type: 'integer', format: 'int64', minimum: 1 },
  target_score: { type: 'number', minimum: TARGET_SCORES.least, maximum: TARGET_SCORES.most },
  max_width: { type: 'integer', minimum: 1 },
  max_height: { type: 'integer', minimum: 1 },
  dpi: { type: 'integer', minimum: DOCUMENT_DPI.least, maximum: DOCUMENT_DPI.most },
}

const HEADERS = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Headers of the request to `destination_url`: `x-ms-blob-type`, `x-amz-*`, `x-goog-*`, `content-type` and `cache-control`.',
}

/** Request bodies are closed: unknown fields are refused. */
const CLOSED = { additionalProperties: false }

const ADDRESSES = {
  type: 'array',
  minItems: 1,
  items: { type: 'string', maxLength: 4096 },
  description: 'Addresses that Whittle fetches files from: https with a public domain name',
}

/** Request bodies of uploads: a multipart form, or JSON with the same names if no file is part of the request. */
function formBody(form: NonNullable<RouteDoc['form']>, schemas: Schemas, examples: Readonly<Record<string, unknown>> = {}): Json {
  const { properties: fields } = schemas.of(form.fields, 'input') as { properties: Record<string, unknown> }
  const uploads = { type: 'array', minItems: 1, items: { type: 'string' }, description: 'Finished resumable uploads (`upl_…`)' }
  const files = form.several ? { type: 'array', minItems: 1, items: BINARY } : BINARY
  const properties = form.several ? { ...fields, 'uploads[]': uploads, 'urls[]': ADDRESSES } : fields
  // In JSON, numbers are numbers and objects are objects, instead of strings.
  const numbers = Object.entries(JSON_NUMBERS).flatMap(([name, schema]) => {
    const field = fields[name] as { readonly description?: string } | undefined
    return field ? [[name, { ...schema, description: field.description }] as const] : []
  })
  const headers = form.several ? {} : { destination_headers: HEADERS }
  const inJson = { ...properties, ...Object.fromEntries(numbers), ...headers }
  return {
    required: true,
    content: {
      'multipart/form-data': {
        schema: { type: 'object', properties: { [form.file]: files, ...properties }, ...CLOSED },
        example: examples['multipart/form-data'],
      },
      'application/json': {
        schema: schemas.named(form.several ? 'BatchOfUploads' : 'CompressUpload', { type: 'object', properties: inJson, ...CLOSED }),
        example: examples['application/json'],
      },
    },
  }
}

const jsonBody = (schema: z.ZodType, schemas: Schemas, examples: Readonly<Record<string, unknown>> = {}): Json => ({
  required: true,
  content: { 'application/json': { schema: schemas.of(schema, 'input'), example: examples['application/json'] } },
})

/** Links (OpenAPI): operations that use a field of an answer, by field. */
const LINKS: Readonly<Record<string, readonly (readonly [operationId: string, field: string])[]>> = {
  compress: ['getTask', 'download', 'getReceipt', 'deleteTask'].map((operationId) => [operationId, 'task_id'] as const),
  batchCompress: ['getBatch', 'downloadBatch'].map((operationId) => [operationId, 'batch_id'] as const),
}

const linkTo = ([operationId, field]: readonly [string, string]) => [
  operationId,
  { operationId, parameters: { [field]: `$response.body#/${field}` } },
]

function responses(route: Route, doc: RouteDoc, schemas: Schemas, baseUrl: string): Json {
  const error = schemas.of(errorAnswer, 'output')
  // An invalid Host header is refused before the route is known.
  const doorErrors = route.access === 'public' ? [400] : route.access === 'key' ? [401, 429] : [401, 403, 429]
  const codes = [...new Set([...doorErrors, ...doc.errors])].sort((a, b) => a - b)
  const content = { schema: error }
  const withExamples = (code: number) => {
    const examples = errorExamples(route.path, code, baseUrl)
    return { 'application/json': Object.keys(examples).length > 0 ? { ...content, examples } : content }
  }
  const errors = Object.fromEntries(codes.map((code) => [code, { description: ERROR_TEXTS[code] ?? 'Error', content: withExamples(code) }]))
  return {
    ...success(doc, schemas, answerExamples(baseUrl)[doc.id]),
    ...errors,
    default: { description: 'Any other error', content: { 'application/json': content } },
  }
}

function success(doc: RouteDoc, schemas: Schemas, values: Readonly<Record<string, unknown>> = {}): Json {
  const { answer } = doc
  const examples = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { summary: name, value }]))
  if (answer === 'binary') {
    const schema = { type: 'string', format: 'binary' }
    // The content type is that of the result. The second entry is for generators that do not know `*/*`.
    const content = { 'application/octet-stream': { schema }, '*/*': { schema } }
    return {
      200: { description: 'The file', content },
      206: { description: 'A range of the file', content },
      304: { description: 'The result has not changed' },
    }
  }
  if (answer === 'zip') {
    const content = { 'application/zip': { schema: { type: 'string', format: 'binary' } } }
    return { 200: { description: 'The ZIP', content } }
  }
  if (answer === 'created') return { 201: { description: 'Created; the address is in `Location`' } }
  if (answer === 'empty') return { 204: { description: 'Done' } }
  if (answer === 'html') return { 200: { description: 'A page', content: { 'text/html': {} } } }
  if (answer === 'json') return { 200: { description: 'A document', content: { 'application/json': {} } } }
  if ('jws' in answer) {
    const content = { 'application/jose': {}, 'application/json': { schema: schemas.of(answer.jws, 'output'), examples } }
    return { 200: { description: 'The signed receipt, or its decoded content', content } }
  }
  const links = LINKS[doc.id]
  const events = doc.events ? { 'text/event-stream': { schema: { type: 'string' }, example: EVENTS_EXAMPLE } } : {}
  const content = { 'application/json': { schema: schemas.of(answer, 'output'), examples }, ...events }
  return { 200: { description: 'Done', content, ...(links ? { links: Object.fromEntries(links.map(linkTo)) } : {}) } }
}

/** Webhooks: requests that the service sends to a `callback_url` (Standard Webhooks 1.0.0). */
const bodyOf = (schema: Json) => ({ required: true, content: { 'application/json': { schema } } })

/** Converts `storage.nearly_full` to `StorageNearlyFull`. */
const operationOf = (type: string) => type.replace(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())

function webhooks(schemas: Schemas): Json {
  const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } })
  const parameters = [
    header('webhook-id', 'Same for every attempt of a delivery. Use it to ignore repeated deliveries'),
    header('webhook-timestamp', 'Seconds since 1970'),
    header('webhook-signature', '`v1,` and base64 of the HMAC-SHA256 of `{id}.{timestamp}.{body}`'),
  ]
  const event = (status: string) => {
    const name = `Task${status === 'completed' ? 'Completed' : 'Failed'}Event`
    const properties = {
      type: { type: 'string', const: `task.${status}` },
      timestamp: { type: 'string', format: 'date-time' },
      data: schemas.of(task, 'output'),
    }
    // Written inline, because oapi-codegen drops components that no path uses but keeps the references to them.
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    return {
      operationId: `on${name}`,
      tags: ['Callbacks'],
      summary: `A task has ${status}`,
      description:
        'If the receiver does not answer 2xx within 15 s, the service tries again for up to 18 hours. 410 stops the deliveries of this event.',
      security: [],
      parameters,
      requestBody: bodyOf(schema),
      responses: { 200: { description: 'Received' }, 410: { description: 'Stop this delivery' } },
    }
  }
  const alert = (type: string, summary: string) => {
    const number = { type: 'integer' }
    const text = { type: 'string' }
    const data = { plan: text, month: text, percent: number, storage_used: number, storage_quota: number }
    const properties = {
      type: { type: 'string', const: type },
      timestamp: { type: 'string', format: 'date-time' },
      data: { type: 'object', properties: data, required: Object.keys(data) },
    }
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    return { ...event('completed'), operationId: `on${operationOf(type)}`, summary, requestBody: bodyOf(schema) }
  }
  return {
    'task.completed': { post: event('completed') },
    'task.failed': { post: event('failed') },
    'storage.nearly_full': {
      post: alert('storage.nearly_full', 'The storage is 80 % full. Sent once a month to the address for alerts in the console'),
    },
    'storage.full': { post: alert('storage.full', 'The storage is full or an upload did not fit. Sent once a month') },
  }
}
