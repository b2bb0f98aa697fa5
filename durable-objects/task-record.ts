import { DurableObject } from 'cloudflare:workers'
import type { StoredMessage } from '../src/core/i18n/message.ts'
import type { PartPlan, PartReceipt } from '../src/core/model/segmented.ts'
import type { Env } from '../src/service/env.ts'
import { uploadKeyOf } from '../src/service/store/blob-names.ts'
import type { Destination } from '../src/service/store/destinations.ts'
import { countTask } from '../src/service/store/metrics.ts'
import { withRegionBindings } from '../src/service/store/region-bindings.ts'
import type { NewTask, StoredResult, Task, TaskError } from '../src/service/store/task.ts'
import type { Claim, ClaimingWorker, FailureCause, JobMessage, NewLink, TaskRecordApi } from '../src/service/store/tasks.ts'
import { attemptsOf, newStep } from '../src/service/tasks/job.ts'
import { ContainerLane } from './task/container-lane.ts'
import { LeaseProtocol } from './task/lease-protocol.ts'
import { LinkTable } from './task/link-table.ts'
import { Outbox } from './task/outbox.ts'
import { RestingObjects } from './task/resting-objects.ts'
import { destinationFields, ResultSender } from './task/result-sender.ts'
import { SealedText } from './task/sealed-text.ts'
import { SourceFetcher } from './task/source-fetcher.ts'
import { StepWatch } from './task/step-watch.ts'
import { removeBlobs } from './task/task-blobs.ts'
import { hasEnded, RETRY_PAUSE_MS, type TaskEnd, TaskState } from './task/task-state.ts'
import { WaitList } from './task/waiting.ts'

const DEFAULT_LEASE_MS = 90_000
/** Delay, in milliseconds, after which an overdue alarm counts as lost. */
const LOST_ALARM_MS = 60_000
/** Objects of ended tasks in this isolate. */
const resting = new RestingObjects()

/**
 * Durable Object of one task: its state, the fetch of its source, the delivery of its result, the lease of its worker, its parts, its outbox (account events and callback) and its end.
 * Every method is idempotent. The alarm repairs what was lost: queue messages, workers, account events and callbacks.
 */
export class TaskRecord extends DurableObject<Env> implements TaskRecordApi {
  readonly #state: TaskState
  readonly #outbox: Outbox
  readonly #password: SealedText
  readonly #stepWatch: StepWatch
  readonly #leases: LeaseProtocol
  readonly #leaseMs: number
  readonly #links: LinkTable
  readonly #destination: SealedText
  readonly #fetcher: SourceFetcher
  readonly #sender: ResultSender
  readonly #waiters = new WaitList()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withRegionBindings(env))
    const leaseMs = Number(env.LEASE_MS ?? DEFAULT_LEASE_MS)
    this.#leaseMs = leaseMs
    const state = new TaskState(ctx.storage)
    const containers = new ContainerLane(state, this.env)
    this.#state = state
    this.#outbox = new Outbox(state, this.env)
    this.#links = new LinkTable(ctx.storage.kv)
    this.#password = new SealedText(ctx.storage.kv, 'password', this.env.SECRET_KEY)
    this.#destination = new SealedText(ctx.storage.kv, 'destination', this.env.SECRET_KEY)
    this.#sender = new ResultSender(state, { env: this.env, destination: this.#destination })
    const fail = (error: TaskError) => this.#end({ status: 'failed', error })
    this.#stepWatch = new StepWatch(state, { env: this.env, containers, leaseMs, fail })
    this.#fetcher = new SourceFetcher(state, { env: this.env, password: this.#password, fail })
    const end = (change: TaskEnd) => this.#end(change)
    this.#leases = new LeaseProtocol(state, { watch: this.#stepWatch, containers, password: this.#password, leaseMs, end })
  }

  // ── Methods for the edge Worker ────────────────────────────────────────────────────────────────────────────────

  async create(input: NewTask): Promise<Task> {
    const state = this.#state
    if (state.task) return state.task
    const { password, source, destination, ...task } = input
    const sealed = password === undefined ? undefined : await this.#password.seal(password, task.taskId)
    const sealedDestination = destination && (await this.#destination.seal(JSON.stringify(destination), task.taskId))
    if (state.task) return state.task
    const now = Date.now()
    this.#password.keep(sealed)
    this.#destination.keep(sealedDestination)
    // For a quick task the edge calls the press directly. The queue message goes out only if no worker claims the task within one lease.
    const step = newStep(task.lane === 'slow' ? now : now + this.#leaseMs)
    const phase = source ? 'fetch' : 'whole'
    const begun: Task = { ...task, ...destinationFields(destination), status: 'pending', progress: 0 }
    state.begin(begun, { generation: 1, phase, step, parts: 0, partsDone: 0 })
    if (source) state.source = { ...source, attempts: 0, nextAt: now }
    this.#outbox.noteCreated(task)
    state.saveWithAlarm()
    await this.#outbox.sendEvents()
    await this.#stepWatch.watch()
    return state.task!
  }

  async createFailed(input: NewTask, error: TaskError): Promise<Task> {
    const state = this.#state
    if (state.task) return state.task
    const { password: _, source: __, destination, ...task } = input
    const step = newStep(Number.POSITIVE_INFINITY)
    const begun: Task = { ...task, ...destinationFields(destination), status: 'pending', progress: 0 }
    state.begin(begun, { generation: 1, phase: 'ended', step, parts: 0, partsDone: 0 })
    this.#outbox.noteCreated(task)
    await this.#end({ status: 'failed', error })
    return state.task!
  }

  async read() {
    this.#rest()
    return this.#state.task
  }

  async wait(ms: number) {
    const { task } = this.#state
    if (task && !hasEnded(task)) await this.#waiters.wait(ms)
    return this.#state.task
  }

  async watch(seen: Pick<Task, 'status' | 'progress'>, ms: number) {
    const until = Date.now() + ms
    for (let leftMs = ms; leftMs > 0; leftMs = until - Date.now()) {
      const { task } = this.#state
      if (!task || hasEnded(task) || task.status !== seen.status || task.progress !== seen.progress) break
      await this.#state.changes.wait(leftMs)
    }
    return this.#state.task
  }

  async createLink(link: NewLink) {
    return this.#state.live !== undefined && this.#links.add(link)
  }

  async linked(linkId: string) {
    return this.#links.works(linkId) ? this.#state.live : undefined
  }

  async countDownload(linkId: string) {
    return this.#state.live !== undefined && this.#links.count(linkId)
  }

  async remove() {
    this.#rest()
    const state = this.#state
    // If the task is being removed, wait for the end of the removal. No task exists afterwards.
    if (state.removing) await state.removing
    const { task } = state
    if (!task) return undefined
    const freedBytes = task.result?.size ?? (hasEnded(task) ? 0 : task.originalSize)
    state.removing = this.#removeAll(task).finally(() => {
      state.removing = undefined
    })
    await state.removing
    return { freedBytes }
  }

  /** Marks the task as expired first: if a restart cuts the removal off, the alarm removes it again. */
  async #removeAll(task: Task): Promise<void> {
    this.#state.task = { ...task, expiresAt: Math.min(task.expiresAt ?? Number.POSITIVE_INFINITY, Date.now()) }
    this.#state.saveWithAlarm()
    await Promise.all([this.#fetcher.stop(), this.#sender.stop()])
    await this.#outbox.sendRemoved(task)
    await removeBlobs(this.env.BLOBS, task, this.#state.job!)
    await this.#state.clear()
    this.#waiters.wakeAll()
  }

  async callback() {
    const { url, messageId, body } = this.#state.callback ?? {}
    return url && messageId && body ? { url, messageId, body } : undefined
  }

  async replayCallback() {
    const state = this.#state
    if (!state.callback) return false
    state.callback = { ...state.callback, nextAt: Date.now() }
    state.save()
    await this.#stepWatch.watch()
    return true
  }

  async redeliver(destination?: Destination) {
    const task = await this.#sender.restart(destination)
    await this.#stepWatch.watch()
    return task
  }

  async names() {
    this.#rest()
    const { task } = this.#state
    if (!task) return undefined
    // The hourly sweep calls this method for each task, so repair a lost alarm here.
    // On one machine, a kill can lose an alarm; `getAlarm` then returns a time in the past.
    const alarmAt = await this.ctx.storage.getAlarm()
    if (alarmAt === null || alarmAt < Date.now() - LOST_ALARM_MS) {
      this.#state.forgetAlarm()
      await this.#stepWatch.watch()
    }
    return neededBlobKeys(this.#state, task)
  }

  async ringSoon() {
    const { task } = this.#state
    if (!task || hasEnded(task)) return false
    // Forget the known alarm time, so that a new one is set. workerd reschedules an alarm only if its time changes.
    this.#state.forgetAlarm()
    await this.#state.setAlarmBy(Date.now() + RETRY_PAUSE_MS)
    return true
  }

  // ── Methods for workers ────────────────────────────────────────────────────────────────────────────────────────

  async claim(generation: number | null, step: JobMessage['step'], part?: number, worker?: ClaimingWorker): Promise<Claim> {
    return this.#leases.claim(generation, step, part, worker)
  }

  async beat(attempt: number, progress: number, part?: number, cpuMs?: number): Promise<'go on' | 'stop'> {
    return this.#leases.beat(attempt, progress, part, cpuMs)
  }

  async split(attempt: number, plans: readonly PartPlan[]): Promise<void> {
    return this.#leases.split(attempt, plans)
  }

  async completePart(attempt: number, part: number, receipt: PartReceipt, key: string, size: number): Promise<boolean> {
    return this.#leases.completePart(attempt, part, receipt, key, size)
  }

  async complete(attempt: number, result: StoredResult): Promise<boolean> {
    return this.#leases.complete(attempt, result)
  }

  async fail(attempt: number, error: TaskError): Promise<void> {
    return this.#leases.fail(attempt, error)
  }

  async giveUp(attempt: number, why: StoredMessage): Promise<void> {
    return this.#leases.giveUp(attempt, why)
  }

  async toQueue(worker?: string): Promise<void> {
    return this.#leases.toQueue(worker)
  }

  async release(attempt: number, why: string, part?: number, whose?: FailureCause): Promise<void> {
    return this.#leases.release(attempt, why, part, whose)
  }

  /** Notes that this object has nothing to do after this request, and ends others on a machine that holds many. */
  #rest(): void {
    const { task } = this.#state
    if (!this.env.EVICTOR || (task && !hasEnded(task))) return
    const old = resting.add(this.ctx.id.toString())
    if (old.length > 0) this.ctx.waitUntil(this.env.EVICTOR.evict(old).catch(() => undefined))
  }

  // ── End of the task, alarm and repair ──────────────────────────────────────────────────────────────────────────

  override async alarm(): Promise<void> {
    const state = this.#state
    state.forgetAlarm()
    if (!state.task) return
    if (state.task.expiresAt !== undefined && state.task.expiresAt <= Date.now()) {
      await this.remove()
      return
    }
    await this.#outbox.sendEvents()
    await Promise.all([this.#outbox.deliverCallback(), this.#sender.run()])
    await this.#fetcher.run()
    await this.#outbox.sendEvents()
    await this.#stepWatch.watch()
    this.#rest()
  }

  async #end(change: TaskEnd): Promise<void> {
    const state = this.#state
    const now = Date.now()
    const job = state.job!
    const changed: Task = { ...state.task!, ...change, completedAt: now, expiresAt: now + state.task!.retentionMs }
    const ended: Task = { ...changed, ...this.#sender.noteEnded(changed, now) }
    state.task = ended
    job.phase = 'ended'
    state.source = undefined
    this.#outbox.noteEnded(ended, now)
    this.#password.forget()
    state.saveWithAlarm()
    countTask(this.env.METRICS, ended, attemptsOf(job))
    await this.#outbox.sendEvents()
    this.#waiters.wakeAll()
    await removeBlobs(this.env.BLOBS, ended, job, ended.result?.key)
    await this.#stepWatch.watch()
    this.#rest()
  }
}

/** Keys of the blobs that a task still needs. */
function neededBlobKeys({ job, parts }: TaskState, task: Task): string[] {
  // An expired task needs no blobs, even if its removal has failed so far.
  if (task.expiresAt !== undefined && task.expiresAt <= Date.now()) return []
  if (task.result) return [task.result.key]
  return hasEnded(task) ? [] : [uploadKeyOf(task), ...(job?.parts ? parts.keys() : [])]
}
