import { RpcTarget } from 'cloudflare:workers'
import type { AccountRecord } from '../src/service/store/accounts.ts'
import { PLANS } from '../src/service/store/plans.ts'
import { MAX_LISTED_SYNCS, type SyncAddress, type SyncsApi } from '../src/service/store/syncs.ts'
import { migrate } from './schema.ts'
import { Shares } from './shares.ts'

const INITIAL_SCHEMA = `
  CREATE TABLE syncs (seq INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
`
/** Time in milliseconds after which a sync that has not asked for its share again no longer counts. Longer than one of its runs. */
const SHARE_MS = 120_000

/** Syncs of an account, in the SQLite storage of its object. The table exists only for accounts that have had a sync. */
export class SyncList extends RpcTarget implements SyncsApi {
  readonly #storage: DurableObjectStorage
  readonly #account: () => AccountRecord | undefined
  readonly #isAboveCpuQuota: () => boolean
  readonly #shares = new Shares(SHARE_MS)

  constructor(storage: DurableObjectStorage, account: () => AccountRecord | undefined, isAboveCpuQuota: () => boolean) {
    super()
    this.#storage = storage
    this.#account = account
    this.#isAboveCpuQuota = isAboveCpuQuota
  }

  get #sql(): SqlStorage {
    migrate(this.#storage, 'syncs', [INITIAL_SCHEMA])
    return this.#storage.sql
  }

  async add({ syncId, name }: SyncAddress) {
    this.#sql.exec('INSERT INTO syncs (sync_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING', syncId, name)
    this.#sql.exec('DELETE FROM syncs WHERE seq <= (SELECT MAX(seq) FROM syncs) - ?', MAX_LISTED_SYNCS)
  }

  async remove(syncId: string) {
    this.#sql.exec('DELETE FROM syncs WHERE sync_id = ?', syncId)
  }

  async find(syncId: string) {
    const [row] = this.#sql.exec<{ name: string }>('SELECT name FROM syncs WHERE sync_id = ?', syncId)
    return row && { syncId, name: row.name }
  }

  async list(limit: number, cursor?: string) {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined
    if (before === undefined) return undefined
    type Row = { seq: number; sync_id: string; name: string }
    const query = 'SELECT seq, sync_id, name FROM syncs WHERE seq < ? ORDER BY seq DESC LIMIT ?'
    const rows = [...this.#sql.exec<Row>(query, before, limit + 1)]
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const syncs = page.map(({ sync_id: syncId, name }) => ({ syncId, name }))
    return { syncs, ...(rows.length > limit && last ? { nextCursor: String(last.seq) } : {}) }
  }

  async tasksAtOnce(name: string) {
    const { plan = 'free', state } = this.#account() ?? {}
    if (state === 'disabled') return 0
    return this.#isAboveCpuQuota() ? 1 : this.#shares.of(name, PLANS[plan].maxQueuedTasks)
  }
}
