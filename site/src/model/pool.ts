/**
 * Runs questions in module workers, one at a time each. A worker that fails or is stopped ends with its job, and the next job gets a new
 * worker, so a damaged file never harms the page or other files.
 */
import type { Answer, Asked, Question, Told } from './protocol.ts'

/** The part of `Worker` that the pool uses. */
export interface WorkerLike {
  postMessage(asked: Asked): void
  terminate(): void
  onmessage: ((event: MessageEvent<Told>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  onmessageerror: ((event: MessageEvent) => void) | null
}

export interface JobOptions {
  /** Jobs with a higher priority start first. */
  readonly priority: number
  readonly signal?: AbortSignal
  readonly onStart?: () => void
  readonly onProgress?: (share: number) => void
}

/** The worker ended before it answered: it ran out of memory, or its code has a defect. */
export class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded'
}

interface Job extends JobOptions {
  readonly id: number
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

interface Slot {
  worker: WorkerLike | undefined
  job: Job | undefined
}

/** Milliseconds without a job after which all workers end, because their engines keep their memory. */
const IDLE_MS = 20_000

export class Pool {
  readonly #create: () => WorkerLike
  readonly #slots: readonly Slot[]
  readonly #waiting: Job[] = []
  #nextId = 0
  #idle: ReturnType<typeof setTimeout> | undefined

  /** @param create starts a worker @param size most workers at the same time */
  constructor(create: () => WorkerLike, size: number) {
    this.#create = create
    this.#slots = Array.from({ length: size }, () => ({ worker: undefined, job: undefined }))
  }

  /**
   * Asks a worker.
   * @throws WorkerEnded if the worker ends without an answer
   * @throws the reason of `signal` if it is aborted
   */
  run(question: Question, options: JobOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) return reject(options.signal.reason)
      const job: Job = { ...options, question, id: this.#nextId++, resolve, reject }
      options.signal?.addEventListener('abort', () => this.#stop(job), { once: true })
      // Jobs of the same priority keep their order.
      const after = this.#waiting.findIndex(({ priority }) => priority < job.priority)
      this.#waiting.splice(after < 0 ? this.#waiting.length : after, 0, job)
      this.#fill()
    })
  }

  #fill(): void {
    clearTimeout(this.#idle)
    for (const slot of this.#slots) {
      if (slot.job) continue
      const job = this.#waiting.shift()
      if (!job) break
      this.#start(slot, job)
    }
    if (this.#slots.every(({ job }) => !job)) this.#idle = setTimeout(() => this.#endWorkers(), IDLE_MS)
  }

  #start(slot: Slot, job: Job): void {
    slot.job = job
    job.onStart?.()
    const worker = (slot.worker ??= this.#create())
    worker.onmessage = ({ data }) => this.#hear(slot, data)
    worker.onerror = (event) => {
      event.preventDefault()
      this.#lose(slot, new WorkerEnded(event.message || 'the worker did not start'))
    }
    worker.onmessageerror = () => this.#lose(slot, new WorkerEnded('the answer cannot be read'))
    worker.postMessage({ id: job.id, question: job.question })
  }

  #hear(slot: Slot, told: Told): void {
    const { job } = slot
    if (told.id !== job?.id) return
    if ('share' in told) {
      job.onProgress?.(told.share)
      return
    }
    slot.job = undefined
    job.resolve(told.answer)
    this.#fill()
  }

  #lose(slot: Slot, error: unknown): void {
    slot.worker?.terminate()
    slot.worker = undefined
    const { job } = slot
    slot.job = undefined
    job?.reject(error)
    this.#fill()
  }

  #stop(job: Job): void {
    const at = this.#waiting.indexOf(job)
    if (at >= 0) {
      this.#waiting.splice(at, 1)
      job.reject(job.signal?.reason)
      return
    }
    const slot = this.#slots.find((one) => one.job === job)
    if (slot) this.#lose(slot, job.signal?.reason)
  }

  #endWorkers(): void {
    for (const slot of this.#slots) {
      slot.worker?.terminate()
      slot.worker = undefined
    }
  }
}

/** Workers for this machine: one core stays free for the page, and phones with little memory get one worker. */
export function workerCount(cores: number, memoryGb: number): number {
  if (memoryGb <= 2) return 1
  return Math.max(1, Math.min(4, cores - 1))
}
