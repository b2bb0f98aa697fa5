/** The two buckets of a sync. Their errors name the side. */
import { BucketError, type ObjectStore } from '../../buckets/object-store.ts'
import type { BucketSettings } from '../../buckets/settings.ts'
import type { Env } from '../../env.ts'
import { apiMessage } from '../../i18n/message.ts'
import type { SyncOrder, SyncTrouble } from '../../store/syncs.ts'
import { troubleMessage } from '../bucket-trouble.ts'
import { connectionSettings } from '../connections.ts'
import { openConnection } from '../open-connection.ts'

export type Side = 'source' | 'destination'

/** Opens a bucket of the sync for requests and transfers that end with `signal`. @throws SideError, as the store does */
export type SyncBuckets = { readonly [S in Side]: (signal: AbortSignal) => ObjectStore }

/** Error of a bucket of the sync. */
export class SideError extends Error {
  override readonly name = 'SideError'
  readonly side: Side
  readonly bucket: BucketError

  constructor(side: Side, bucket: BucketError) {
    super(`${side}: ${bucket.message}`, { cause: bucket })
    this.side = side
    this.bucket = bucket
  }
}

const withSide = (side: Side, error: unknown) => (error instanceof BucketError ? new SideError(side, error) : error)

/** Returns the same store. Its errors are `SideError` instead of `BucketError`. */
function namingSide(side: Side, store: ObjectStore): ObjectStore {
  const named = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    answer.catch((error: unknown) => {
      throw withSide(side, error)
    })
  return {
    list: (prefix, options) => named(store.list(prefix, options)),
    head: (key) => named(store.head(key)),
    read: (key, range) => named(store.read(key, range)),
    write: (key, body, size, headers) => named(store.write(key, body, size, headers)),
    remove: (key) => named(store.remove(key)),
  }
}

/** Returns what a sync shows of an error of one of its buckets. */
export function bucketTrouble({ side, bucket }: SideError, order: Pick<SyncOrder, Side>): SyncTrouble {
  const message = apiMessage('sync_bucket_trouble', { connection: order[side].connection, why: troubleMessage(bucket) })
  return { type: bucket.trouble, message }
}

/**
 * Opens the buckets of a sync.
 * @throws SideError `missing_connection` or `unreadable_credentials`
 */
export async function openSyncBuckets(env: Env, { accountId, ...sides }: Pick<SyncOrder, 'accountId' | Side>): Promise<SyncBuckets> {
  const opener = async (side: Side) => {
    try {
      const settings = await connectionSettings(env, { accountId, name: sides[side].connection })
      return (signal: AbortSignal) => openSide(env, side, settings, signal)
    } catch (error) {
      throw withSide(side, error)
    }
  }
  return { source: await opener('source'), destination: await opener('destination') }
}

/** @throws SideError `unsafe_address` */
function openSide(env: Env, side: Side, settings: BucketSettings, signal: AbortSignal): ObjectStore {
  try {
    return namingSide(side, openConnection(env, settings, signal))
  } catch (error) {
    throw withSide(side, error)
  }
}
