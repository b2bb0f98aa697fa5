/** Request bodies other than uploads: JSON of the operator's API and the console, and bodies of refused requests. At most 64 KB are in memory. */

import type * as z from 'zod'
import { apiMessage } from '../i18n/message.ts'
import { ApiError } from '../tasks/api-error.ts'
import { chunkReaderOf } from '../tasks/body-stream.ts'
import type { AppContext } from './context.ts'
import { malformed } from './multipart-disposition.ts'
import { parseOrRefuse } from './schemas/requests.ts'
import { refuseRepeatedNames, refuseUnknownNames } from './unknown-fields.ts'

const MAX_JSON_BYTES = 64 * 1024
const DRAIN_READ_BYTES = 16 * 1024

/** Returns the JSON body, validated against a schema. Bytes are counted while reading, because Content-Length may be missing or wrong. */
export async function readBody<Schema extends z.ZodType>(c: AppContext, schema: Schema): Promise<z.output<Schema>> {
  const body = parseOrRefuse(schema, await readJson(c.req.raw))
  c.set('asked', body as Readonly<Record<string, unknown>>)
  return body
}

export async function readJson(request: Request): Promise<unknown> {
  return parseJson(await readText(request))
}

/** @throws ApiError if the JSON body is not an object */
export async function readJsonObject(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const body = await readJson(request)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw malformed('json_is_no_object')
  return body as Readonly<Record<string, unknown>>
}

/** Refuses a body sent to a route that does not take one. */
export async function refuseBody(request: Request): Promise<void> {
  const text = await readText(request)
  const body = text.trim() === '' ? {} : parseJson(text)
  if (typeof body === 'object' && body !== null) refuseUnknownNames(Object.keys(body), [])
}

function parseJson(text: string): unknown {
  const body = parsed(text)
  refuseRepeatedNames(text)
  return body
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('malformed_request', 'body_must_be_json')
  }
}

async function readText(request: Request): Promise<string> {
  if (!request.body) return ''
  // The body is not read here; `drain` reads it, so that the client can finish sending.
  if (!(Number(request.headers.get('Content-Length') ?? 0) <= MAX_JSON_BYTES)) throw tooLong()
  const { pull, close } = chunkReaderOf(request.body, DRAIN_READ_BYTES)
  const decoder = new TextDecoder('utf-8')
  let text = ''
  for (let size = 0; size <= MAX_JSON_BYTES; ) {
    const chunk = await pull().catch(brokenOff)
    if (!chunk) return text + decoder.decode()
    size += chunk.length
    if (size <= MAX_JSON_BYTES) text += decoder.decode(chunk, { stream: true })
  }
  await close().catch(() => undefined)
  throw tooLong()
}

const tooLong = () =>
  new ApiError('malformed_request', apiMessage('body_longer_than_bytes', { limit: MAX_JSON_BYTES }), { limit_bytes: MAX_JSON_BYTES })

function brokenOff(): never {
  throw new ApiError('malformed_request', 'body_breaks_off')
}

/**
 * Reads and discards the body of a refused request through a small buffer.
 * A client that sends its whole file before it reads the answer can then receive the error.
 */
export async function drain(request: Request, limit: number): Promise<void> {
  if (!request.body || request.body.locked || request.bodyUsed) return
  const { pull, close } = chunkReaderOf(request.body, DRAIN_READ_BYTES)
  try {
    for (let left = limit; left > 0; ) {
      const chunk = await pull()
      if (!chunk) return
      left -= chunk.length
    }
    await close()
  } catch {
    // The client disconnected, so the error has no recipient.
  }
}
