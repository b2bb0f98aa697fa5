/** Pool of press processes on this machine, with the queue of waiting steps. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { WorkerKind } from '../service/lanes.ts'
import type { CountedJob } from '../service/store/metrics.ts'
import { SUPPORTED_PROTOCOLS } from '../service/store/tasks.ts'
import type { WaitingPlace } from '../service/store/waiting.ts'
import { estimatedSeconds } from '../service/tasks/estimated-seconds.ts'
import type { Step } from '../service/tasks/run.ts'
import { AccountTurns } from './account-turns.ts'
import { BlobFiles, type IdleLimits } from './blob-files.ts'
import { IdlePresses } from './idle-presses.ts'
import { Job } from './job.ts'
import type { FfmpegProgram } from './native.ts'
import type { PoolState, PressEnd } from './observability/service-messages.ts'
import { traceJob } from './observability/tracing.ts'
import type { JobLimits } from './options.ts'
import { PressProcess } from './press-process.ts'
import { queuePlaces } from './queue-outlook.ts'
import { hasMemory, nextStepIndex, type QueuedStep } from './scheduler.ts'
import type { TaskApiClient } from './task-api-client.ts'

export interface WorkerPoolOptions {
  /** Number of steps of the slow lane that run in parallel. One more process serves the quick lane. */
  readonly workers: number
  readonly taskApi: TaskApiClient
  /** Folder of the bundles. */
  readonly build: string
  /** Folder for files of running steps. Emptied when the pool opens. */
  readonly folder: string
  readonly limits: JobLimits
  /** True in a `whittle-heavy` container, which runs steps that do not fit an isolate. */
  readonly heavy?: boolean
  /** FFmpeg, for films that no Wasm engine supports. The search for it may still be running. */
  readonly native?: Promise<FfmpegProgram | undefined>
  /** Receives the figures for the metrics. Default: nobody does. */
  readonly observer?: PoolObserver
  /** Milliseconds after which an idle press process is ended or replaced. Default: `REST_MS`. */
  readonly restMs?: number
  log(line: string): void
}

export interface PoolObserver {
  jobEnded(job: CountedJob): void
  pressEnded(why: PressEnd): void
}

interface Entry extends QueuedStep {
  readonly key: string
  readonly done: Promise<void>
  end(): void
}

/**
 * Limits for unused blob files: uploads and parts that later steps may read. After a restart of the edge, those steps start within
 * seconds.
 */
const IDLE_LIMITS: IdleLimits = { bytes: 1024 ** 3, ms: 30_000 }
/** Resident memory in bytes above which an idle press process is replaced. */
const MAX_IDLE_PROCESS_BYTES = 500 * 2 ** 20
/** Memory in bytes for all press processes: 80 % of the machine or container. The rest is for workerd and other programs. */
const POOL_BYTES = 0.8 * Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
/** Most press processes that start in advance. A start takes about 0.1 s, and an idle process uses about 40 MB. */
const MAX_WARM = 4
/** Press processes that stay when nothing runs: one for each lane. None stays for films, which no client waits for. */
const KEPT_AT_REST = 2
/** Milliseconds after which an idle press process is ended or replaced. */
const REST_MS = 30_000
/** Most milliseconds for handing running steps back. The tasks of others wait for their leases. */
const HAND_BACK_MS = 3000
/** Milliseconds for which the places of waiting tasks are kept. */
const PLACES_AGE_MS = 1000
/** Milliseconds before a failed start of a press process is repeated. */
const RESTART_DELAY_MS = 1000

/** Reasons for the end of press processes whose job did not end as it should. */
const PRESS_ENDS: Partial<Record<CountedJob['outcome'], PressEnd>> = { lost: 'crashed', over_budget: 'over_budget' }

export class WorkerPool implements AsyncDisposable {
  readonly #options: WorkerPoolOptions
  readonly #blobs: BlobFiles
  readonly #idle: IdlePresses
  /** Press processes that have run a step. */
  readonly #used = new WeakSet<PressProcess>()
  readonly #all = new Set<PressProcess>()
  readonly #ready = new Set<PressProcess>()
  readonly #queue: Entry[] = []
  readonly #working = new Set<Entry>()
  readonly #jobs = new Set<Job>()
  /** Queued and running steps by key. A task repeats its message if nobody claims it for long; the repeat is ignored. */
  readonly #entries = new Map<string, Entry>()
  /** Number of press processes that each step has ended, while the step may be retried. */
  readonly #deaths = new Map<string, number>()
  readonly #turns = new AccountTurns()
  readonly #formats = new Map<WorkerKind, Promise<readonly string[]>>()
  readonly #folders = new Map<PressProcess, string>()
  #places: ReadonlyMap<string, WaitingPlace> = new Map()
  #placesAtMs = Number.NEGATIVE_INFINITY
  #spawned = 0
  #closed = false
  #isDraining = false

  private constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#idle = new IdlePresses(options.restMs ?? REST_MS, (press) => void this.#rest(press))
    this.#blobs = new BlobFiles(join(options.folder, 'blobs'), (key, path) => options.taskApi.download(key, path), IDLE_LIMITS)
  }

  static async open(options: WorkerPoolOptions): Promise<WorkerPool> {
    await rm(options.folder, { recursive: true, force: true })
    await mkdir(options.folder, { recursive: true })
    const pool = new WorkerPool(options)
    for (const kind of ['press', 'media'] as const) pool.#idle.addNew(pool.#spawn(kind))
    return pool
  }

  /** Formats that the press processes of `kind` support. Waits until one is ready. */
  async formats(kind: WorkerKind): Promise<readonly string[]> {
    return this.#formats.get(kind) ?? []
  }

  /** State of the pool now, for metrics and readiness. */
  state(): PoolState {
    const now = performance.now()
    const oldestMs = this.#queue.reduce((longestMs, { queuedAtMs }) => Math.max(longestMs, now - queuedAtMs), 0)
    return { queued: this.#queue.length, oldestSeconds: oldestMs / 1000, running: this.#working.size, ready: this.#ready.size }
  }

  /** Places of those of `taskIds` that wait or run. All tasks share one view of the queue for a second. */
  places(taskIds: readonly string[]): Record<string, WaitingPlace> {
    const now = performance.now()
    if (now - this.#placesAtMs > PLACES_AGE_MS) {
      const { workers } = this.#options
      const workDone = (account: string | undefined) => this.#turns.workOf(account)
      this.#places = queuePlaces({ queue: this.#queue, working: [...this.#working], workers, now, workDone })
      this.#placesAtMs = now
    }
    return Object.fromEntries(taskIds.flatMap((id) => (this.#places.has(id) ? [[id, this.#places.get(id)!]] : [])))
  }

  /** Starts press processes in advance, one for each step that may run in parallel, at most 4. */
  warm(): void {
    const target = this.#closed ? 0 : Math.min(this.#options.workers + 1, MAX_WARM)
    for (let at = [...this.#all].filter(({ kind }) => kind === 'press').length; at < target; at++) this.#idle.addNew(this.#spawn('press'))
  }

  /** Queues a step. Resolves when the step is no longer running. Its outcome is recorded in its task. */
  submit(kind: WorkerKind, step: Step): Promise<void> {
    const key = [step.taskId, step.generation, step.step, step.part].join('/')
    const existing = this.#entries.get(key)
    if (existing) return existing.done
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    const entry: Entry = { key, kind, step, quick: step.generation === null, queuedAtMs: performance.now(), done, end }
    this.#entries.set(key, entry)
    // A quick step that need not wait starts without this call; its client waits for it.
    if (entry.quick && this.#queue.length === 0 && this.#working.size <= this.#options.workers) this.#enqueue(entry)
    else
      this.#options.taskApi
        .task(step.taskId)
        .read()
        .then(
          (task) =>
            task ? this.#enqueue({ ...entry, accountId: task.accountId, workSeconds: estimatedSeconds(task) }) : this.#finish(entry),
          () => this.#enqueue(entry),
        )
    return done
  }

  #enqueue(entry: Entry): void {
    this.#turns.join(entry.accountId)
    this.#queue.push(entry)
    this.#startNext()
  }

  #finish(entry: Entry): void {
    this.#entries.delete(entry.key)
    entry.end()
  }

  #startNext(): void {
    const { workers, limits } = this.#options
    while (!this.#closed && this.#working.size <= workers) {
      const working = [...this.#working]
      const quickOnly = this.#isDraining || working.length === workers || !hasMemory(working, POOL_BYTES, limits.memoryBytes)
      const at = nextStepIndex(this.#queue, working, performance.now(), quickOnly, (account) => this.#turns.workOf(account))
      if (at < 0) return
      const [entry] = this.#queue.splice(at, 1)
      const startedMs = performance.now()
      this.#turns.start(entry!.accountId)
      this.#working.add(entry!)
      void this.#runStep(entry!).finally(() => {
        this.#working.delete(entry!)
        this.#turns.leave(entry!.accountId, performance.now() - startedMs)
        this.#finish(entry!)
        this.#startNext()
      })
    }
  }

  /** Runs a step. It is claimed only now, so that its lease cannot expire in the queue. */
  async #runStep(entry: Entry): Promise<void> {
    const { taskApi: door, limits, heavy, log } = this.#options
    const record = door.task(entry.step.taskId)
    const { generation, step, part } = entry.step
    try {
      const native = await this.#options.native
      const claim = await record.claim(generation, step, part, {
        id: randomUUID(),
        protocol: SUPPORTED_PROTOCOLS.newest,
        ...(heavy && { heavy }),
      })
      if (claim.kind !== 'claimed') return
      this.#setAccount(entry, claim.task.accountId)
      const press = await this.#takePress(entry)
      const folder = this.#folders.get(press)!
      const deaths = this.#deaths.get(entry.key) ?? 0
      const enlarged = () => {
        entry.enlarged = true
      }
      const deps = { taskApi: door, blobs: this.#blobs, limits, folder, processDeaths: deaths, enlarged, ...(native && { native }) }
      const job = new Job(press, entry.step, claim, deps)
      this.#jobs.add(job)
      const { format, traceparent } = claim.task
      const startedMs = performance.now()
      const ended = await traceJob({ traceparent, format, step }, job)
        .catch(async (error: unknown) => {
          press.kill()
          await record.release(claim.attempt, String(error), part, 'platform')
          return 'stopped' as const
        })
        .finally(() => this.#jobs.delete(job))
      if (ended === 'died') this.#deaths.set(entry.key, deaths + 1)
      else this.#deaths.delete(entry.key)
      this.#options.observer?.jobEnded({ format, step, outcome: job.outcome, seconds: (performance.now() - startedMs) / 1000 })
      if (ended === 'done') await this.#returnPress(press)
      else this.#options.observer?.pressEnded(PRESS_ENDS[job.outcome] ?? 'stopped')
    } catch (error) {
      // The task API failed. The task repeats its message when the lease expires.
      log(JSON.stringify({ level: 'error', event: 'step_failed', task_id: entry.step.taskId, step, part, error: String(error) }))
    }
  }

  /** Sets the account of a quick step that started before its task was read. */
  #setAccount(entry: Entry, accountId: string): void {
    if (entry.accountId !== undefined) return
    this.#turns.leave(undefined, 0)
    entry.accountId = accountId
    this.#turns.join(accountId)
  }

  async #takePress({ kind, quick }: Entry): Promise<PressProcess> {
    for (;;) {
      const press = this.#idle.take(kind, quick) ?? this.#spawn(kind)
      if (await press.up) {
        this.#used.add(press)
        if (!quick) press.yieldToOthers()
        return press
      }
      if (this.#closed) throw new Error('the worker pool is closed')
      await new Promise((resolve) => setTimeout(resolve, RESTART_DELAY_MS))
    }
  }

  async #returnPress(press: PressProcess): Promise<void> {
    const usage = await press.usage()
    const idleCount = this.#idle.count(press.kind)
    if ((usage && usage.residentBytes > MAX_IDLE_PROCESS_BYTES) || idleCount > this.#options.workers) this.#end(press)
    else if (this.#all.has(press)) this.#idle.addUsed(press)
  }

  /** Ends a process that has been idle for long, or replaces it: engines, their memories and V8's heap have grown in its steps. */
  async #rest(press: PressProcess): Promise<void> {
    // A process that ends before it is ready would leave its formats unknown.
    if (!(await press.up) || this.#closed) return
    if (press.kind === 'media' || this.#idle.count(press.kind) > KEPT_AT_REST) {
      if (this.#idle.remove(press)) this.#end(press)
      return
    }
    if (!this.#used.has(press)) return
    const fresh = this.#spawn(press.kind)
    if (!(await fresh.up)) return
    // A step may have taken the old process meanwhile. It comes back and rests again.
    if (this.#idle.remove(press)) this.#end(press)
    this.#idle.addNew(fresh)
  }

  #end(press: PressProcess): void {
    press.kill()
    this.#options.observer?.pressEnded('idle')
  }

  #spawn(kind: WorkerKind): PressProcess {
    const { build, folder: root, limits, log } = this.#options
    const folder = join(root, `press-${++this.#spawned}`)
    const press = new PressProcess(kind, { build, folder, memoryBytes: limits.memoryBytes, log })
    this.#all.add(press)
    this.#folders.set(press, folder)
    void press.up.then((isUp) => isUp && this.#all.has(press) && this.#ready.add(press))
    if (!this.#formats.has(kind)) this.#formats.set(kind, press.ready)
    void press.exited.then(async () => {
      this.#all.delete(press)
      this.#ready.delete(press)
      this.#folders.delete(press)
      if (this.#idle.remove(press) && !this.#closed) this.#options.observer?.pressEnded('crashed')
      await rm(folder, { recursive: true, force: true })
    })
    return press
  }

  /** Starts no more steps, except those for which a client waits. Resolves when no step runs. */
  async drain(): Promise<void> {
    this.#isDraining = true
    while (this.#working.size > 0) await Promise.all([...this.#working].map(({ done }) => done))
  }

  /** Hands running steps back to their tasks, which start them again, and kills every press process. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const job of this.#jobs) job.handBack()
    const ended = Promise.all([...this.#working].map(({ done }) => done))
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, HAND_BACK_MS).unref())])
    const exits = [...this.#all].map((press) => press.exited)
    for (const press of this.#all) press.kill()
    await Promise.all(exits)
    await rm(this.#options.folder, { recursive: true, force: true })
  }
}
