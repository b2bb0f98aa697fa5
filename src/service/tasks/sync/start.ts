/** Checks the places of a new sync, and names the object that runs it. */
import { BucketError } from '../../buckets/object-store.ts'
import type { Env } from '../../env.ts'
import { hashKey } from '../../store/key-format.ts'
import type { SyncPlace } from '../../store/syncs.ts'
import { invalidParameter } from '../api-error.ts'
import { connectionFailed, connectionSettings, unknownConnection } from '../connections.ts'
import { overlap } from './places.ts'

interface Places {
  readonly source: SyncPlace
  readonly destination: SyncPlace
}

/**
 * @throws ApiError `unknown_connection`, or `invalid_parameter` if results would be sources again
 */
export async function checkPlaces(env: Env, accountId: string, { source, destination }: Places): Promise<void> {
  const settingsOf = async ({ connection: name }: SyncPlace) => {
    try {
      return await connectionSettings(env, { accountId, name })
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      throw error.trouble === 'missing_connection' ? unknownConnection(name) : connectionFailed(error)
    }
  }
  const [from, to] = [await settingsOf(source), await settingsOf(destination)]
  if (overlap({ settings: from, prefix: source.prefix }, { settings: to, prefix: destination.prefix }))
    throw invalidParameter('destination', 'sync_places_overlap')
}

/** Name of the SyncRecord of an account for two places: what one sync has written is known to the next. */
export async function recordName(accountId: string, { source, destination }: Places): Promise<string> {
  const places = [source.connection, source.prefix, destination.connection, destination.prefix]
  return `${await hashKey(JSON.stringify(places))}/${accountId}`
}
