/** Tools of `whittle mcp` for buckets: list connections; start, show, cancel and resume syncs. None of them takes or returns credentials. */
import * as z from 'zod'
import { EFFORTS } from '../../../src/core/catalog/effort.ts'
import { TARGET_SCORES } from '../../../src/core/catalog/score-goal.ts'
import { Client, type Connection, type SyncFields } from './client.ts'
import type { Server } from './config.ts'

/** Syncs that `sync_status` lists. */
const LISTED_SYNCS = 20

const connection = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
  .describe('Name of a connection, as listed by `connections`')
const key = z.string().min(1).describe('Key of the object')
const place = z.strictObject({
  connection,
  prefix: z.string().optional().describe('Beginning of the keys, such as photos/; default: empty, for the whole bucket'),
})
const syncId = z.string().regex(/^syn_\w+$/)

/** Object in a bucket that is compressed. */
export const bucketSource = z.strictObject({ connection, key })

/** Place in a bucket that a result is sent to. */
export const bucketDestination = z
  .strictObject({
    connection,
    prefix: z.string().optional().describe('Beginning of the key, such as small/. The name of the result follows'),
    key: key.optional().describe('Whole key of the result, instead of prefix'),
  })
  .refine((fields) => (fields.prefix === undefined) !== (fields.key === undefined), 'needs either prefix or key')

/** Input schemas of the tools. Strict, so that an unknown argument is an error, as in the HTTP API. */
export const BUCKET_INPUTS = {
  connections: z.strictObject({}),
  sync_start: z.strictObject({
    source: place.describe('Objects to compress'),
    destination: place.describe('Where the results go, under the same keys after the prefix'),
    dry_run: z
      .boolean()
      .default(true)
      .describe(
        'Default: true, which only lists and estimates. false compresses, and replaces objects of the same keys at the destination',
      ),
    quality: z.enum(['low', 'medium', 'high', 'ultra']).optional().describe('Default: medium'),
    format: z.string().optional().describe('Another output format, for files that can have it'),
    target_score: z
      .number()
      .min(TARGET_SCORES.least)
      .max(TARGET_SCORES.most)
      .optional()
      .describe('Lowest SSIMULACRA 2 score of every picture, instead of quality'),
    effort: z.enum(EFFORTS).optional().describe('How long to search for a small result; default: balanced'),
    metadata: z.enum(['keep', 'safe', 'strip']).optional().describe('Metadata to keep; default: keep, which is all'),
  }),
  sync_status: z.strictObject({ sync_id: syncId.optional().describe('Default: the newest syncs') }),
  sync_cancel: z.strictObject({ sync_id: syncId }),
  sync_resume: z.strictObject({ sync_id: syncId }),
}

const READING = { readOnlyHint: true }

/** Descriptions of the tools for assistants. */
export const BUCKET_TOOLS = {
  connections: {
    description:
      'Bucket connections of the account, without credentials. No tool creates or changes a connection, because its secrets would pass through the model: ask the user to save it with PUT /v1/connections/{name}, and never to paste a secret here.',
    annotations: READING,
  },
  sync_start: {
    description:
      'Compress all objects of a bucket whose keys begin with a prefix, into another bucket or prefix. By default a dry run: it lists and estimates. Show its estimate to the user before you start again with dry_run: false, which replaces objects of the same keys at the destination. Nothing in the source changes.',
    annotations: { destructiveHint: true },
  },
  sync_status: { description: 'State, figures, estimate and failed objects of syncs.', annotations: READING },
  sync_cancel: {
    description: 'Stop a sync. What it has written stays at the destination; the same sync_start later skips it.',
    annotations: { destructiveHint: false, idempotentHint: true },
  },
  sync_resume: {
    description:
      'Go on with a failed sync, for example after the user has corrected its connection, or end the pause of a paused one. It replaces objects of the same keys at the destination, as sync_start does.',
    annotations: { destructiveHint: true },
  },
}

type Input<Name extends keyof typeof BUCKET_INPUTS> = z.output<(typeof BUCKET_INPUTS)[Name]>

/** Work of the tools. `findServer` throws if no service is configured. */
export class BucketTools {
  readonly #findServer: () => Server

  constructor(findServer: () => Server) {
    this.#findServer = findServer
  }

  async connections(): Promise<unknown> {
    return (await this.#client().connections()).map(shown)
  }

  start({ source, destination, ...options }: Input<'sync_start'>): Promise<unknown> {
    // JSON has no fields that are `undefined`.
    return this.#client().startSync({ source: withPrefix(source), destination: withPrefix(destination), ...options } as SyncFields)
  }

  async status({ sync_id }: Input<'sync_status'>): Promise<unknown> {
    return sync_id === undefined ? (await this.#client().syncs(LISTED_SYNCS)).syncs : this.#client().sync(sync_id)
  }

  cancel({ sync_id }: Input<'sync_cancel'>): Promise<unknown> {
    return this.#client().cancelSync(sync_id)
  }

  resume({ sync_id }: Input<'sync_resume'>): Promise<unknown> {
    return this.#client().resumeSync(sync_id)
  }

  #client(): Client {
    return new Client(this.#findServer())
  }
}

const withPrefix = ({ connection, prefix = '' }: z.output<typeof place>) => ({ connection, prefix })

/** Destination with the field that was given. */
export const destinationOf = ({ connection, prefix = '', key }: z.output<typeof bucketDestination>) =>
  key === undefined ? { connection, prefix } : { connection, key }

/** Fields that a model may see. Listed one by one, so that no identifier of a key is among them, whatever the service sends. */
const shown = (one: Connection) =>
  one.type === 's3'
    ? { name: one.name, type: one.type, endpoint: one.endpoint, region: one.region, bucket: one.bucket }
    : { name: one.name, type: one.type, endpoint: one.endpoint, container: one.container }
