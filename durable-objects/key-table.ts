import { minOf } from '../src/core/bytes/min-max.ts'
import type { Namespace } from '../src/service/env.ts'
import type {
  AccountRecord,
  CreatedKey,
  KeyChange,
  KeySummary,
  KeyView,
  NewKey,
  UserKeyChange,
  UserKeyOptions,
  UserKeyResult,
} from '../src/service/store/accounts.ts'
import { hashKey, makeKey, maskKey } from '../src/service/store/key-format.ts'
import { gateName, type KeyGateApi, type KeyRecord, type StoredWindow } from '../src/service/store/keys.ts'
import { PLANS, type PlanId } from '../src/service/store/plans.ts'
import { regionOf } from '../src/service/store/regions.ts'
import { isTestAccount } from '../src/service/store/test-accounts.ts'
import { migrate } from './schema.ts'

const MINUTE_MS = 60_000

const INITIAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, application_id TEXT NOT NULL, masked TEXT NOT NULL, hash TEXT NOT NULL, created_at INTEGER NOT NULL);
`
const ADD_NAMES = 'ALTER TABLE keys ADD COLUMN name TEXT'
/**
 * Column `removed_at`, in epoch milliseconds. Removed keys keep their row for usage statistics. Keys removed by releases without this
 * column stay `NULL`.
 */
const ADD_REMOVED_AT = 'ALTER TABLE keys ADD COLUMN removed_at INTEGER'
const NOT_REMOVED = 'removed_at IS NULL'

/**
 * API keys of an account: one SQLite row for each key; the rest is in the key's KeyGate object.
 * Users may change their keys only within their plan and the operator's limits. The operator may change everything.
 */
export class KeyTable {
  readonly #sql: SqlStorage
  readonly #gates: Namespace<KeyGateApi>
  readonly #account: () => AccountRecord | undefined
  #pending: Promise<unknown> = Promise.resolve()

  constructor(storage: DurableObjectStorage, gates: Namespace<KeyGateApi>, account: () => AccountRecord | undefined) {
    this.#sql = storage.sql
    this.#gates = gates
    this.#account = account
    migrate(storage, 'keys', [INITIAL_SCHEMA, ADD_NAMES, ADD_REMOVED_AT])
  }

  /**
   * Returns keys that may have been used in a month such as "2026-11", including removed keys, with the names of their KeyGate objects.
   */
  ofMonth(month: string): (KeySummary & { gate: string })[] {
    const region = regionOf(this.#account()?.accountId ?? '')
    const first = new Date(`${month}-01T00:00:00Z`)
    const end = new Date(first).setUTCMonth(first.getUTCMonth() + 1)
    const summaries = this.#summaries('created_at < ? AND (removed_at IS NULL OR removed_at >= ?)', end, first.getTime())
    return summaries.map((summary) => ({ ...summary, gate: gateName(summary.hash, region) }))
  }

  ofApplication(applicationId: string): Promise<KeyView[]> {
    return this.#read(this.#summaries(`application_id = ? AND ${NOT_REMOVED}`, applicationId))
  }

  all(): Promise<KeyView[]> {
    return this.#read(this.#summaries(NOT_REMOVED))
  }

  // ── Changes by the operator ────────────────────────────────────────────────────────────────────────────────────

  create(applicationId: string, options: NewKey): Promise<CreatedKey | undefined> {
    return this.#serialized(async () => (this.#planOf(applicationId) ? this.#createKey(applicationId, options) : undefined))
  }

  update(keyId: string, change: KeyChange): Promise<boolean> {
    return this.#serialized(async () => {
      const [known] = await this.#read(this.#summaries('id = ?', keyId))
      if (!known) return false
      const { state, requestsPerMinute, name, ...rest } = change
      this.#rename(keyId, name)
      const disabledBy = state === undefined ? {} : { state, disabledBy: state === 'disabled' ? ('operator' as const) : undefined }
      const limit = requestsPerMinute === undefined ? {} : { requestsPerMinute: requestsPerMinute ?? undefined, limitInherited: undefined }
      await this.#put(known, { ...rest, ...disabledBy, ...limit })
      return true
    })
  }

  /** Changes all keys of the account, or only the keys of `applicationId`. */
  updateAll(change: Pick<KeyRecord, 'suspended'> | Pick<KeyRecord, 'plan'>, applicationId?: string): Promise<void> {
    return this.#serialized(async () => {
      const keys = await (applicationId === undefined ? this.all() : this.ofApplication(applicationId))
      for (const key of keys) await this.#put(key, change)
    })
  }

  /**
   * Copies the lowest requests-per-minute limit that the operator set to all keys made by users. Returns that limit; `null`: the operator
   * set none.
   */
  spreadLimit(): Promise<number | null> {
    return this.#serialized(async () => {
      const keys = await this.all()
      const limit = this.#lowestLimit(keys)
      for (const key of keys) if (key.record.limitInherited) await this.#put(key, { requestsPerMinute: limit ?? undefined })
      return limit
    })
  }

  // ── Changes by users of the account ────────────────────────────────────────────────────────────────────────────

  createOwn(applicationId: string, wanted: UserKeyOptions): Promise<UserKeyResult> {
    return this.#serialized(async () => {
      const plan = this.#planOf(applicationId)
      if (!plan) return { kind: 'unknown' }
      const keys = await this.all()
      if (keys.filter(isInUse).length >= this.#maxKeys) return { kind: 'too_many', limit: this.#maxKeys }
      const limit = this.#lowestLimit(keys)
      const inherited = limit === null ? {} : { requestsPerMinute: limit, limitInherited: true }
      return createdOutcome(await this.#createKey(applicationId, { ...wanted, plan, ...inherited }))
    })
  }

  updateOwn(keyId: string, change: UserKeyChange): Promise<UserKeyResult> {
    return this.#serialized(async () => {
      const keys = await this.all()
      const known = keys.find(({ summary }) => summary.keyId === keyId)
      if (!known) return { kind: 'unknown' }
      const disabledByOperator = isDisabledByOperator(known.record)
      if (disabledByOperator && change.state === 'active') return { kind: 'operator_only' }
      const { state, name, ...rest } = change
      const disabledBy =
        state === undefined || disabledByOperator ? {} : { state, disabledBy: state === 'disabled' ? ('account' as const) : undefined }
      const after = withChanges(known.record, { ...rest, ...disabledBy })
      const others = keys.filter((key) => key !== known && isInUse(key))
      if (!isInUse(known) && isInUse({ ...known, record: after }) && others.length >= this.#maxKeys) {
        return { kind: 'too_many', limit: this.#maxKeys }
      }
      this.#rename(keyId, name)
      await this.#gate(known.summary).put(after)
      return { kind: 'changed' }
    })
  }

  /** Removes a key. Fails if the key is still active, or if the operator disabled it or set a limit for it. */
  remove(keyId: string): Promise<UserKeyResult> {
    return this.#serialized(async () => {
      const [known] = await this.#read(this.#summaries('id = ?', keyId))
      if (!known) return { kind: 'unknown' }
      const { requestsPerMinute, limitInherited } = known.record
      if (isDisabledByOperator(known.record) || (requestsPerMinute !== undefined && !limitInherited)) return { kind: 'operator_only' }
      if (isInUse(known)) return { kind: 'in_use' }
      await this.#gate(known.summary).forget()
      // A key that was never used has no usage to keep, so delete its row. Otherwise create-and-delete loops would fill the table.
      if (known.lastUsedAt === undefined) this.#sql.exec('DELETE FROM keys WHERE id = ?', keyId)
      else this.#sql.exec('UPDATE keys SET removed_at = ? WHERE id = ?', Date.now(), keyId)
      return { kind: 'removed' }
    })
  }

  reset(keyId: string, graceMs: number): Promise<UserKeyResult> {
    return this.#serialized(async () => {
      const keys = await this.all()
      const known = keys.find(({ summary }) => summary.keyId === keyId)
      if (!known) return { kind: 'unknown' }
      if (isDisabledByOperator(known.record)) return { kind: 'operator_only' }
      const now = Date.now()
      const { keyId: _, accountId, applicationId, disabledBy, suspended, state, ...rights } = known.record
      if (rights.expiresAt !== undefined && rights.expiresAt <= now) return { kind: 'expired' }
      const others = keys.filter((key) => key !== known && isInUse(key)).length
      // Without a grace period, the new key replaces the old one and continues its rate window.
      const old = state === 'active' ? graceMs > 0 : isInUse(known)
      const more = state === 'disabled' || graceMs > 0
      if (more && others + (old ? 1 : 0) >= this.#maxKeys) return { kind: 'too_many', limit: this.#maxKeys }
      const { name } = known.summary
      const fresh = await this.#createKey(
        applicationId,
        { ...rights, ...(name === undefined ? {} : { name }) },
        await this.#gate(known.summary).window(),
      )
      const endsAt = Math.min(now + graceMs, rights.expiresAt ?? Number.POSITIVE_INFINITY)
      if (state === 'active') await this.#put(known, graceMs > 0 ? { expiresAt: endsAt } : { state: 'disabled', disabledBy: 'account' })
      return createdOutcome(fresh)
    })
  }

  // ── Shared by operator and user changes ────────────────────────────────────────────────────────────────────────

  get #maxKeys(): number {
    return PLANS[this.#account()?.plan ?? 'free'].maxKeys
  }

  /** Runs changes of keys one after another, so that no key is added between counting the keys and creating one. */
  #serialized<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#pending.then(work)
    this.#pending = result.catch(() => undefined)
    return result
  }

  #planOf(applicationId: string): PlanId | undefined {
    return [...this.#sql.exec<{ plan: PlanId }>('SELECT plan FROM applications WHERE id = ?', applicationId)][0]?.plan
  }

  /** Restores keys from an account export, including their KeyGate objects. */
  adopt(keys: readonly Pick<KeyView, 'summary' | 'record'>[]): Promise<void> {
    return this.#serialized(async () => {
      for (const { summary, record } of keys) {
        this.#insert(summary)
        await this.#gate(summary, record.accountId).put(record)
      }
    })
  }

  #insert({ keyId, applicationId, masked, hash, createdAt, name = null }: Omit<KeySummary, 'name'> & { name?: string | null }): void {
    const columns = 'id, application_id, masked, hash, created_at, name'
    const values = [keyId, applicationId, masked, hash, createdAt, name]
    this.#sql.exec(`INSERT OR REPLACE INTO keys (${columns}) VALUES (?, ?, ?, ?, ?, ?)`, ...values)
  }

  /** Sets the display name of a key. `undefined`: keeps the name; empty: removes it. */
  #rename(keyId: string, name: string | undefined): void {
    if (name !== undefined) this.#sql.exec('UPDATE keys SET name = ? WHERE id = ?', name || null, keyId)
  }

  async #createKey(applicationId: string, options: NewKey, window?: StoredWindow): Promise<CreatedKey | undefined> {
    const account = this.#account()
    if (!account) return undefined
    const key = makeKey(regionOf(account.accountId), isTestAccount(account.accountId))
    const hash = await hashKey(key)
    const keyId = `key_${crypto.randomUUID().replaceAll('-', '')}`
    const { state = 'active', name, ...rest } = options
    const named = name === undefined ? {} : { name }
    const summary: KeySummary = { keyId, applicationId, masked: maskKey(key), hash, createdAt: Date.now(), ...named }
    this.#insert(summary)
    const disabledBy = state === 'disabled' ? { disabledBy: 'operator' as const } : {}
    const suspended = account.state === 'disabled' ? { suspended: true } : {}
    const record = { ...rest, keyId, accountId: account.accountId, applicationId, state, ...disabledBy, ...suspended }
    await this.#gate(summary).put(record, window)
    return { key, summary }
  }

  #lowestLimit(keys: readonly KeyView[]): number | null {
    const set = keys.flatMap(({ record }) =>
      record.requestsPerMinute === undefined || record.limitInherited ? [] : [record.requestsPerMinute],
    )
    const liveAccountLimit = this.#account()?.limitAbove ?? undefined
    const all = liveAccountLimit === undefined ? set : [...set, liveAccountLimit]
    return all.length > 0 ? minOf(all) : null
  }

  #put(key: KeyView, change: Changes): Promise<void> {
    return this.#gate(key.summary).put(withChanges(key.record, change))
  }

  #gate({ hash }: KeySummary, accountId = this.#account()?.accountId ?? ''): KeyGateApi {
    return this.#gates.getByName(gateName(hash, regionOf(accountId)))
  }

  async #read(summaries: readonly KeySummary[]): Promise<KeyView[]> {
    const found = await Promise.all(
      summaries.map(async (summary) => {
        const gate = await this.#gate(summary).get()
        return gate ? [{ summary, ...gate }] : []
      }),
    )
    return found.flat()
  }

  #summaries(where: string, ...values: (string | number)[]): KeySummary[] {
    type Row = { id: string; application_id: string; masked: string; hash: string; created_at: number; name: string | null }
    return [...this.#sql.exec<Row>(`SELECT * FROM keys WHERE ${where} ORDER BY created_at`, ...values)].map((row) => ({
      keyId: row.id,
      applicationId: row.application_id,
      masked: row.masked,
      hash: row.hash,
      createdAt: row.created_at,
      ...(row.name === null ? {} : { name: row.name }),
    }))
  }
}

/** Changes to a key record. `undefined` and `null` delete the field. */
type Changes = { readonly [Field in keyof KeyRecord]?: KeyRecord[Field] | undefined | null }

function withChanges(record: KeyRecord, change: Changes): KeyRecord {
  const all = Object.entries({ ...record, ...change })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== null)) as unknown as KeyRecord
}

const createdOutcome = (key: CreatedKey | undefined): UserKeyResult => (key ? { kind: 'made', ...key } : { kind: 'unknown' })

/** True if the operator disabled the key. Old records lack `disabledBy`; they count as disabled by the operator. */
const isDisabledByOperator = (record: KeyRecord) => record.state === 'disabled' && record.disabledBy !== 'account'

/**
 * True if the key counts towards the plan's maximum: it is active, or was used in the last 60 s. So replacing keys quickly gives no extra
 * requests.
 */
function isInUse({ record, lastUsedAt }: Pick<KeyView, 'record' | 'lastUsedAt'>): boolean {
  const now = Date.now()
  const works = record.state === 'active' && (record.expiresAt === undefined || record.expiresAt > now)
  return works || (lastUsedAt !== undefined && lastUsedAt > now - MINUTE_MS)
}
