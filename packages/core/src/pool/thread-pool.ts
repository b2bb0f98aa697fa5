/** A pool of threads for any platform. If a thread crashes, its job fails and the next job gets a new thread. */
import { errorOf, type FromThread, type Jobs, ownCopy, type Sources, type ToThread } from './messages.ts'

/** What a pool is told by a thread. */
export interface ThreadListener {
  message(message: FromThread): void
  /** Called once if the thread crashes or ends. */
  ended(error: Error): void
}

/** A thread of some platform: of `node:worker_threads`, or a module worker. */
export interface Thread {
  post(message: ToThread): void
  /** Sets what is told about the current job. `undefined`: nothing is. */
  listen(listener: ThreadListener | undefined): void
  /** Ends the thread at once, which frees its memory. */
  end(): Promise<void>
}

export interface JobControl {
  /** Ends the thread of the job. `undefined`: the job cannot be stopped. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((share: number) => void) | undefined
  /** Sources that the thread reads by messages. Default: none. */
  readonly sources?: Sources
}

interface Waiting {
  resolve(thread: Thread): void
  reject(error: Error): void
}

export class ThreadPool<Known extends Jobs> {
  readonly #start: () => Thread
  readonly #threads: number
  readonly #idle: Thread[] = []
  readonly #all = new Set<Thread>()
  #waiting: Waiting[] = []
  #isClosed = false

  /**
   * @param start starts a thread that runs `serve`
   * @param threads most threads at the same time
   * @throws RangeError if `threads` is no whole number above 0
   */
  constructor(start: () => Thread, threads: number) {
    if (!Number.isInteger(threads) || threads < 1) throw new RangeError(`threads must be a whole number of at least 1, got ${threads}`)
    this.#start = start
    this.#threads = threads
  }

  /** Starts a thread before the first job needs it. */
  warm(): void {
    if (this.#all.size === 0) this.#idle.push(this.#add())
  }

  /**
   * Runs a job in an idle or new thread. If all threads are busy, the job waits for its turn.
   * @throws the error of the job; Error if the thread crashes; the reason of `signal` if it is aborted, which ends the thread
   */
  async run<Kind extends keyof Known & string>(
    kind: Kind,
    job: Known[Kind]['job'],
    control: JobControl = {},
  ): Promise<Known[Kind]['value']> {
    control.signal?.throwIfAborted()
    const thread = await this.#free(control.signal)
    let canGoOn = false
    try {
      const answer = await answerOf(thread, { kind: 'job', name: kind, job }, control)
      canGoOn = answer.kind === 'done' || answer.isExpected
      if (answer.kind === 'failed') throw errorOf(answer.error)
      return answer.value
    } finally {
      this.#release(thread, canGoOn)
    }
  }

  /** Ends all threads. Jobs that run or wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(closedError())
    const ending = [...this.#all].map((thread) => thread.end())
    this.#all.clear()
    await Promise.all(ending)
  }

  #add(): Thread {
    const thread = this.#start()
    this.#all.add(thread)
    return thread
  }

  #free(signal: AbortSignal | undefined): Promise<Thread> {
    if (this.#isClosed) return Promise.reject(closedError())
    const idle = this.#idle.pop()
    if (idle) return Promise.resolve(idle)
    if (this.#all.size < this.#threads) return Promise.resolve(this.#add())
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        reject(signal?.reason)
      }
      const settle = () => signal?.removeEventListener('abort', abort)
      const waiting: Waiting = {
        resolve(thread) {
          settle()
          resolve(thread)
        },
        reject(error) {
          settle()
          reject(error)
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.push(waiting)
    })
  }

  /** Hands a thread, or a new one instead of a damaged one, to the next job. */
  #release(thread: Thread, canGoOn: boolean): void {
    if (this.#isClosed) return
    if (!canGoOn) {
      this.#all.delete(thread)
      void thread.end()
    }
    const next = this.#waiting.shift()
    if (next) next.resolve(canGoOn ? thread : this.#add())
    else if (canGoOn) this.#idle.push(thread)
  }
}

const closedError = () => new Error('the pool is closed')

type Answer = Extract<FromThread, { kind: 'done' | 'failed' }>

function answerOf(thread: Thread, message: ToThread, { signal, onProgress, sources = [] }: JobControl): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      thread.listen(undefined)
      signal?.removeEventListener('abort', abort)
      settle()
    }
    const abort = () => finish(() => reject(signal?.reason))
    thread.listen({
      message(answer) {
        if (answer.kind === 'progress') onProgress?.(answer.share)
        else if (answer.kind === 'read') void read(thread, answer, sources)
        else finish(() => resolve(answer))
      },
      ended: (error) => finish(() => reject(error)),
    })
    signal?.addEventListener('abort', abort)
    try {
      thread.post(message)
    } catch (error) {
      // An option cannot be copied to another thread.
      finish(() => reject(error))
    }
  })
}

/** Answers a thread that asks for bytes of a source. */
async function read(
  thread: Thread,
  { id, source, offset, length }: Extract<FromThread, { kind: 'read' }>,
  sources: Sources,
): Promise<void> {
  try {
    const bytes = await sources[source]?.read(offset, length)
    thread.post({ kind: 'range', id, ...(bytes ? { bytes: ownCopy(bytes) } : { message: 'no such source' }) })
  } catch (error) {
    thread.post({ kind: 'range', id, message: error instanceof Error ? error.message : String(error) })
  }
}
