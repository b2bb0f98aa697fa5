/** Schemas of places in buckets: `source`, `sources[]` and `destination`. In a form, each is a JSON object as text. */
import * as z from 'zod'
import { MAX_KEY_BYTES } from '../../buckets/object-store.ts'
import { type ApiPlainCode, apiMessage } from '../../i18n/message.ts'
import type { BucketDestination } from '../../store/destinations.ts'
import type { BucketObject } from '../../store/sources.ts'
import { invalidParameter } from '../../tasks/api-error.ts'
import { refuseRepeatedNames, refuseUnknownNames } from '../unknown-fields.ts'
import { CONNECTION_NAME } from './common.ts'

/** Largest size of a place as JSON text, in characters. Escapes take up to six for one of a key. */
export const MAX_PLACE_LENGTH = 8192

const isKey = (key: string) => key.isWellFormed() && new TextEncoder().encode(key).length <= MAX_KEY_BYTES
export const connection = z
  .string()
  .regex(CONNECTION_NAME, 'must_be_name_of_connection' satisfies ApiPlainCode)
  .describe('Name of a connection of the account')
const key = z
  .string()
  .min(1, 'must_be_key' satisfies ApiPlainCode)
  .refine(isKey, 'must_be_key' satisfies ApiPlainCode)
export const prefix = z.string().refine(isKey, 'must_be_key' satisfies ApiPlainCode)

const sourceShape = { connection, key: key.describe('Key of the object: 1 to 1,024 bytes of UTF-8') }
const prefixShape = prefix.describe('Beginning of the key, such as `small/`. The name of the result follows')

/** Shapes for `/openapi.json`. */
export const bucketSource = z
  .object(sourceShape)
  .meta({ id: 'BucketSource', description: 'Object in a bucket that Whittle fetches the file from, instead of `file`' })
export const bucketDestination = z
  .object({
    connection,
    prefix: prefixShape.optional(),
    key: key.optional().describe('Whole key of the object, instead of `prefix`. Not in a batch'),
  })
  .meta({ id: 'BucketDestination', description: 'Place in a bucket that the result is also sent to: a connection with `prefix` or `key`' })

/** @throws ApiError `invalid_parameter` */
export const parseSource = (name: string, text: string): BucketObject => parsed(name, text, z.object(sourceShape), ['connection', 'key'])

/**
 * @param isBatch true: only a prefix is allowed, because several results need several keys
 * @throws ApiError `invalid_parameter`
 */
export function parseDestination(name: string, text: string, isBatch: boolean): BucketDestination {
  const place = parsed(name, text, bucketDestination, isBatch ? ['connection', 'prefix'] : ['connection', 'prefix', 'key'])
  const { connection: to, prefix: beginning, key: whole } = place
  if ((beginning === undefined) === (whole === undefined))
    throw invalidParameter(name, isBatch ? 'destination_needs_prefix' : 'destination_needs_one')
  return whole === undefined ? { connection: to, prefix: beginning ?? '' } : { connection: to, key: whole }
}

function parsed<Schema extends z.ZodType>(name: string, text: string, schema: Schema, known: readonly string[]): z.output<Schema> {
  const value = objectIn(name, text)
  refuseUnknownNames(Object.keys(value), known)
  const found = schema.safeParse(value)
  if (found.success) return found.data
  const [issue] = found.error.issues
  const field = [name, ...(issue?.path ?? [])].join('.')
  const why = issue?.message === 'must_be_key' || issue?.message === 'must_be_name_of_connection' ? issue.message : 'is_not_valid'
  throw invalidParameter(name, apiMessage('field_wrong', { name: field, why: apiMessage(why) }))
}

function objectIn(name: string, text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParameter(name, apiMessage('field_must_be_json_object', { name }))
  refuseRepeatedNames(text)
  return value
}
