import { DurableObject } from 'cloudflare:workers'
import { latin1Of } from '../src/bytes/latin1.ts'
import type { Env } from '../src/env.ts'
import type {
  AccountChange,
  AccountFace,
  AccountRecord,
  ApplicationRecord,
  CallsOfKey,
  ExportedAccount,
  IdempotencyState,
  KeyChange,
  NewKey,
  OwnKeyChange,
  OwnKeyOutcome,
  TaskEvent,
  UsageView,
  WantedKey,
} from '../src/store/accounts.ts'
import type { Action } from '../src/store/audit.ts'
import { consoleGate } from '../src/store/keys.ts'
import type { DeliveryRecord } from '../src/store/people.ts'
import { placed } from '../src/store/place.ts'
import { PLANS, type PlanId } from '../src/store/plans.ts'
import { isTestAccount, testAccountOf } from '../src/store/test-accounts.ts'
import { sendThrough } from '../src/tasks/egress.ts'
import { AuditTable } from './audit-table.ts'
import { ChallengeTable } from './challenge-table.ts'
import { DeliveryTable } from './delivery-table.ts'
import { IdempotencyTable, IN_FLIGHT_MS } from './idempotency-table.ts'
import { KeyTable } from './key-table.ts'
import { PeopleTable } from './people-table.ts'
import { ReservationTable } from './reservation-table.ts'
import { migrate } from './schema.ts'
import { StorageAlerts } from './storage-alerts.ts'
import { dayOf, TaskIndex } from './task-index.ts'

/** An answer is on its way within. */
const ANSWER_MS = 200

const FIRST = `
  CREATE TABLE IF NOT EXISTS applications (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, environment TEXT NOT NULL, plan TEXT NOT NULL, created_at INTEGER NOT NULL);
`

/** One customer: applications and keys, what was used, the task index, storage, the webhook secret. */
export class Account extends DurableObject<Env> implements AccountFace {
  readonly #sql: SqlStorage
  readonly #challenges: ChallengeTable
  readonly #people: PeopleTable
  readonly #keys: KeyTable
  readonly #tasks: TaskIndex
  readonly #idempotency: IdempotencyTable
  readonly #reservations: ReservationTable
  readonly #audit: AuditTable
  readonly #deliveries: DeliveryTable
  readonly #alerts: StorageAlerts
  /** Room of uploads under way, by task. Only in memory: what an eviction forgets harms nobody. */
  readonly #admitted = new Map<string, { bytes: number; until: number }>()

  /** When tasks that were split last asked how many parts they may have. Who is silent has none. */
  readonly #split = new Map<string, number>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, placed(env))
    this.#sql = ctx.storage.sql
    migrate(ctx.storage, 'account', [FIRST])
    this.#tasks = new TaskIndex(ctx.storage)
    this.#idempotency = new IdempotencyTable(ctx.storage)
    this.#reservations = new ReservationTable(ctx.storage)
    this.#audit = new AuditTable(ctx.storage)
    this.#deliveries = new DeliveryTable(ctx.storage)
    this.#alerts = new StorageAlerts(ctx.storage)
    this.#challenges = new ChallengeTable(this.#sql)
    this.#people = new PeopleTable(ctx.storage, this.#challenges, () => this.#record()?.accountId ?? '')
    this.#keys = new KeyTable(ctx.storage, this.env.KEY_GATES, () => this.#record())
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

  async update(change: AccountChange) {
    const account = await this.get()
    if (!account) return
    const { plan = account.plan, state = account.state, limitAbove = account.limitAbove ?? null } = change
    await this.put({ ...account, plan, state, limitAbove })
    if (change.limitAbove !== undefined) await this.#spreadLimit()
    if (change.plan)
      for (const { application } of await this.applications()) await this.updateApplication(application.applicationId, { plan })
    await this.#keys.updateAll({ suspended: state === 'disabled' })
  }

  async admit(taskId: string, bytes: number) {
    const refusal = this.#refusal(bytes)
    if (refusal) return refusal
    this.#admitted.set(taskId, { bytes, until: Date.now() + IN_FLIGHT_MS })
    return { ok: true as const }
  }

  async reserve(taskId: string, bytes: number, until: number) {
    if (this.#reservations.has(taskId)) return { ok: true as const }
    const refusal = this.#refusal(bytes)
    if (refusal) return refusal
    this.#reservations.add(taskId, bytes, until)
    return { ok: true as const }
  }

  async release(taskId: string) {
    this.#reservations.remove(taskId)
  }

  /** undefined: there is room for `bytes` more. */
  #refusal(bytes: number) {
    const now = Date.now()
    let used = this.#stored()
    for (const [id, admission] of this.#admitted) {
      if (admission.until <= now) this.#admitted.delete(id)
      else used += admission.bytes
    }
    const quota = this.#quota()
    if (used + bytes <= quota) return undefined
    this.#alerts.look(() => this.#filling(), true)
    return { ok: false as const, used, quota }
  }

  async giveBack(taskIds: readonly string[]) {
    for (const taskId of taskIds) this.#admitted.delete(taskId)
  }

  async partsAtOnce(taskId: string) {
    const now = Date.now()
    this.#split.set(taskId, now)
    for (const [other, askedAt] of this.#split) if (askedAt <= now - IN_FLIGHT_MS) this.#split.delete(other)
    const most = PLANS[this.#record()?.plan ?? 'free'].maxPartsAtOnce
    return Math.max(1, Math.floor(most / this.#split.size))
  }

  async tell(told: TaskEvent | readonly TaskEvent[]): Promise<void> {
    const events = 'kind' in told ? [told] : told
    this.#tasks.tell(events)
    for (const { kind, taskId } of events) {
      if (kind === 'created') {
        this.#admitted.delete(taskId)
        this.#reservations.remove(taskId)
      } else this.#split.delete(taskId)
    }
    this.#alerts.look(() => this.#filling())
  }

  async usage(plan: PlanId, month = dayOf(Date.now()).slice(0, 7)): Promise<UsageView> {
    const view: UsageView = {
      month,
      plan,
      ...(isTestAccount(this.#record()?.accountId ?? '') ? { test: true as const } : {}),
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
    for (const row of this.#tasks.usage(month)) {
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
    const gates = [...this.#keys.ofMonth(month).map(({ gate }) => gate), consoleGate(this.#record()?.accountId ?? '')]
    const calls = await Promise.all(gates.map((name) => this.env.KEY_GATES.getByName(name).calls(month)))
    for (const { total, byDay } of calls) {
      view.api_calls += total
      for (const [day, count] of Object.entries(byDay)) dayView(day).api_calls += count
    }
    view.by_day = [...days.values()].sort((a, b) => a.day.localeCompare(b.day))
    return view
  }

  async list(limit: number, cursor?: string) {
    return this.#tasks.list(limit, cursor)
  }

  async batch(batchId: string) {
    const taskIds = this.#tasks.batch(batchId)
    return taskIds.length > 0 ? taskIds : undefined
  }

  async beginIdempotent(key: string, scope: string, asker: string): Promise<IdempotencyState> {
    return this.#idempotency.begin(key, scope, asker)
  }

  async finishIdempotent(key: string, scope: string, fingerprint: string, id: string) {
    this.#idempotency.finish(key, scope, fingerprint, id)
  }

  async abandonIdempotent(key: string, scope: string) {
    this.#idempotency.abandon(key, scope)
  }

  async webhookSecret() {
    const known = this.ctx.storage.kv.get<string>('webhookSecret')
    if (known) return known
    return this.rotateWebhookSecret()
  }

  async rotateWebhookSecret() {
    const secret = `whsec_${btoa(latin1Of(crypto.getRandomValues(new Uint8Array(24))))}`
    this.ctx.storage.kv.put('webhookSecret', secret)
    return secret
  }

  async deliveries(limit: number) {
    return this.#deliveries.list(limit)
  }

  async alertUrl() {
    return this.#alerts.url
  }

  async setAlertUrl(url: string | undefined) {
    this.#alerts.set(url)
    this.#alerts.look(() => this.#filling())
  }

  /** Only alerts have one. */
  override async alarm(): Promise<void> {
    const secret = await this.webhookSecret()
    await this.#alerts.send({ send: sendThrough(this.env.EGRESS), secret, note: (delivery) => this.noteDelivery(delivery) })
  }

  async noteDelivery(delivery: DeliveryRecord) {
    this.#deliveries.note(delivery)
  }

  async noteAction(action: Action) {
    this.#audit.note(action)
  }

  async actions(limit: number, before?: number) {
    return this.#audit.page(limit, before)
  }

  async createApplication(name: string, environment: string, plan?: PlanId): Promise<ApplicationRecord> {
    const applicationId = `app_${crypto.randomUUID().replaceAll('-', '')}`
    const application = { applicationId, name, environment, plan: plan ?? (await this.get())?.plan ?? 'free', createdAt: Date.now() }
    this.#insert([applicationId, name, environment, application.plan, application.createdAt])
    return application
  }

  #insert(application: readonly (string | number)[]) {
    this.#sql.exec('INSERT OR REPLACE INTO applications (id, name, environment, plan, created_at) VALUES (?, ?, ?, ?, ?)', ...application)
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

  async removeKey(keyId: string) {
    return this.#keys.remove(keyId)
  }

  async removeApplication(applicationId: string): Promise<OwnKeyOutcome> {
    if ((await this.#keys.ofApplication(applicationId)).length > 0) return { kind: 'in_use' }
    const gone = [...this.#sql.exec('DELETE FROM applications WHERE id = ? RETURNING 1', applicationId)]
    return { kind: gone.length > 0 ? 'removed' : 'unknown' }
  }

  async callsByKey(month: string): Promise<CallsOfKey[]> {
    const rows = [...this.#sql.exec<{ id: string; name: string }>('SELECT id, name FROM applications')]
    const applications = new Map(rows.map(({ id, name }) => [id, name]))
    const callsOf = async (gate: string) => (await this.env.KEY_GATES.getByName(gate).calls(month)).total
    const ofKeys = this.#keys.ofMonth(month).map(async ({ keyId, masked, name, applicationId, gate }): Promise<CallsOfKey> => {
      const application = applications.get(applicationId)
      const key = { keyId, masked, ...(name === undefined ? {} : { name }) }
      return { key, ...(application === undefined ? {} : { application }), calls: await callsOf(gate) }
    })
    const ofConsole = callsOf(consoleGate(this.#record()?.accountId ?? '')).then((calls): CallsOfKey => ({ calls }))
    return (await Promise.all([...ofKeys, ofConsole])).filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls)
  }

  async exported(): Promise<ExportedAccount | undefined> {
    const account = await this.get()
    if (!account) return undefined
    const applications = (await this.applications()).map(({ application }) => application)
    const keys = (await this.#keys.all()).map(({ summary, record }) => ({ summary, record }))
    return { account, applications, keys, usage: this.#tasks.allUsage() }
  }

  async adopt({ account, applications, keys, usage }: ExportedAccount): Promise<boolean> {
    if (this.#record()) return false
    this.ctx.storage.transactionSync(() => {
      for (const { applicationId, name, environment, plan, createdAt } of applications)
        this.#insert([applicationId, name, environment, plan, createdAt])
      this.#tasks.adoptUsage(usage)
    })
    await this.#keys.adopt(keys)
    await this.put(account)
    return true
  }

  async restore(to: { at: number } | { bookmark: string }): Promise<string | undefined> {
    const { storage } = this.ctx
    try {
      const bookmark = 'bookmark' in to ? to.bookmark : await storage.getBookmarkForTime(to.at)
      const undo = await storage.onNextSessionRestoreBookmark(bookmark)
      // The next session begins when this one has ended, and the answer goes before.
      setTimeout(() => this.ctx.abort('the account is restored'), ANSWER_MS)
      return undo
    } catch (error) {
      if (/point-in-time recovery/i.test(String(error))) return undefined
      throw error
    }
  }

  async #spreadLimit(): Promise<AccountRecord | undefined> {
    const lowestLimit = await this.#keys.spreadLimit()
    const account = this.#record()
    if (!account) return undefined
    await this.put({ ...account, lowestLimit })
    if (!isTestAccount(account.accountId))
      await this.env.ACCOUNTS.getByName(testAccountOf(account.accountId)).update({ limitAbove: lowestLimit })
    return this.#record()
  }

  #record() {
    return this.ctx.storage.kv.get<AccountRecord>('account')
  }

  /** Of tasks, and of uploads that are not finished. */
  #stored(): number {
    return this.#tasks.stored() + this.#reservations.sum()
  }

  #filling() {
    return { plan: this.#record()?.plan ?? 'free', used: this.#stored(), quota: this.#quota() }
  }

  #quota(): number {
    const account = this.#record()
    return account?.storageBytes ?? PLANS[account?.plan ?? 'free'].storageBytes
  }
}
