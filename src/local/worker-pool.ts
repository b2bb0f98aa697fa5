/** The presses of this machine, and the steps that wait for one. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Kind } from '../service/lanes.ts'
import { SPOKEN } from '../service/store/tasks.ts'
import type { Step } from '../service/tasks/run.ts'
import { BlobFiles, type IdleLimits } from './blob-files.ts'
import { Job } from './job.ts'
import type { NativeProgram } from './native.ts'
import type { JobLimits } from './options.ts'
import { PressProcess } from './press-process.ts'
import { effortOf, hasMemory, nextOf, type Waiting } from './scheduler.ts'
import type { TaskApiClient } from './task-api-client.ts'

export interface PoolOptions {
  /** Steps of the slow lane that run side by side; one more is kept for the quick lane. */
  readonly workers: number
  readonly door: TaskApiClient
  /** Folder of the bundles. */
  readonly build: string
  /** For files of running steps; whatever an earlier pool left there is removed. */
  readonly folder: string
  readonly limits: JobLimits
  /** It is a container, for what isolates were too small for. */
  readonly heavy?: boolean
  /** For films that no engine here does; it is still looked for, maybe. */
  readonly native?: Promise<NativeProgram | undefined>
  log(line: string): void
}

interface Entry extends Waiting {
  readonly key: string
  readonly done: Promise<void>
  end(): void
}

/** Of uploads and parts that are kept for steps to come: after a restart of the edge these begin again within seconds. */
const MOST_IDLE: IdleLimits = { bytes: 1024 ** 3, ms: 30_000 }
/** A press whose process is larger than this when it has nothing to do is begun anew. */
const FAT_BYTES = 500 * 2 ** 20
/** What presses may be promised: of the machine's memory, or of the container's, some is for workerd and for others. */
const MACHINE_BYTES = 0.8 * Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
/** Presses that come up before they are needed, which takes a third of a second; each holds some 70 MB. */
const MOST_WARM = 4
/** A press that does not come up is tried again after so long. */
const AGAIN_MS = 1000

export class Pool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #blobs: BlobFiles
  readonly #idle: PressProcess[] = []
  readonly #all = new Set<PressProcess>()
  readonly #line: Entry[] = []
  readonly #working = new Set<Entry>()
  /** A task sends its message again when nobody claims it for long: it stands in line already. */
  readonly #known = new Map<string, Entry>()
  /** Presses that a step took along, as long as it may be tried again. */
  readonly #deaths = new Map<string, number>()
  readonly #formats = new Map<Kind, Promise<readonly string[]>>()
  readonly #folders = new Map<PressProcess, string>()
  #made = 0
  #closed = false

  private constructor(options: PoolOptions) {
    this.#options = options
    this.#blobs = new BlobFiles(join(options.folder, 'blobs'), (key, path) => options.door.download(key, path), MOST_IDLE)
  }

  static async open(options: PoolOptions): Promise<Pool> {
    await rm(options.folder, { recursive: true, force: true })
    await mkdir(options.folder, { recursive: true })
    const pool = new Pool(options)
    for (const kind of ['press', 'media'] as const) pool.#idle.push(pool.#spawn(kind))
    return pool
  }

  /** What the presses of a kind can do, once one of them is ready. */
  async formats(kind: Kind): Promise<readonly string[]> {
    return this.#formats.get(kind) ?? []
  }

  /** Presses for all that may run side by side come up before somebody waits for them. */
  warm(): void {
    const wanted = this.#closed ? 0 : Math.min(this.#options.workers + 1, MOST_WARM)
    for (let at = [...this.#all].filter(({ kind }) => kind === 'press').length; at < wanted; at++) this.#idle.push(this.#spawn('press'))
  }

  /** Puts a step in line. Resolves when nobody works on it any more; what came of it is said by its task. */
  submit(kind: Kind, step: Step): Promise<void> {
    const key = [step.taskId, step.generation, step.step, step.part].join('/')
    const known = this.#known.get(key)
    if (known) return known.done
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    const entry: Entry = { key, kind, step, quick: step.generation === null, since: performance.now(), done, end }
    this.#known.set(key, entry)
    if (entry.quick) this.#enter(entry)
    else
      this.#options.door
        .task(step.taskId)
        .read()
        .then(
          (task) => (task ? this.#enter({ ...entry, effort: effortOf(task) }) : this.#leave(entry)),
          () => this.#enter(entry),
        )
    return done
  }

  #enter(entry: Entry): void {
    this.#line.push(entry)
    this.#next()
  }

  #leave(entry: Entry): void {
    this.#known.delete(entry.key)
    entry.end()
  }

  #next(): void {
    const { workers, limits } = this.#options
    while (!this.#closed && this.#working.size <= workers) {
      const working = [...this.#working]
      const quickOnly = working.length === workers || !hasMemory(working, MACHINE_BYTES, limits.memoryBytes)
      const at = nextOf(this.#line, working, performance.now(), quickOnly)
      if (at < 0) return
      const [entry] = this.#line.splice(at, 1)
      this.#working.add(entry!)
      void this.#work(entry!).finally(() => {
        this.#working.delete(entry!)
        this.#leave(entry!)
        this.#next()
      })
    }
  }

  /** Claims the step only now that somebody can begin with it: a lease should not run out in line. */
  async #work(entry: Entry): Promise<void> {
    const { door, limits, heavy, log } = this.#options
    const record = door.task(entry.step.taskId)
    const { generation, step, part } = entry.step
    try {
      const native = await this.#options.native
      const claim = await record.claim(generation, step, part, { id: randomUUID(), protocol: SPOKEN.newest, ...(heavy && { heavy }) })
      if (claim.kind !== 'claimed') return
      const press = await this.#take(entry.kind)
      const folder = this.#folders.get(press)!
      const deaths = this.#deaths.get(entry.key) ?? 0
      const enlarged = () => {
        entry.enlarged = true
      }
      const deps = { door, blobs: this.#blobs, limits, folder, deaths, enlarged, ...(native && { native }) }
      const job = new Job(press, entry.step, claim, deps)
      const ended = await job.run().catch(async (error: unknown) => {
        press.kill()
        await record.release(claim.attempt, String(error), part, 'platform')
        return 'stopped' as const
      })
      if (ended === 'died') this.#deaths.set(entry.key, deaths + 1)
      else this.#deaths.delete(entry.key)
      if (ended === 'done') await this.#giveBack(press)
    } catch (error) {
      // The task could not be spoken with. It sends its message again when the lease is over.
      log(JSON.stringify({ level: 'error', event: 'step_failed', task_id: entry.step.taskId, step, part, error: String(error) }))
    }
  }

  async #take(kind: Kind): Promise<PressProcess> {
    for (;;) {
      const at = this.#idle.findIndex((press) => press.kind === kind)
      const press = at >= 0 ? this.#idle.splice(at, 1)[0]! : this.#spawn(kind)
      if (await press.up) return press
      if (this.#closed) throw new Error('the pool is closed')
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }

  async #giveBack(press: PressProcess): Promise<void> {
    const usage = await press.usage()
    const spare = this.#idle.filter(({ kind }) => kind === press.kind).length
    if ((usage && usage.residentBytes > FAT_BYTES) || spare > this.#options.workers) press.kill()
    else if (this.#all.has(press)) this.#idle.push(press)
  }

  #spawn(kind: Kind): PressProcess {
    const { build, folder: root, limits, log } = this.#options
    const folder = join(root, `press-${++this.#made}`)
    const press = new PressProcess(kind, { build, folder, memoryBytes: limits.memoryBytes, log })
    this.#all.add(press)
    this.#folders.set(press, folder)
    if (!this.#formats.has(kind)) this.#formats.set(kind, press.ready)
    void press.exited.then(async () => {
      this.#all.delete(press)
      this.#folders.delete(press)
      const at = this.#idle.indexOf(press)
      if (at >= 0) this.#idle.splice(at, 1)
      await rm(folder, { recursive: true, force: true })
    })
    return press
  }

  /** Ends every press. Their tasks go on when their leases are over. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const gone = [...this.#all].map((press) => press.exited)
    for (const press of this.#all) press.kill()
    await Promise.all(gone)
    await rm(this.#options.folder, { recursive: true, force: true })
  }
}
