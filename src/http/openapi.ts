/** `/openapi.json`: OpenAPI 3.1 from the routes and the schemas that validate. */
import * as z from 'zod'
import { ERROR_TYPES } from '../tasks/api-error.ts'
import type { Route, RouteDoc } from './route.ts'
import { errorAnswer } from './schemas.ts'

type Json = Record<string, unknown>

const HEADER_TEXTS = {
  Prefer: '`respond-async` or `wait=N` (RFC 7240)',
  'Idempotency-Key': 'The same key and request within 24 h give the same task',
  Range: 'One range of bytes (RFC 9110)',
  'If-Match': 'Entity tags',
  'If-None-Match': 'Entity tags',
  'If-Range': 'An entity tag',
} as const

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
  503: 'Busy; try again after `Retry-After` seconds',
}

const DESCRIPTION = `Makes any file smaller and proves that nothing was lost.

Every error is \`{"error": {"code", "message", "request_id"}, "error_detail": {"type", …}}\`. The types, with their statuses:
${Object.entries(ERROR_TYPES)
  .map(([type, status]) => `\`${type}\` ${status}`)
  .join(', ')}.`

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
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
    return this.#adopt(made)
  }

  /** Moves `$defs` to the components, and a named root as well. */
  #adopt(made: Json): unknown {
    const { $schema: _, $defs, ...root } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>)) this.components[name] = withoutId(definition)
    if (typeof root['id'] !== 'string') return root
    this.components[root['id']] = withoutId(root)
    return { $ref: `#/components/schemas/${root['id']}` }
  }
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

function formBody(form: NonNullable<RouteDoc['form']>, schemas: Schemas): Json {
  const { properties } = schemas.of(form.fields, 'input') as { properties: Record<string, unknown> }
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  const files = form.several ? { type: 'array', minItems: 1, items: file } : file
  const schema = { type: 'object', required: [form.file], properties: { [form.file]: files, ...properties } }
  return { required: true, content: { 'multipart/form-data': { schema } } }
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
    const content = { 'application/octet-stream': {} }
    return {
      200: { description: 'The file', content },
      206: { description: 'A range of the file', content },
      304: { description: 'You have it already' },
    }
  }
  if (answer === 'html') return { 200: { description: 'A page', content: { 'text/html': {} } } }
  if (answer === 'json') return { 200: { description: 'A document', content: { 'application/json': {} } } }
  return { 200: { description: 'Done', content: { 'application/json': { schema: schemas.of(answer, 'output') } } } }
}
