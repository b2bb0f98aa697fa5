/** A pool of worker threads. If a thread crashes, its job fails and the next job gets a new thread. */
import { Worker } from 'node:worker_threads'
import { CliError } from './trouble.ts'
import type { Answer, Job } from './worker-messages.ts'

/** Heap of a thread in megabytes. Wasm memory is limited by the budget of the job. */
const HEAP_MB = 2048

export class WorkerPool {
  readonly #script: URL
  readonly #idle: Worker[] = []
  readonly #all = new Set<Worker>()

  /** @param script module of the threads; default: the engines */
  constructor(script: URL = new URL('./worker.js', import.meta.url)) {
    this.#script = script
  }

  /** Starts a thread before the first job needs it. */
  warm(): void {
    this.#idle.push(this.#start())
  }

  /**
   * Runs a job in an idle or new thread. The caller limits the number of jobs.
   * @throws CliError if the thread crashes; the reason of `signal` if it is aborted, which ends the thread
   */
  async run(job: Job, signal?: AbortSignal, onProgress?: (share: number) => void): Promise<Exclude<Answer, { kind: 'progress' }>> {
    signal?.throwIfAborted()
    const worker = this.#idle.pop() ?? this.#start()
    try {
      const answer = await answerOf(worker, job, signal, onProgress)
      if (answer.kind === 'failed' && !answer.isExpected) await this.#end(worker)
      else this.#idle.push(worker)
      return answer
    } catch (error) {
      await this.#end(worker)
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => this.#end(worker)))
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } })
    this.#all.add(worker)
    return worker
  }

  async #end(worker: Worker): Promise<void> {
    this.#all.delete(worker)
    await worker.terminate()
  }
}

function answerOf(
  worker: Worker,
  job: Job,
  signal: AbortSignal | undefined,
  onProgress: (share: number) => void = () => undefined,
): Promise<Exclude<Answer, { kind: 'progress' }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: Answer) => (answer.kind === 'progress' ? onProgress(answer.share) : finish(() => resolve(answer)))
    const onError = (error: NodeJS.ErrnoException) =>
      finish(() =>
        reject(
          new CliError('failed', `the engine stopped: ${error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of memory' : error.message}`),
        ),
      )
    const onExit = (code: number) => finish(() => reject(new CliError('failed', `the engine stopped with exit code ${code}`)))
    const onAbort = () => finish(() => reject(signal!.reason as Error))
    const finish = (settle: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
      settle()
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal?.addEventListener('abort', onAbort)
    worker.postMessage(job)
  })
}
