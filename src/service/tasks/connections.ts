/** Connections of an account: checked when they are saved, encrypted while they are stored, opened by name. */
import { BucketError, type ObjectStore } from '../buckets/object-store.ts'
import { type BucketSettings, bucketAddress } from '../buckets/settings.ts'
import { type Env, outgoingRules } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import { type ConnectionName, MAX_CONNECTIONS, type ShownConnection, type StoredConnection } from '../store/connections.ts'
import { decryptText, encryptText, requiredSecret } from '../store/password-encryption.ts'
import { ApiError } from './api-error.ts'
import { troubleFacts, troubleMessage } from './bucket-trouble.ts'
import { openConnection } from './open-connection.ts'
import { checkOutgoingUrl } from './outgoing-url.ts'

/** Longest time in milliseconds of the check of a new connection. */
const CHECK_MS = 20_000
/** Pause in milliseconds before the second and last try of the check. */
const CHECK_PAUSES_MS = [500]

/** Value that encryption is bound to, so that a record copied to another account or name cannot be decrypted. */
const contextOf = ({ accountId, name }: ConnectionName) => `connection/${accountId}/${name}`

/**
 * Lists one key of the bucket, and then stores the connection or replaces it. After an error, the stored one is unchanged.
 * @throws ApiError `unsafe_url`, `connection_failed` or `too_many_connections`
 */
export async function saveConnection(env: Env, owner: ConnectionName, settings: BucketSettings): Promise<StoredConnection> {
  const checked = checkOutgoingUrl(bucketAddress(settings), outgoingRules(env))
  if (!checked.ok)
    throw new ApiError('unsafe_url', apiMessage('field_unusable', { name: 'endpoint', why: checked.why }), { param: 'endpoint' })
  await checkBucket(env, settings)
  const { accountId, name } = owner
  const sealed = await encryptText(JSON.stringify(settings), requiredSecret(env.SECRET_KEY), contextOf(owner))
  const stored: StoredConnection = { name, shown: shownSettings(settings), sealed, savedAt: Date.now() }
  if (await env.ACCOUNTS.getByName(accountId).connections.put(stored)) return stored
  throw new ApiError('too_many_connections', apiMessage('too_many_connections', { limit: MAX_CONNECTIONS }), { limit: MAX_CONNECTIONS })
}

async function checkBucket(env: Env, settings: BucketSettings): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new BucketError('unreachable')), CHECK_MS)
  try {
    await openConnection(env, settings, late.signal, CHECK_PAUSES_MS).list('', { limit: 1 })
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    throw connectionFailed(error)
  } finally {
    clearTimeout(timer)
  }
}

function shownSettings(settings: BucketSettings): ShownConnection {
  if (settings.type === 'azure') {
    const { credential: _, ...shown } = settings
    return shown
  }
  const { secretAccessKey: _, accessKeyId, ...shown } = settings
  return { ...shown, accessKeyId: shortened(accessKeyId) }
}

/** First and last four characters of an id. A short id loses its end as well, so that most of it stays hidden. */
const shortened = (id: string) => (id.length < 16 ? `${id.slice(0, 4)}…` : `${id.slice(0, 4)}…${id.slice(-4)}`)

export const isConnection = async (env: Env, { accountId, name }: ConnectionName): Promise<boolean> =>
  (await env.ACCOUNTS.getByName(accountId).connections.find(name)) !== undefined

/**
 * Opens the bucket of a connection by its name.
 * @param signal ends all requests and transfers of the store
 * @throws BucketError `missing_connection`, `unreadable_credentials` or `unsafe_address`
 */
export const openNamedConnection = async (env: Env, owner: ConnectionName, signal: AbortSignal): Promise<ObjectStore> =>
  openConnection(env, await connectionSettings(env, owner), signal)

/**
 * Returns the settings of a connection, with its credentials.
 * @throws BucketError `missing_connection` or `unreadable_credentials`
 */
export async function connectionSettings(env: Env, owner: ConnectionName): Promise<BucketSettings> {
  const stored = await env.ACCOUNTS.getByName(owner.accountId).connections.find(owner.name)
  if (!stored) throw new BucketError('missing_connection')
  const secret = requiredSecret(env.SECRET_KEY)
  try {
    return JSON.parse(await decryptText(stored.sealed, secret, contextOf(owner))) as BucketSettings
  } catch {
    throw new BucketError('unreadable_credentials')
  }
}

/** Error of a request that needs a connection which cannot be used. */
export const connectionFailed = (error: BucketError): ApiError =>
  new ApiError('connection_failed', apiMessage('connection_failed', { why: troubleMessage(error) }), troubleFacts(error))

/** Error of a request that names a connection which does not exist. */
export const unknownConnection = (name: string): ApiError =>
  new ApiError('unknown_connection', apiMessage('no_such_connection', { name: name.slice(0, 64) }))
