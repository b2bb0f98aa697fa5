/** Schemas of syncs. */
import * as z from 'zod'
import { MAX_KEY_BYTES } from '../../buckets/object-store.ts'
import { idPattern } from '../../store/ids.ts'
import { MAX_SYNC_ERRORS, SYNC_STATUSES } from '../../store/syncs.ts'
import { bytes, time } from './common.ts'
import { preset } from './service.ts'

export const syncId = z.string().regex(idPattern('syn')).describe('Id of the sync')

const prefix = z
  .string()
  .max(MAX_KEY_BYTES)
  .refine((text) => text.isWellFormed())
  .describe('Beginning of the keys, such as `photos/`. Default: empty, for the whole bucket')
const connection = z.string().min(1).max(64).describe('Name of a connection of the account')
export const placeFields = z.strictObject({ connection, prefix: prefix.default('') }).meta({ id: 'SyncPlaceRequest' })

export const syncPlaces = z.strictObject({
  source: placeFields.describe('Objects to compress'),
  destination: placeFields.describe('Where the results go, under the same keys after the prefix'),
  dry_run: z.boolean().default(false).describe('`true`: lists and estimates only. Nothing is compressed or written'),
})

/** Options of a sync: those of a preset that have a meaning for many files. */
export const syncOptions = preset.omit({ callback_url: true, target_size: true, response: true, retention: true })

export const syncRequest = z
  .object({
    ...syncPlaces.shape,
    ...syncOptions.shape,
    preset: z.string().optional().describe('Name of a preset: ready-made, or one of the account. Other fields take precedence'),
  })
  .meta({ id: 'SyncRequest' })

const place = z
  .object({ connection: z.string().describe('Name of the connection'), prefix: z.string().describe('Beginning of the keys') })
  .meta({ id: 'SyncPlace' })
const reason = z
  .object({
    type: z.string().describe('Stable name, such as `unauthorised` or `busy`'),
    message: z.string().describe('Message for people'),
  })
  .meta({ id: 'SyncReason' })
const estimate = z
  .object({
    format: z.string().describe('Format that the extension of the key promises; `unknown`: none, such objects are copied'),
    objects: z.int().min(0).describe('Number of objects'),
    original_size: bytes.describe('Bytes of these objects'),
    estimated_size: bytes.describe('Bytes that they will probably become'),
    estimated_cpu_seconds: z.number().min(0).describe('CPU seconds that they will probably take'),
    basis: z
      .enum(['account', 'typical'])
      .describe('`account`: what files of this format became this month in the account. `typical`: what such files usually become'),
  })
  .meta({ id: 'SyncEstimate' })
const error = z
  .object({
    key: z.string().describe('Key of the object in the source'),
    error: z.string().describe('Message for people'),
    type: z.string().describe('Stable name of the error, such as `file_too_large`'),
  })
  .meta({ id: 'SyncError' })

const count = (what: string) => z.int().min(0).describe(what)

export const sync = z
  .object({
    sync_id: syncId,
    status: z
      .enum(SYNC_STATUSES)
      .describe('`paused`: waits for a bucket or for storage, and goes on by itself. `failed`: stopped; it can be resumed'),
    source: place.describe('Objects to compress'),
    destination: place.describe('Where the results go'),
    dry_run: z.boolean().describe('`true`: lists and estimates only'),
    found: count('Objects of the source that were found so far'),
    skipped: count('Objects whose result of an earlier sync is still at the destination'),
    compressed: count('Objects whose result is smaller'),
    unchanged: count('Objects that were copied as they are'),
    failed: count('Objects without a result; see `errors`'),
    original_size: bytes.describe('Bytes of the compressed and unchanged objects'),
    compressed_size: bytes.describe('Bytes that were written for them'),
    estimated_cpu_seconds: z.number().min(0).describe('CPU seconds that the whole sync will probably take'),
    estimated_size: bytes.describe('Bytes that the whole sync will probably write'),
    estimates: z.array(estimate).describe('Estimates by format, from names and sizes alone'),
    started_at: time.describe('Time of the request: ISO 8601, UTC, with milliseconds'),
    completed_at: time.optional().describe('Time at which the sync ended: ISO 8601, UTC, with milliseconds'),
    next_try_at: time.optional().describe('Time at which a paused sync tries again: ISO 8601, UTC, with milliseconds'),
    reason: reason.optional().describe('Why the sync failed or waits'),
    errors: z.array(error).max(MAX_SYNC_ERRORS).describe(`The last ${MAX_SYNC_ERRORS} failed objects, newest first`),
  })
  .meta({ id: 'Sync', description: 'Compression of all objects of a bucket that begin with a prefix, into another.' })

export const syncPage = z
  .object({
    syncs: z.array(sync).describe('Syncs, newest first'),
    next_cursor: z.string().nullable().describe('Value of `cursor` for the next page. `null`: this page is the last'),
  })
  .meta({ id: 'SyncPage' })

export const syncQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe('Syncs per page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page'),
})
