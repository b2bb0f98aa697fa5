/** Builds `/openapi.json` (OpenAPI 3.1) from the routes and their validation schemas. */
import type * as z from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import { DOCUMENT_DPI } from '../../core/catalog/levels.ts'
import { TARGET_SCORES } from '../../core/catalog/score-goal.ts'
import { BODY_EXAMPLES, PARAMETER_EXAMPLES } from './openapi-examples/answers.ts'
import { codeSamples } from './openapi-examples/code-samples.ts'
import { withPropertyTexts } from './openapi-properties.ts'
import { responses } from './openapi-responses.ts'
import { type Json, Schemas } from './openapi-schemas.ts'
import { webhooks } from './openapi-webhooks.ts'
import { isOpen, type RequestHeader, type Route, type RouteDoc } from './route.ts'
import { bucketDestination, bucketSource, MAX_PLACE_LENGTH } from './schemas/places.ts'

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
  { name: 'Connections', description: 'Buckets that files come from and results go to.', paths: /^\/v1\/connections/ },
  {
    name: 'Pictures',
    description: 'Small pictures from signed addresses, and the origins they come from.',
    paths: /^\/(img\/|v1\/image-origins)/,
  },
  { name: 'Syncs', description: 'Compress the objects of a bucket into another.', paths: /^\/v1\/syncs/ },
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
  return withPropertyTexts({
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
  })
}

function operation(route: Route, doc: RouteDoc, schemas: Schemas, baseUrl: string): Json {
  const parameters = [...pathParameters(route.path), ...queryParameters(route, schemas), ...(doc.headers ?? []).map(headerParameter)]
  const samples = codeSamples(baseUrl)[doc.id]
  return {
    operationId: doc.id,
    tags: [tagOf(route.path)],
    summary: doc.summary,
    description: doc.description ?? `${doc.summary}.`.replace(/\?\.$/, '?'),
    ...(isOpen(route.access) ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(doc.form ? { requestBody: formBody(doc.form, schemas, BODY_EXAMPLES[doc.id]) } : {}),
    ...(doc.json ? { requestBody: jsonBody(doc.json, schemas, BODY_EXAMPLES[doc.id]) } : {}),
    ...(doc.body ? { requestBody: { required: true, content: { [doc.body]: { schema: BINARY } } } } : {}),
    responses: responses(route, doc, schemas, baseUrl),
    ...(samples ? { 'x-codeSamples': samples } : {}),
  }
}

const PATH_TEXTS: Readonly<Record<string, string>> = {
  task_id: 'Id of the task',
  batch_id: 'Id of the batch',
  upload_id: 'Id of the resumable upload',
  sync_id: 'Id of the sync',
  token: 'Last part of the address of a link',
  name: 'Name of the preset, the connection, or the origin of pictures',
  signature: 'HMAC-SHA256 of `{options}/{source}` with `image_secret`, in base64url; at least its first 22 characters',
  options: 'Options, separated by commas',
  source: '`{image_key}/{name}/{path}`. The path may hold slashes',
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true, description: PATH_TEXTS[name], schema: { type: 'string' } },
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
  ...exampleOf(name),
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
  retention: { type: 'integer', minimum: 0 },
}

const HEADERS = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Headers of the request to `destination_url`: `x-ms-blob-type`, `x-amz-*`, `x-goog-*`, `content-type` and `cache-control`.',
}

const SOURCES = (schemas: Schemas): Json => ({
  type: 'array',
  minItems: 1,
  items: schemas.of(bucketSource, 'input'),
  description: 'Objects in buckets that Whittle fetches files from',
})
const SOURCE_TEXTS = {
  ...{ type: 'array', minItems: 1, items: { type: 'string', maxLength: MAX_PLACE_LENGTH } },
  description: 'Objects in buckets that Whittle fetches files from: JSON objects as text with `connection` and `key`',
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
  const files = form.several
    ? { type: 'array', minItems: 1, items: BINARY, description: 'The files' }
    : { ...BINARY, description: 'The file. Exactly one of `file`, `upload`, `url` and `source` is required' }
  const properties = form.several ? { ...fields, 'uploads[]': uploads, 'urls[]': ADDRESSES, 'sources[]': SOURCE_TEXTS } : fields
  // In JSON, numbers are numbers and objects are objects, instead of strings.
  const numbers = Object.entries(JSON_NUMBERS).flatMap(([name, schema]) => {
    const field = fields[name] as { readonly description?: string } | undefined
    return field ? [[name, { ...schema, description: field.description }] as const] : []
  })
  const objects = form.several
    ? { 'sources[]': SOURCES(schemas) }
    : { source: schemas.of(bucketSource, 'input'), destination_headers: HEADERS }
  const destination = schemas.of(bucketDestination, 'input')
  const inJson = { ...properties, ...Object.fromEntries(numbers), ...objects, destination }
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
