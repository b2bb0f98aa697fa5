/** Answers of operations in `/openapi.json`. */
import { ERROR_TEXTS } from './error-texts.ts'
import { answerExamples, EVENTS_EXAMPLE, SYNC_EVENTS_EXAMPLE } from './openapi-examples/answers.ts'
import { errorExamples } from './openapi-examples/errors.ts'
import { SHA256, TASK_ID } from './openapi-examples/values.ts'
import type { Json, Schemas } from './openapi-schemas.ts'
import { isOpen, type Route, type RouteDoc } from './route.ts'
import { errorAnswer } from './schemas/tasks.ts'

const header = (description: string, example: string | number) => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
})

const TASK_HEADER = { 'Whittle-Task': header('Id of the task', TASK_ID) }

/** Headers of every answer that is a result. */
const FILE_HEADERS = {
  'Content-Disposition': header('Attachment with the name of the result (RFC 6266)', 'attachment; filename="photo.jpg"'),
  'Content-Length': header('Number of bytes in this answer', 84_290),
  ETag: header('SHA-256 of the result in hex', `"${SHA256}"`),
  'Repr-Digest': header('SHA-256 of the result in base64 (RFC 9530)', 'sha-256=:HCsZBHRbFf9bT9E7IJB2KxLT0DtmTjN/Phhf+M/28ik=:'),
  'Accept-Ranges': header('The download honours ranges of bytes', 'bytes'),
}

/** Further headers of a result that answers the request which sent the file. */
const ONE_CALL_HEADERS = {
  'Whittle-Outcome': header('`compressed` or `unchanged`', 'compressed'),
  'Whittle-Original-Size': header('Size of the upload in bytes', 240_883),
  'Whittle-Receipt': header(
    'Signed receipt, a compact JWS. Absent above 8 KB',
    'eyJhbGciOiJFZERTQSJ9.eyJ0YXNrX2lkIjoidHNrX3ZabEtubFkxR0ZVMCJ9.c2ln',
  ),
}

const PICTURE_HEADERS = {
  ETag: FILE_HEADERS.ETag,
  'Content-Length': FILE_HEADERS['Content-Length'],
  'Cache-Control': header('`no-cache` for a source', 'public, max-age=3600, stale-while-revalidate=86400'),
  Vary: header('Request headers that decided something', 'Accept'),
  'Whittle-Outcome': header('`compressed`, `unchanged`, or `pending` for a source', 'compressed'),
}

/** Links (OpenAPI): operations that use a field of an answer, by field. */
const LINKS: Readonly<Record<string, readonly (readonly [operationId: string, field: string])[]>> = {
  compress: ['getTask', 'download', 'getReceipt', 'deleteTask'].map((operationId) => [operationId, 'task_id'] as const),
  batchCompress: ['getBatch', 'downloadBatch'].map((operationId) => [operationId, 'batch_id'] as const),
}

const linkTo = ([operationId, field]: readonly [string, string]) => [
  operationId,
  { operationId, parameters: { [field]: `$response.body#/${field}` } },
]

export function responses(route: Route, doc: RouteDoc, schemas: Schemas, baseUrl: string): Json {
  const error = schemas.of(errorAnswer, 'output')
  // An invalid Host header is refused before the route is known.
  const doorErrors = isOpen(route.access) ? [400] : route.access === 'key' ? [401, 429] : [401, 403, 429]
  const codes = [...new Set([...doorErrors, ...doc.errors])].sort((a, b) => a - b)
  const content = { schema: error }
  const examplesOf = (code: number) => {
    const examples = errorExamples(route.path, code, baseUrl)
    return { 'application/json': Object.keys(examples).length > 0 ? { ...content, examples } : content }
  }
  const errors = Object.fromEntries(codes.map((code) => [code, { description: ERROR_TEXTS[code] ?? 'Error', content: examplesOf(code) }]))
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
    const range = { 'Content-Range': header('The range and the size of the file', 'bytes 0-1023/84290') }
    return {
      200: { description: 'The file', headers: FILE_HEADERS, content },
      206: { description: 'A range of the file', headers: { ...FILE_HEADERS, ...range }, content },
      304: { description: 'The result has not changed' },
    }
  }
  if (answer === 'picture') {
    const content = { 'image/*': { schema: { type: 'string', format: 'binary' } } }
    return {
      200: { description: 'The small picture, or the source while the small one is made', headers: PICTURE_HEADERS, content },
      304: { description: 'The picture has not changed' },
    }
  }
  if (answer === 'zip') {
    const content = { 'application/zip': { schema: { type: 'string', format: 'binary' } } }
    return { 200: { description: 'The ZIP', content } }
  }
  if (answer === 'events') {
    const content = { 'text/event-stream': { schema: { type: 'string' }, example: SYNC_EVENTS_EXAMPLE } }
    return { 200: { description: 'The events', content }, 204: { description: 'The client has received the last event' } }
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
  const inJson = { 'application/json': { schema: schemas.of(answer, 'output'), examples } }
  const ok = { description: 'Done', content: { ...inJson, ...events }, ...(links ? { links: Object.fromEntries(links.map(linkTo)) } : {}) }
  return doc.file ? withFile(ok, inJson) : { 200: ok }
}

/** Answers of an operation that returns the result itself with `response=file`. */
const withFile = (ok: Json, task: Json): Json => ({
  200: {
    ...ok,
    description: 'The task, or the result with `response=file`. Headers other than `Whittle-Task` describe the result',
    headers: { ...TASK_HEADER, ...FILE_HEADERS, ...ONE_CALL_HEADERS },
    content: { ...(ok['content'] as Json), 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  },
  202: {
    description: 'The task, if `response=file` was requested and the time ran out',
    headers: { ...TASK_HEADER, Location: header('Address of the task', `https://whittle.example.com/v1/tasks/${TASK_ID}`) },
    content: task,
  },
})
