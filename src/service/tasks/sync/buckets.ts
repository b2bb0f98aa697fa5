/** The two buckets of a sync. Their errors name the side. */
import { BucketError, type ObjectStore } from '../../buckets/object-store.ts'
import type { Env } from '../../env.ts'
import { apiMessage } from '../../i18n/message.ts'
import type { SyncOrder, SyncTrouble } from '../../store/syncs.ts'
import { troubleMessage } from '../bucket-trouble.ts'
import { connectionSettings } from '../connections.ts'
import { openConnection } from '../open-connection.ts'

export type Side = 'source' | 'destination'

/** Opens a bucket of the sync for requests and transfers that end with `signal`. */
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

/** Returns the same buckets. Their errors are `SideError` instead of `BucketError`. */
export function namingSides(buckets: SyncBuckets): SyncBuckets {
  const opener = (side: Side) => (signal: AbortSignal) => {
    const store = opened(side, () => buckets[side](signal))
    const named = async <Answer>(answer: () => Promise<Answer>): Promise<Answer> => {
      try {
        return await answer()
      } catch (error) {
        throw error instanceof BucketError ? new SideError(side, error) : error
      }
    }
    const wrapped: ObjectStore = {
      list: (prefix, options) => named(() => store.list(prefix, options)),
      head: (key) => named(() => store.head(key)),
      read: (key, range) => named(() => store.read(key, range)),
      write: (key, body, size, headers) => named(() => store.write(key, body, size, headers)),
      remove: (key) => named(() => store.remove(key)),
    }
    return wrapped
  }
  return { source: opener('source'), destination: opener('destination') }
}

function opened(side: Side, open: () => ObjectStore): ObjectStore {
  try {
    return open()
  } catch (error) {
    throw error instanceof BucketError ? new SideError(side, error) : error
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
  const settingsOf = async (side: Side) => {
    try {
      return await connectionSettings(env, { accountId, name: sides[side].connection })
    } catch (error) {
      throw error instanceof BucketError ? new SideError(side, error) : error
    }
  }
  const [source, destination] = [await settingsOf('source'), await settingsOf('destination')]
  return namingSides({
    source: (signal) => openConnection(env, source, signal),
    destination: (signal) => openConnection(env, destination, signal),
  })
}
