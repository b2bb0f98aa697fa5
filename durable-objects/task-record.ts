import { DurableObject } from 'cloudflare:workers'
import { leastOf } from '../src/bytes/extremes.ts'
import type { PartPlan, PartReceipt } from '../src/codec/segmented.ts'
import type { Env } from '../src/env.ts'
import type { TaskEvent } from '../src/store/accounts.ts'
import { partsOf, resultsOf, uploadKeyOf } from '../src/store/blob-names.ts'
import { countTask } from '../src/store/metrics.ts'
import { placed } from '../src/store/place.ts'
import { openText, sealText } from '../src/store/secret-box.ts'
import { type NewTask, present, revivedResult, type StoredResult, type Task, type TaskError, type TaskResult } from '../src/store/task.ts'
import {
  type Claim,
  type ClaimingWorker,
  commonProtocol,
  type JobMessage,
  OLDEST_PROTOCOL,
  SPOKEN,
  type TaskRecordFace,
  type Whose,
} from '../src/store/tasks.ts'
import { sendThrough } from '../src/tasks/egress.ts'
import {
  attemptsOf,
  beatStep,
  type Callback,
  claimStep,
  firstStep,
  forsakenJob,
  heavyJob,
  isForsaken,
  isHeavyAttempt,
  isHeld,
  type Job,
  lostStep,
  MAX_ATTEMPTS,
  messageFor,
  mostAttempts,
  newStep,
  overBudgetJob,
  RESEND_DOUBLINGS,
  released,
  releaseStep,
  type Step,
  sentStep,
  watch,
} from '../src/tasks/job.ts'
import { deliver, nextDelivery } from '../src/tasks/notify.ts'
import { queueFor } from '../src/tasks/queues.ts'
import { PartTable } from './part-table.ts'
import { readTask, writeTask } from './task-row.ts'

const DEFAULT_LEASE_MS = 90_000
const SOON_MS = 5000
/** Parts at once while the account does not say how many. */
const FEW_PARTS = 4
/** A step that lost its worker waits this share of a lease, up to twice as long by chance, and twice that the next time. */
const LOST_PAUSE = 1 / 3
/** A task that was found again waits as long as a service that has just been started needs to answer. */
const FOUND_PAUSE_MS = 2000

/**
 * One task: its state, the lease of the worker that has it, its parts, its outbox (events to the account, the callback)
 * and its end. Every method is idempotent; the alarm repairs what was lost: messages, workers, events, callbacks.
 */
export class TaskRecord extends DurableObject<Env> implements TaskRecordFace {
  #task: Task | undefined
  #job: Job | undefined
  #callback: Callback | undefined
  #events: TaskEvent[]
  readonly #parts: PartTable
  readonly #leaseMs: number
  readonly #resend: { readonly leaseMs: number; readonly doublings: number }
  readonly #waiting = new Set<() => void>()
  #removing: Promise<void> | undefined
  /** When the alarm rings; undefined: nobody knows. It may ring too early, which costs less than each time putting it off. */
  #alarmAt: number | undefined
  /** No message is sent before: after a start, jobs begin once the service answers, and not all at once. */
  readonly #quietUntil: number

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, placed(env))
    const { task, job, callback, events } = readTask(ctx.storage.kv)
    this.#task = task
    this.#job = job
    this.#callback = callback
    this.#events = events
    this.#parts = new PartTable(ctx.storage.sql)
    this.#leaseMs = Number(env.LEASE_MS ?? DEFAULT_LEASE_MS)
    // A service on one machine has its queues in memory: they are gone with it.
    const doublings = RESEND_DOUBLINGS[env.ENVIRONMENT === 'local' ? 'inMemory' : 'durable']
    this.#resend = { leaseMs: this.#leaseMs, doublings }
    this.#quietUntil = this.#task ? Date.now() + spread(FOUND_PAUSE_MS) : 0
  }

  // ── The edge's side ────────────────────────────────────────────────────────────────────────────────────────────

  async create(wanted: NewTask): Promise<Task> {
    if (this.#task) return this.#task
    const { password, ...task } = wanted
    const box = password === undefined ? undefined : await sealText(password, this.#secret(), task.taskId)
    if (this.#task) return this.#task
    const now = Date.now()
    if (box) this.ctx.storage.kv.put('password', box)
    this.#task = { ...task, status: 'pending', progress: 0 }
    // The quick lane calls the press itself; the message is only for the case that nobody came.
    const step = newStep(task.lane === 'slow' ? now : now + this.#leaseMs)
    this.#job = { generation: 1, phase: 'whole', step, parts: 0, partsDone: 0 }
    this.#events = [this.#created(task)]
    this.#saveWithAlarm()
    await this.#tellAccount()
    await this.#watch()
    return this.#task
  }

  async createFailed(wanted: NewTask, error: TaskError): Promise<Task> {
    if (this.#task) return this.#task
    const { password: _, ...task } = wanted
    this.#task = { ...task, status: 'pending', progress: 0 }
    this.#job = { generation: 1, phase: 'ended', step: newStep(Number.POSITIVE_INFINITY), parts: 0, partsDone: 0 }
    this.#events = [this.#created(task)]
    await this.#end({ status: 'failed', error })
    return this.#task
  }

  async read() {
    return this.#task
  }

  async wait(ms: number) {
    if (this.#task && !hasEnded(this.#task)) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          this.#waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        this.#waiting.add(wake)
      })
    }
    return this.#task
  }

  async remove() {
    // Who asks while it is being removed waits for that, and finds nothing.
    if (this.#removing) await this.#removing
    const task = this.#task
    if (!task) return undefined
    const freedBytes = task.result?.size ?? (hasEnded(task) ? 0 : task.originalSize)
    this.#removing = this.#removeAll(task).finally(() => {
      this.#removing = undefined
    })
    await this.#removing
    return { freedBytes }
  }

  async #removeAll(task: Task): Promise<void> {
    const { storage } = this.ctx
    await this.env.ACCOUNTS.getByName(task.accountId).tell([...this.#events, { kind: 'removed', taskId: task.taskId }])
    this.#events = []
    await this.#removeBlobs(task, this.#job!)
    // In this order: an alarm without a record does nothing, a record without an alarm would be forgotten.
    await storage.deleteAll()
    await storage.deleteAlarm()
    this.#alarmAt = undefined
    this.#task = this.#job = this.#callback = undefined
    this.#events = []
    this.#wake()
  }

  async callback() {
    const { url, messageId, body } = this.#callback ?? {}
    return url && messageId && body ? { url, messageId, body } : undefined
  }

  async replayCallback() {
    if (!this.#callback) return false
    this.#callback = { ...this.#callback, nextAt: Date.now() }
    this.#save()
    await this.#watch()
    return true
  }

  async names() {
    const task = this.#task
    if (!task) return undefined
    // The sweep comes by every hour: no task stays without an alarm, whatever happened to it.
    if ((await this.ctx.storage.getAlarm()) === null) {
      this.#alarmAt = undefined
      await this.#watch()
    }
    // What has expired is needed no more, also where it could not be removed.
    if (task.expiresAt !== undefined && task.expiresAt <= Date.now()) return []
    if (task.result) return [task.result.key]
    return hasEnded(task) ? [] : [uploadKeyOf(task), ...(this.#job?.parts ? this.#parts.keys() : [])]
  }

  // ── The workers' side ──────────────────────────────────────────────────────────────────────────────────────────

  /** Workers are too late while the task is being removed: what they store then would outlive it. */
  get #live(): Task | undefined {
    return this.#removing ? undefined : this.#task
  }

  async claim(generation: number | null, step: JobMessage['step'], part?: number, worker?: ClaimingWorker): Promise<Claim> {
    const [task, job] = [this.#live, this.#job]
    const protocol = commonProtocol(worker ?? { protocol: OLDEST_PROTOCOL })
    if (protocol === undefined) return { kind: 'incompatible', spoken: SPOKEN }
    if (!task || !job || hasEnded(task) || (generation !== null && generation !== job.generation)) return { kind: 'forget' }
    if (step !== (job.phase === 'parts' ? 'part' : job.phase) || (job.heavy && this.env.HEAVY_JOBS && !worker?.heavy))
      return { kind: 'forget' }
    const known = step === 'part' ? this.#parts.step(part ?? -1) : job.step
    const claimed = known && claimStep(known, Date.now(), { leaseMs: this.#leaseMs, most: mostAttempts(job), worker: worker?.id })
    if (!claimed?.lease) return { kind: 'forget' }
    this.#putStep(job, part, claimed)
    if (part !== undefined) job.released = Math.max(part + 1, job.released ?? job.parts)
    this.#task = { ...task, status: 'processing' }
    this.#save()
    await this.#watch()
    const password = await this.#password(task.taskId)
    return {
      kind: 'claimed',
      protocol,
      attempt: claimed.lease.attempt,
      generation: job.generation,
      task: this.#task,
      uploadKey: uploadKeyOf(task),
      ...(password === undefined ? {} : { password }),
      parts: step === 'part' ? this.#parts.records(part) : step === 'join' ? this.#parts.records() : [],
      soFar: step === 'part' ? this.#parts.soFar() : { bytes: 0, replaces: 0 },
      alone: (claimed.lost ?? 0) > 0,
      ...(job.overBudget === undefined ? {} : { overBudget: job.overBudget }),
    }
  }

  async beat(attempt: number, progress: number, part?: number): Promise<'go on' | 'stop'> {
    const [task, job] = [this.#live, this.#job]
    if (!task || !job || hasEnded(task)) return 'stop'
    const known = part === undefined ? job.step : this.#partStep(job, part)
    const kept = known && beatStep(known, attempt, Date.now(), this.#leaseMs)
    if (!kept) return 'stop'
    if (part === undefined) job.step = kept
    else this.#parts.putStep(part, kept, progress)
    const share = part === undefined ? progress : this.#parts.progress()
    this.#task = { ...task, progress: Math.min(0.99, Math.max(task.progress, share)) }
    this.#save()
    return 'go on'
  }

  async split(attempt: number, plans: readonly PartPlan[]): Promise<void> {
    const [task, job] = [this.#live, this.#job]
    if (!task || !job || job.phase !== 'whole' || job.step.lease?.attempt !== attempt) return
    job.generation++
    job.phase = 'parts'
    job.step = newStep(Number.POSITIVE_INFINITY)
    job.parts = plans.length
    job.released = 0
    this.#parts.fill(plans, firstStep(job, Date.now()))
    this.#save()
    await this.#watch()
  }

  async completePart(attempt: number, part: number, receipt: PartReceipt, key: string, size: number): Promise<boolean> {
    const [task, job] = [this.#live, this.#job]
    if (!task || !job || hasEnded(task) || job.phase !== 'parts' || attempt < 1) return false
    // An isolate's part is of another plan.
    if (job.heavy && !isHeavyAttempt(attempt)) return false
    if (!this.#parts.finish(part, receipt, key, size)) return false
    job.partsDone = this.#parts.done()
    this.#task = { ...task, progress: Math.max(task.progress, Math.min(0.99, this.#parts.progress())) }
    if (job.partsDone === job.parts) {
      job.phase = 'join'
      job.step = firstStep(job, Date.now())
    }
    this.#save()
    await this.#watch()
    return true
  }

  /** While a release is rolled out, workers of the one before may still end tasks. */
  async complete(attempt: number, result: StoredResult): Promise<boolean> {
    const task = this.#live
    // A result of an earlier attempt that was given up too soon is as good as any: it was verified.
    if (!task || hasEnded(task) || attempt < 1) return false
    if (result.outcome.kind === 'unchanged' && result.outcome.reason === 'over_budget' && this.#toContainers(attempt)) {
      await this.#watch()
      return false
    }
    await this.#end({ status: 'completed', progress: 1, result: revivedResult(result) })
    return true
  }

  async fail(attempt: number, error: TaskError): Promise<void> {
    const task = this.#live
    if (!task || hasEnded(task) || attempt < 1) return
    await this.#end({ status: 'failed', error })
  }

  async giveUp(attempt: number, why: string): Promise<void> {
    const [task, job] = [this.#live, this.#job]
    if (!task || !job || hasEnded(task) || attempt < 1) return
    if (job.overBudget !== undefined) return this.#end({ status: 'failed', error: gaveUp(task) })
    if (!this.#toContainers(attempt)) {
      this.#job = overBudgetJob(job, why, Date.now())
      this.#save()
    }
    await this.#watch()
  }

  async toQueue(worker?: string): Promise<void> {
    const [task, job] = [this.#live, this.#job]
    if (!task || !job || hasEnded(task) || job.phase !== 'whole') return
    const now = Date.now()
    const { lease } = job.step
    if (lease && worker !== undefined && lease.worker === worker) this.#writeOff(task, job, undefined, job.step, now)
    else if (!lease) job.step = { ...job.step, sendAt: now }
    this.#save()
    await this.#watch()
  }

  async release(attempt: number, why: string, part?: number, whose: Whose = 'codec'): Promise<void> {
    const [task, job] = [this.#live, this.#job]
    if (!task || !job || hasEnded(task)) return
    console.warn(JSON.stringify({ level: 'warn', event: 'attempt_broke', task_id: task.taskId, attempt, part, whose, why }))
    if (part === undefined) job.step = releaseStep(job.step, attempt, Date.now(), whose)
    else {
      const step = this.#partStep(job, part)
      if (step) this.#parts.putStep(part, releaseStep(step, attempt, Date.now(), whose))
    }
    this.#save()
    await this.#watch()
  }

  // ── Repair ─────────────────────────────────────────────────────────────────────────────────────────────────────

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined
    if (!this.#task) return
    if (this.#task.expiresAt !== undefined && this.#task.expiresAt <= Date.now()) {
      await this.remove()
      return
    }
    await this.#tellAccount()
    await this.#deliverCallback()
    await this.#watch()
  }

  /** Sends what must be sent, gives up what was tried too often, and sets the alarm for the next moment of interest. */
  async #watch(): Promise<void> {
    if (this.#job?.phase === 'parts') await this.#releaseParts()
    if (this.#job && this.#task && !hasEnded(this.#task)) await this.#watchSteps(this.#task, this.#job, Date.now())
    // Whatever happened while that was awaited is in these moments, and nothing is awaited between them and the alarm.
    const now = Date.now()
    const next = leastOf(this.#moments(now))
    if (Number.isFinite(next)) await this.#ringAt(Math.max(next, now))
  }

  /** At that moment at the latest. */
  async #ringAt(moment: number): Promise<void> {
    if (this.#alarmAt !== undefined && this.#alarmAt <= moment) return
    this.#alarmAt = moment
    await this.ctx.storage.setAlarm(moment)
  }

  /** Not all parts of a film stand in the queue at once: others want to be served, too. */
  async #releaseParts(): Promise<void> {
    const { taskId, accountId } = this.#task!
    const most = await this.env.ACCOUNTS.getByName(accountId)
      .partsAtOnce(taskId)
      .catch(() => FEW_PARTS)
    const job = this.#job
    if (job?.phase === 'parts') job.released = released(job, this.#openSteps(job).length, most)
  }

  /** When something is to be done, as things stand. */
  #moments(now: number): number[] {
    const [task, job, callback] = [this.#task, this.#job, this.#callback]
    if (!task || !job) return []
    const moments = [task.expiresAt, callback?.nextAt, this.#events.length > 0 ? now + SOON_MS : undefined]
    for (const [, step] of hasEnded(task) ? [] : this.#openSteps(job)) {
      const action = watch(step, now, mostAttempts(job))
      moments.push(action.kind === 'wait' ? action.until : action.kind === 'send' ? Math.max(now, this.#quietUntil) : now)
    }
    return moments.filter((moment) => moment !== undefined)
  }

  #openSteps(job: Job): [number | undefined, Step][] {
    return job.phase === 'parts' ? this.#parts.open(job.released ?? job.parts) : [[undefined, job.step]]
  }

  async #watchSteps(task: Task, job: Job, now: number): Promise<void> {
    const due: [number | undefined, Step][] = []
    for (const [part, step] of this.#openSteps(job)) {
      const action = watch(step, now, mostAttempts(job))
      if (action.kind === 'give up') return this.#giveUpStep(task, job, action.lost, now)
      if (action.kind === 'lost') this.#writeOff(task, job, part, step, now)
      if (action.kind === 'send' && now >= this.#quietUntil) due.push([part, step])
    }
    if (due.length === 0) return
    if (isForsaken(job)) {
      this.#job = forsakenJob(job, now)
      return this.#watchSteps(task, this.#job, now)
    }
    // Marked as sent before it is sent: a worker may have claimed the step before `sendBatch` returns.
    for (const [part, step] of due) this.#putStep(job, part, sentStep(step, now, this.#resend))
    this.#save()
    const messages = due.map(([part]) => messageFor(task, job, part))
    if (await this.#send(task.worker, messages, job.heavy)) return
    for (const [part] of due) {
      const step = part === undefined ? job.step : this.#partStep(job, part)
      if (step && !isHeld(step, now)) this.#putStep(job, part, { ...step, sendAt: now + SOON_MS })
    }
    this.#save()
  }

  /** Its worker is gone, with or because of it. */
  #writeOff(task: Task, job: Job, part: number | undefined, step: Step, now: number): void {
    const lost = this.#putStep(job, part, lostStep(step, now, spread(LOST_PAUSE * this.#leaseMs)))
    console.warn(
      JSON.stringify({ level: 'warn', event: 'worker_lost', task_id: task.taskId, part, attempt: step.attempts, lost: lost.lost }),
    )
    this.#save()
  }

  /** A file that took all of its workers along needs more than a job has: the upload stands. What broke each time is our bug. */
  async #giveUpStep(task: Task, job: Job, lost: boolean, now: number): Promise<void> {
    if (!lost || job.overBudget !== undefined) {
      return this.#end({ status: 'failed', error: gaveUp(task) })
    }
    console.error(JSON.stringify({ level: 'error', event: 'workers_lost', task_id: task.taskId, format: task.format }))
    if (!this.#toContainers(job.step.attempts)) {
      this.#job = overBudgetJob(job, `the job lost its worker; it was tried ${MAX_ATTEMPTS} times`, now)
      this.#save()
    }
    return this.#watchSteps(task, this.#job!, now)
  }

  /**
   * The file was too much for `attempt`. Where there are containers and that was an isolate, one of them has it now.
   * @returns false: nobody has more room
   */
  #toContainers(attempt: number): boolean {
    const job = this.#job!
    if (!this.env.HEAVY_JOBS || isHeavyAttempt(attempt) || job.overBudget !== undefined) return false
    // Whoever is late with it: it is in a container already.
    if (job.heavy) return true
    this.#job = heavyJob(job, Date.now())
    this.#save()
    return true
  }

  #putStep(job: Job, part: number | undefined, step: Step): Step {
    if (part === undefined) job.step = step
    else this.#parts.putStep(part, step)
    return step
  }

  async #send(worker: Task['worker'], messages: readonly JobMessage[], heavy?: boolean): Promise<boolean> {
    try {
      for (const [queue, own] of Map.groupBy(messages, (message) => queueFor(this.env, worker, message, heavy))) {
        for (let at = 0; at < own.length; at += 100) await queue.sendBatch(own.slice(at, at + 100).map((body) => ({ body })))
      }
      return true
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'queue_send_failed', task_id: this.#task?.taskId, error: String(error) }))
      return false
    }
  }

  async #end(change: { status: 'completed'; progress: 1; result: TaskResult } | { status: 'failed'; error: TaskError }): Promise<void> {
    const now = Date.now()
    const job = this.#job!
    const ended: Task = { ...this.#task!, ...change, completedAt: now, expiresAt: now + this.#task!.retentionMs }
    this.#task = ended
    job.phase = 'ended'
    this.#events = [...this.#events, ended.result ? completedEvent(ended, ended.result) : failedEvent(ended)]
    if (ended.callbackUrl) {
      const event = { type: `task.${ended.status}`, timestamp: new Date(now).toISOString(), data: present(ended, ended.baseUrl) }
      const messageId = `msg_${crypto.randomUUID().replaceAll('-', '')}`
      this.#callback = { url: ended.callbackUrl, messageId, body: JSON.stringify(event), nextAt: now, deliveries: [] }
    }
    if (this.ctx.storage.kv.get('password') !== undefined) this.ctx.storage.kv.delete('password')
    this.#saveWithAlarm()
    countTask(this.env.METRICS, ended, attemptsOf(job))
    await this.#tellAccount()
    this.#wake()
    await this.#removeBlobs(ended, job, ended.result?.key)
    await this.#watch()
  }

  /** What was told is not written down at once: with the next change, and until then it may be told again. */
  async #tellAccount(): Promise<void> {
    const events = this.#events
    if (!this.#task || events.length === 0) return
    try {
      await this.env.ACCOUNTS.getByName(this.#task.accountId).tell(events)
      this.#events = this.#events.filter((event) => !events.includes(event))
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'account_unreachable', task_id: this.#task?.taskId, error: String(error) }))
    }
  }

  async #deliverCallback(): Promise<void> {
    const [task, callback] = [this.#task, this.#callback]
    if (!task || !callback || callback.nextAt === undefined || callback.nextAt > Date.now()) return
    const account = this.env.ACCOUNTS.getByName(task.accountId)
    const delivery = await deliver(sendThrough(this.env.EGRESS), callback, await account.webhookSecret())
    const deliveries = [...callback.deliveries, delivery]
    const nextAt = nextDelivery(delivery, deliveries.length)
    const { nextAt: _, ...rest } = callback
    // The task may have been removed while its receiver took its time: nothing of it may be stored again.
    if (this.#task) {
      this.#callback = { ...rest, deliveries, ...(nextAt === undefined ? {} : { nextAt }) }
      this.#save()
    }
    const { url, messageId } = callback
    await account.noteDelivery({ kind: 'task', taskId: task.taskId, messageId, url, attempt: deliveries.length, ...delivery })
  }

  /** Removes every blob of the task but `keep`: the upload, results of other attempts, parts. */
  async #removeBlobs(task: Task, job: Job, keep?: string): Promise<void> {
    const uploadKey = uploadKeyOf(task)
    const doomed = [uploadKey]
    const onlyOneWasMade = keep !== undefined && job.parts === 0 && job.step.attempts <= 1
    for (const prefix of onlyOneWasMade ? [] : [resultsOf(uploadKey), partsOf(task.taskId)]) {
      let cursor: string | undefined
      do {
        const page: R2Objects = await this.env.BLOBS.list({ prefix, ...(cursor ? { cursor } : {}) })
        for (const { key } of page.objects) doomed.push(key)
        cursor = page.truncated ? page.cursor : undefined
      } while (cursor)
    }
    const keys = doomed.filter((key) => key !== keep)
    for (let at = 0; at < keys.length; at += 1000) await this.env.BLOBS.delete(keys.slice(at, at + 1000))
  }

  #created(task: Omit<NewTask, 'password'>): TaskEvent {
    const { taskId, batchId, position, createdAt, format, originalSize } = task
    const place = { ...(batchId === undefined ? {} : { batchId }), ...(position === undefined ? {} : { position }) }
    return { kind: 'created', taskId, ...place, createdAt, format, size: originalSize }
  }

  /** Written together, with nothing awaited between: a process killed right afterwards leaves no record without an alarm. */
  #saveWithAlarm() {
    this.#save()
    void this.#ringAt(Date.now() + SOON_MS)
  }

  /** Writes nothing for a task that was removed while something was awaited. */
  #save() {
    if (!this.#task) return
    writeTask(this.ctx.storage.kv, { task: this.#task, job: this.#job, events: this.#events, callback: this.#callback })
  }

  /** undefined: there are no parts now, or this one is done. */
  #partStep(job: Job, part: number): Step | undefined {
    return job.phase === 'parts' ? this.#parts.step(part) : undefined
  }

  #wake() {
    for (const wake of this.#waiting) wake()
  }

  async #password(taskId: string): Promise<string | undefined> {
    const box = this.ctx.storage.kv.get<Uint8Array>('password')
    return box && openText(box, this.#secret(), taskId)
  }

  #secret(): string {
    if (!this.env.SECRET_KEY) throw new Error('SECRET_KEY is not set: passwords cannot be kept')
    return this.env.SECRET_KEY
  }
}

/** Once to twice as long, so that many do not come at the same moment. */
const spread = (ms: number) => ms * (1 + Math.random())

const hasEnded = (task: Task) => task.status === 'completed' || task.status === 'failed'

const completedEvent = (task: Task, result: TaskResult): TaskEvent => {
  const { taskId, completedAt, createdAt, format, originalSize } = task
  return { kind: 'completed', taskId, at: completedAt ?? createdAt, format, originalSize, compressedSize: result.size }
}

const failedEvent = (task: Task): TaskEvent => ({
  kind: 'failed',
  taskId: task.taskId,
  at: task.completedAt ?? task.createdAt,
  format: task.format,
})

const gaveUp = (task: Task): TaskError => ({
  code: 500,
  type: 'internal',
  message: 'The file could not be processed: its attempts broke. Try again later, or tell us the request id.',
  requestId: task.requestId,
})
