/** JSON bodies of the operator's API and the console, checked against a schema. */
import type * as z from 'zod'
import { ApiError } from '../tasks/api-error.ts'
import type { AppContext } from './context.ts'
import { parseOrRefuse } from './schemas.ts'

const MAX_BODY_BYTES = 64 * 1024

export async function readBody<Schema extends z.ZodType>(c: AppContext, schema: Schema): Promise<z.output<Schema>> {
  if (Number(c.req.header('Content-Length') ?? 0) > MAX_BODY_BYTES) throw new ApiError('malformed_request', 'The body is too long.')
  const body: unknown = await c.req.json().catch(() => {
    throw new ApiError('malformed_request', 'The body must be JSON.')
  })
  return parseOrRefuse(schema, body)
}
