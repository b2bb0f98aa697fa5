import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../src/env.ts'
import type {
  AccountFace,
  AccountRecord,
  ApplicationRecord,
  IdempotencyState,
  KeyChange,
  NewKey,
  OwnKeyChange,
  TaskEvent,
  UsageView,
  WantedKey,
} from '../src/store/accounts.ts'
import { consoleGate } from '../src/store/keys.ts'
import type { DeliveryRecord } from '../src/store/people.ts'
import { PLANS, type PlanId } from '../src/store/plans.ts'
import { ChallengeTable } from './challenge-table.ts'
import { KeyTable } from './key-table.ts'
import { PeopleTable } from './people-table.ts'

const DAY_MS = 86_400_000
const DELIVERIES_KEPT = 1000
/** Events are remembered this long, so that one told twice counts once. */
const EVENT_MEMORY_MS = 90 * DAY_MS
const IDEMPOTENCY_MS = DAY_MS
/** A request that was begun and never heard of again: its idempotency key and its codec are free by then. */
const IN_FLIGHT_MS = 15 * 60_000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tasks (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL UNIQUE, batch_id TEXT, position INTEGER,
    stored INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS tasks_by_batch ON tasks (batch_id, position) WHERE batch_id IS NOT NULL;
  CREATE TABLE IF NOT EXISTS events (task_id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (task_id, kind)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS events_by_time ON events (at);
  CREATE TABLE IF NOT EXISTS usage (
    day TEXT NOT NULL, format TEXT NOT NULL, completed INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    original INTEGER NOT NULL DEFAULT 0, compressed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (day, format)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS idempotency (
    scope TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, fingerprint TEXT, id TEXT, PRIMARY KEY (scope, key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS applications (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, environment TEXT NOT NULL, plan TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS deliveries (seq INTEGER PRIMARY KEY AUTOINCREMENT, delivery TEXT NOT NULL);
`

/** One customer: applications and keys, usage counted by idempotent events, the task index, storage, the webhook secret. */
export class Account extends DurableObject<Env> implements AccountFace {
  readonly #sql: SqlStorage
  readonly #challenges: ChallengeTable
  readonly #people: PeopleTable
  readonly #keys: KeyTable
  /** Room of uploads under way, by task. Only in memory: what an eviction forgets harms nobody. */
  readonly #admitted = new Map<string, { bytes: number; until: number }>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#sql = ctx.storage.sql
    this.#sql.exec(SCHEMA)
    this.#challenges = new ChallengeTable(this.#sql)
    this.#people = new PeopleTable(this.#sql, this.#challenges, () => this.#record()?.accountId ?? '')
    this.#keys = new KeyTable(this.#sql, env.KEY_GATES, () => this.#record())
  }

  get challenges() {
    return this.#challenges
  }

  get people() {
    return this.#people
  }

  async get() {
    const record = this.#record()
    return record && record.lowestLimit === undefined ? this.#spreadLimit() : record
  }

  async put(record: AccountRecord) {
    this.ctx.storage.kv.put('account', record)
  }

  async update(change: { plan?: PlanId | undefined; state?: 'active' | 'disabled' | undefined }) {
    const account = await this.get()
    if (!account) return
    const { plan = account.plan, state = account.state } = change
    await this.put({ ...account, plan, state })
    if (change.plan)
      for (const { application } of await this.applications()) await this.updateApplication(application.applicationId, { plan })
    await this.#keys.updateAll({ suspended: state === 'disabled' })
  }

  async admit(taskId: string, bytes: number) {
    const now = Date.now()
    let used = this.#stored()
    for (const [id, admission] of this.#admitted) {
      if (admission.until <= now) this.#admitted.delete(id)
      else used += admission.bytes
    }
    const quota = this.#quota()
    if (used + bytes > quota) return { ok: false as const, used, quota }
    this.#admitted.set(taskId, { bytes, until: now + IN_FLIGHT_MS })
    return { ok: true as const }
  }

  async giveBack(taskIds: readonly string[]) {
    for (const taskId of taskIds) this.#admitted.delete(taskId)
  }

  async tell(event: TaskEvent): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const known = [...this.#sql.exec('SELECT 1 FROM events WHERE task_id = ? AND kind = ?', event.taskId, event.kind)].length > 0
      if (known) return
      this.#sql.exec('INSERT INTO events (task_id, kind, at) VALUES (?, ?, ?)', event.taskId, event.kind, Date.now())
      this.#apply(event)
    })
  }

  #apply(event: TaskEvent) {
    switch (event.kind) {
      case 'created': {
        const { taskId, batchId, position, createdAt, size } = event
        this.#admitted.delete(taskId)
        // A task whose removal was told first must not come back.
        if ([...this.#sql.exec("SELECT 1 FROM events WHERE task_id = ? AND kind = 'removed'", taskId)].length > 0) return
        const columns = 'task_id, batch_id, position, stored, created_at'
        this.#sql.exec(`INSERT INTO tasks (${columns}) VALUES (?, ?, ?, ?, ?)`, taskId, batchId ?? null, position ?? null, size, createdAt)
        this.#sql.exec('DELETE FROM events WHERE at < ?', Date.now() - EVENT_MEMORY_MS)
        return
      }
      case 'completed': {
        const { taskId, at, format, originalSize, compressedSize } = event
        this.#sql.exec('UPDATE tasks SET stored = ? WHERE task_id = ?', compressedSize, taskId)
        this.#sql.exec(
          `INSERT INTO usage (day, format, completed, original, compressed) VALUES (?, ?, 1, ?, ?)
           ON CONFLICT DO UPDATE SET completed = completed + 1, original = original + excluded.original, compressed = compressed + excluded.compressed`,
          dayOf(at),
          format,
          originalSize,
          compressedSize,
        )
        return
      }
      case 'failed':
        this.#sql.exec('UPDATE tasks SET stored = 0 WHERE task_id = ?', event.taskId)
        this.#sql.exec(
          'INSERT INTO usage (day, format, failed) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET failed = failed + 1',
          dayOf(event.at),
          event.format,
        )
        return
      case 'removed':
        this.#sql.exec('DELETE FROM tasks WHERE task_id = ?', event.taskId)
    }
  }

  async usage(plan: PlanId, month = dayOf(Date.now()).slice(0, 7)): Promise<UsageView> {
    const view: UsageView = {
      month,
      plan,
      api_calls: 0,
      original_size: 0,
      compressed_size: 0,
      storage_used: this.#stored(),
      storage_quota: this.#quota(),
      tasks_completed: 0,
      tasks_failed: 0,
      by_format: {},
      by_day: [],
    }
    const days = new Map<string, UsageView['by_day'][number]>()
    const dayView = (day: string) => {
      const found = days.get(day) ?? { day, api_calls: 0, tasks: 0, original_size: 0, compressed_size: 0 }
      days.set(day, found)
      return found
    }
    type Row = { day: string; format: string; completed: number; failed: number; original: number; compressed: number }
    for (const row of this.#sql.exec<Row>('SELECT * FROM usage WHERE day LIKE ?', `${month}%`)) {
      const format = (view.by_format[row.format] ??= { tasks: 0, original_size: 0, compressed_size: 0 })
      for (const part of [format, dayView(row.day)]) {
        part.tasks += row.completed + row.failed
        part.original_size += row.original
        part.compressed_size += row.compressed
      }
      view.original_size += row.original
      view.compressed_size += row.compressed
      view.tasks_completed += row.completed
      view.tasks_failed += row.failed
    }
    const gates = [...this.#keys.hashes(), consoleGate(this.#record()?.accountId ?? '')]
    const calls = await Promise.all(gates.map((name) => this.env.KEY_GATES.getByName(name).calls(month)))
    for (const { total, byDay } of calls) {
      view.api_calls += total
      for (const [day, count] of Object.entries(byDay)) dayView(day).api_calls += count
    }
    view.by_day = [...days.values()].sort((a, b) => a.day.localeCompare(b.day))
    return view
  }

  async list(limit: number, cursor?: string) {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor)
    if (before === undefined) return undefined
    type Row = { seq: number; task_id: string }
    const rows = [...this.#sql.exec<Row>('SELECT seq, task_id FROM tasks WHERE seq < ? ORDER BY seq DESC LIMIT ?', before, limit + 1)]
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const more = rows.length > limit && last ? { nextCursor: encodeCursor(last.seq) } : {}
    return { ids: page.map((row) => row.task_id), ...more }
  }

  async batch(batchId: string) {
    const rows = [...this.#sql.exec<{ task_id: string }>('SELECT task_id FROM tasks WHERE batch_id = ? ORDER BY position', batchId)]
    return rows.length > 0 ? rows.map((row) => row.task_id) : undefined
  }

  async beginIdempotent(key: string, scope: string): Promise<IdempotencyState> {
    const now = Date.now()
    this.#sql.exec('DELETE FROM idempotency WHERE at < ? OR (id IS NULL AND at < ?)', now - IDEMPOTENCY_MS, now - IN_FLIGHT_MS)
    type Row = { fingerprint: string | null; id: string | null }
    const [row] = [...this.#sql.exec<Row>('SELECT fingerprint, id FROM idempotency WHERE scope = ? AND key = ?', scope, key)]
    if (row)
      return row.id !== null && row.fingerprint !== null
        ? { kind: 'done', fingerprint: row.fingerprint, id: row.id }
        : { kind: 'in_flight' }
    this.#sql.exec('INSERT INTO idempotency (scope, key, at) VALUES (?, ?, ?)', scope, key, now)
    return { kind: 'new' }
  }

  async finishIdempotent(key: string, scope: string, fingerprint: string, id: string) {
    this.#sql.exec('UPDATE idempotency SET fingerprint = ?, id = ? WHERE scope = ? AND key = ?', fingerprint, id, scope, key)
  }

  async abandonIdempotent(key: string, scope: string) {
    this.#sql.exec('DELETE FROM idempotency WHERE scope = ? AND key = ? AND id IS NULL', scope, key)
  }

  async webhookSecret() {
    const known = this.ctx.storage.kv.get<string>('webhookSecret')
    if (known) return known
    return this.rotateWebhookSecret()
  }

  async rotateWebhookSecret() {
    const secret = `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))}`
    this.ctx.storage.kv.put('webhookSecret', secret)
    return secret
  }

  async deliveries(limit: number) {
    const rows = this.#sql.exec<{ delivery: string }>('SELECT delivery FROM deliveries ORDER BY seq DESC LIMIT ?', limit)
    return [...rows].map((row) => JSON.parse(row.delivery) as DeliveryRecord)
  }

  async noteDelivery(delivery: DeliveryRecord) {
    this.#sql.exec('INSERT INTO deliveries (delivery) VALUES (?)', JSON.stringify(delivery))
    this.#sql.exec('DELETE FROM deliveries WHERE seq <= (SELECT MAX(seq) FROM deliveries) - ?', DELIVERIES_KEPT)
  }

  async createApplication(name: string, environment: string, plan?: PlanId): Promise<ApplicationRecord> {
    const applicationId = `app_${crypto.randomUUID().replaceAll('-', '')}`
    const application = { applicationId, name, environment, plan: plan ?? (await this.get())?.plan ?? 'free', createdAt: Date.now() }
    const values = [applicationId, name, environment, application.plan, application.createdAt]
    this.#sql.exec('INSERT INTO applications (id, name, environment, plan, created_at) VALUES (?, ?, ?, ?, ?)', ...values)
    return application
  }

  async updateApplication(applicationId: string, change: { name?: string; environment?: string; plan?: PlanId }) {
    const { name, environment, plan } = change
    const set = 'name = COALESCE(?, name), environment = COALESCE(?, environment), plan = COALESCE(?, plan)'
    const values = [name ?? null, environment ?? null, plan ?? null, applicationId]
    if (this.#sql.exec(`UPDATE applications SET ${set} WHERE id = ?`, ...values).rowsWritten === 0) return false
    if (plan) await this.#keys.updateAll({ plan }, applicationId)
    return true
  }

  async applications() {
    type Row = { id: string; name: string; environment: string; plan: PlanId; created_at: number }
    const rows = [...this.#sql.exec<Row>('SELECT * FROM applications ORDER BY created_at')]
    const applications = rows.map(({ id, created_at, ...rest }) => ({ applicationId: id, ...rest, createdAt: created_at }))
    return Promise.all(
      applications.map(async (application) => ({ application, keys: await this.#keys.ofApplication(application.applicationId) })),
    )
  }

  async createKey(applicationId: string, options: NewKey) {
    const made = await this.#keys.create(applicationId, options)
    if (options.requestsPerMinute !== undefined) await this.#spreadLimit()
    return made
  }

  async updateKey(keyId: string, change: KeyChange) {
    const known = await this.#keys.update(keyId, change)
    if (known && change.requestsPerMinute !== undefined) await this.#spreadLimit()
    return known
  }

  async createOwnKey(applicationId: string, wanted: WantedKey) {
    return this.#keys.createOwn(applicationId, wanted)
  }

  async updateOwnKey(keyId: string, change: OwnKeyChange) {
    return this.#keys.updateOwn(keyId, change)
  }

  async resetKey(keyId: string, graceMs: number) {
    return this.#keys.reset(keyId, graceMs)
  }

  async #spreadLimit(): Promise<AccountRecord | undefined> {
    const lowestLimit = await this.#keys.spreadLimit()
    const account = this.#record()
    if (account) await this.put({ ...account, lowestLimit })
    return this.#record()
  }

  #record() {
    return this.ctx.storage.kv.get<AccountRecord>('account')
  }

  #stored(): number {
    return this.#sql.exec<{ total: number }>('SELECT COALESCE(SUM(stored), 0) AS total FROM tasks').one().total
  }

  #quota(): number {
    const account = this.#record()
    return account?.storageBytes ?? PLANS[account?.plan ?? 'free'].storageBytes
  }
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const encodeCursor = (seq: number) => btoa(`seq:${seq}`).replaceAll('=', '')
function decodeCursor(cursor: string): number | undefined {
  try {
    const match = /^seq:(\d{1,15})$/.exec(atob(cursor))
    return match ? Number(match[1]) : undefined
  } catch {
    return undefined
  }
}
