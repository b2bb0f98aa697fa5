import { DurableObject } from 'cloudflare:workers'
import { latin1Of } from '../src/core/bytes/latin1.ts'
import type { Env } from '../src/service/env.ts'
import type {
  AccountApi,
  AccountChange,
  AccountRecord,
  ApplicationRecord,
  ExportedAccount,
  IdempotencyState,
  KeyCalls,
  KeyChange,
  NewKey,
  QueuePlace,
  TaskEvent,
  UsageView,
  UserKeyChange,
  UserKeyOptions,
  UserKeyResult,
} from '../src/service/store/accounts.ts'
import type { Action } from '../src/service/store/audit.ts'
import type { DeliveryRecord } from '../src/service/store/people.ts'
import { PLANS, type PlanId } from '../src/service/store/plans.ts'
import { withRegionBindings } from '../src/service/store/region-bindings.ts'
import { isTestAccount, testAccountOf } from '../src/service/store/test-accounts.ts'
import { egressSender } from '../src/service/tasks/egress.ts'
import { ApplicationTable } from './application-table.ts'
import { AuditTable } from './audit-table.ts'
import { ChallengeTable } from './challenge-table.ts'
import { ConnectionTable } from './connection-table.ts'
import { DeliveryTable } from './delivery-table.ts'
import { IdempotencyTable, IN_FLIGHT_MS } from './idempotency-table.ts'
import { KeyTable } from './key-table.ts'
import { PeopleTable } from './people-table.ts'
import { Pictures } from './pictures.ts'
import { PresetTable } from './preset-table.ts'
import { callQueued, QueuePlaces } from './queue-places.ts'
import { restoreObject } from './restore.ts'
import { Shares } from './shares.ts'
import { StorageAlerts } from './storage-alerts.ts'
import { StorageQuota } from './storage-quota.ts'
import { StreamPlaces } from './stream-places.ts'
import { SyncList } from './sync-list.ts'
import { dayOf, TaskIndex } from './task-index.ts'
import { callsByKey, usageOf } from './usage-view.ts'

/** Tasks in the queues of an account above its CPU quota. */
const QUEUED_ABOVE_QUOTA = 1

/** Current month such as "2026-11" (UTC). */
const thisMonth = () => dayOf(Date.now()).slice(0, 7)

/** Durable Object of one customer account: applications, API keys, usage, task index, storage quota, webhook secret. */
export class Account extends DurableObject<Env> implements AccountApi {
  readonly #challenges: ChallengeTable
  readonly #people: PeopleTable
  readonly #keys: KeyTable
  readonly #tasks: TaskIndex
  readonly #idempotency: IdempotencyTable
  readonly #quota: StorageQuota
  readonly #applications: ApplicationTable
  readonly #audit: AuditTable
  readonly #deliveries: DeliveryTable
  readonly #alerts: StorageAlerts
  readonly #places: QueuePlaces
  readonly #connections: ConnectionTable
  readonly #pictures: Pictures
  readonly #presets: PresetTable
  readonly #syncs: SyncList
  /** Event streams that are open now. */
  readonly #streams = new StreamPlaces()
  /** Parallel parts: shares of tasks that recently asked. */
  readonly #splitTasks = new Shares(IN_FLIGHT_MS)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withRegionBindings(env))
    this.#applications = new ApplicationTable(ctx.storage)
    this.#tasks = new TaskIndex(ctx.storage)
    this.#places = new QueuePlaces(ctx.storage.sql)
    this.#connections = new ConnectionTable(ctx.storage.kv)
    this.#pictures = new Pictures(ctx.storage, () => this.#record())
    this.#presets = new PresetTable(ctx.storage.kv)
    this.#syncs = new SyncList(
      ctx.storage,
      () => this.#record(),
      () => this.#isAboveCpuQuota(),
    )
    this.#idempotency = new IdempotencyTable(ctx.storage)
    this.#quota = new StorageQuota(ctx.storage, this.#tasks, () => this.#record())
    this.#audit = new AuditTable(ctx.storage)
    this.#deliveries = new DeliveryTable(ctx.storage)
    this.#alerts = new StorageAlerts(ctx.storage)
    this.#challenges = new ChallengeTable(ctx.storage.sql)
    this.#people = new PeopleTable(ctx.storage, this.#challenges, () => this.#record()?.accountId ?? '')
    this.#keys = new KeyTable(ctx.storage, this.env.KEY_GATES, () => this.#record())
  }

  get challenges() {
    return this.#challenges
  }

  get people() {
    return this.#people
  }

  get pictures() {
    return this.#pictures
  }

  get streams() {
    return this.#streams
  }

  get connections() {
    return this.#connections
  }

  get presets() {
    return this.#presets
  }

  get syncs() {
    return this.#syncs
  }

  async waitingPlaces(taskIds: readonly string[]) {
    return this.#places.waiting(taskIds)
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

  async admit(taskId: string, bytes: number, objects = 1) {
    const refusal = this.#refusal(bytes, objects)
    if (refusal) return refusal
    this.#quota.admit(taskId, bytes, objects)
    return { ok: true as const }
  }

  async reserve(taskId: string, bytes: number, until: number) {
    if (this.#quota.isReserved(taskId)) return { ok: true as const }
    const refusal = this.#refusal(bytes, 1)
    if (refusal) return refusal
    this.#quota.reserve(taskId, bytes, until)
    return { ok: true as const }
  }

  async release(taskId: string) {
    this.#quota.release(taskId)
  }

  /** Checks the storage quota for `bytes` in `objects` more tasks or uploads, and returns the refusal. `undefined`: they fit. */
  #refusal(bytes: number, objects: number) {
    const refusal = this.#quota.check(bytes, objects)
    if (refusal) this.#alerts.check(() => this.#quota.usage(), true)
    return refusal
  }

  async giveBack(taskIds: readonly string[]) {
    this.#quota.releaseAdmissions(taskIds)
  }

  async partsAtOnce(taskId: string) {
    return this.#splitTasks.of(taskId, this.#plan().maxPartsAtOnce)
  }

  async queuePlace(taskId: string): Promise<QueuePlace> {
    const low = this.#isAboveCpuQuota()
    return { granted: this.#places.request(taskId, this.#maxQueuedTasks(low), Date.now()), low }
  }

  #isAboveCpuQuota(): boolean {
    const { cpuSeconds } = this.#plan()
    return cpuSeconds !== null && this.#tasks.cpuMs(thisMonth()) >= cpuSeconds * 1000
  }

  /** The pool of a service on one machine takes turns by account itself, so there all tasks have a place. */
  #maxQueuedTasks(low: boolean): number {
    if (this.env.ENVIRONMENT === 'local') return Number.MAX_SAFE_INTEGER
    return low ? QUEUED_ABOVE_QUOTA : this.#plan().maxQueuedTasks
  }

  /** Gives free places in the queues to waiting tasks. If a call fails, the task asks again by its own alarm. */
  #grantPlaces(): void {
    for (const taskId of this.#places.grant(this.#maxQueuedTasks(this.#isAboveCpuQuota()), Date.now()))
      this.ctx.waitUntil(callQueued(this.env.TASKS.getByName(taskId), taskId))
  }

  #plan() {
    return PLANS[this.#record()?.plan ?? 'free']
  }

  async tell(input: TaskEvent | readonly TaskEvent[]): Promise<void> {
    const events = 'kind' in input ? [input] : input
    this.#tasks.apply(events)
    for (const { kind, taskId } of events) {
      if (kind === 'created' || kind === 'sized') this.#quota.handOver(taskId)
      else this.#splitTasks.end(taskId)
    }
    if (events.some(({ kind }) => kind !== 'created' && kind !== 'sized')) this.#grantPlaces()
    this.#alerts.check(() => this.#quota.usage())
  }

  async usage(plan: PlanId, month = thisMonth()): Promise<UsageView> {
    const accountId = this.#record()?.accountId ?? ''
    return {
      month,
      plan,
      ...(isTestAccount(accountId) ? { test: true as const } : {}),
      storage_used: this.#quota.usedBytes(),
      storage_quota: this.#quota.quota(),
      cpu_seconds_quota: this.#plan().cpuSeconds,
      ...(await usageOf(this.#usageSources(), month)),
    }
  }

  async costs() {
    return this.#tasks.costs()
  }

  #usageSources() {
    return { accountId: this.#record()?.accountId ?? '', tasks: this.#tasks, keys: this.#keys, gates: this.env.KEY_GATES }
  }

  async list(limit: number, cursor?: string) {
    return this.#tasks.list(limit, cursor)
  }

  async batch(batchId: string) {
    const taskIds = this.#tasks.batch(batchId)
    return taskIds.length > 0 ? taskIds : undefined
  }

  async beginIdempotent(key: string, scope: string, requestId: string): Promise<IdempotencyState> {
    return this.#idempotency.begin(key, scope, requestId)
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
    this.#alerts.check(() => this.#quota.usage())
  }

  /** Sends due storage alerts. Nothing else in this object uses the alarm. */
  override async alarm(): Promise<void> {
    const secret = await this.webhookSecret()
    await this.#alerts.send({ send: egressSender(this.env.EGRESS), secret, note: (delivery) => this.noteDelivery(delivery) })
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
    return this.#applications.create(name, environment, plan ?? (await this.get())?.plan ?? 'free')
  }

  async updateApplication(applicationId: string, change: { name?: string; environment?: string; plan?: PlanId }) {
    if (!this.#applications.update(applicationId, change)) return false
    if (change.plan) await this.#keys.updateAll({ plan: change.plan }, applicationId)
    return true
  }

  async applications() {
    return Promise.all(
      this.#applications.all().map(async (application) => ({
        application,
        keys: await this.#keys.ofApplication(application.applicationId),
      })),
    )
  }

  async createKey(applicationId: string, options: NewKey) {
    const created = await this.#keys.create(applicationId, options)
    if (options.requestsPerMinute !== undefined) await this.#spreadLimit()
    return created
  }

  async updateKey(keyId: string, change: KeyChange) {
    const known = await this.#keys.update(keyId, change)
    if (known && change.requestsPerMinute !== undefined) await this.#spreadLimit()
    return known
  }

  async createOwnKey(applicationId: string, wanted: UserKeyOptions) {
    return this.#keys.createOwn(applicationId, wanted)
  }

  async updateOwnKey(keyId: string, change: UserKeyChange) {
    return this.#keys.updateOwn(keyId, change)
  }

  async resetKey(keyId: string, graceMs: number) {
    return this.#keys.reset(keyId, graceMs)
  }

  async removeKey(keyId: string) {
    return this.#keys.remove(keyId)
  }

  async removeApplication(applicationId: string): Promise<UserKeyResult> {
    if ((await this.#keys.ofApplication(applicationId)).length > 0) return { kind: 'in_use' }
    return { kind: this.#applications.remove(applicationId) ? 'removed' : 'unknown' }
  }

  async callsByKey(month: string): Promise<KeyCalls[]> {
    return callsByKey(this.#usageSources(), this.#applications.all(), month)
  }

  async exported(): Promise<ExportedAccount | undefined> {
    const account = await this.get()
    if (!account) return undefined
    const applications = this.#applications.all()
    const keys = (await this.#keys.all()).map(({ summary, record }) => ({ summary, record }))
    return { account, applications, keys, usage: this.#tasks.allUsage() }
  }

  async adopt({ account, applications, keys, usage }: ExportedAccount): Promise<boolean> {
    if (this.#record()) return false
    this.ctx.storage.transactionSync(() => {
      for (const application of applications) this.#applications.put(application)
      this.#tasks.adoptUsage(usage)
    })
    await this.#keys.adopt(keys)
    await this.put(account)
    return true
  }

  async restore(to: { at: number } | { bookmark: string }): Promise<string | undefined> {
    return restoreObject(this.ctx, to)
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
}
