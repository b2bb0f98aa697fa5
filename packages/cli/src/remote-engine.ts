/** Compresses with a service: in one request a file, or by tasks that the service keeps. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ReceiptView } from '../../../src/core/model/receipt.ts'
import { Client, type DirectResult, isUnderWay, type Task, type TaskCompleted, type TaskFailed } from './client.ts'
import type { Server } from './config.ts'
import { drain, writeDirect } from './direct-result.ts'
import type { Engine, EngineRequest, EngineResult, ResultFacts } from './engine.ts'
import type { InputFile } from './files.ts'
import { CliError } from './trouble.ts'

type EndedTask = TaskCompleted | TaskFailed

/** Seconds that a request for the state of a task waits. */
const WAIT_SECONDS = 2
/** Times that a response is requested again after the connection broke. The idempotency key finds its task. */
const REPEATS = 2

export class RemoteEngine implements Engine {
  readonly label: string
  readonly parallel = 4
  readonly #client: Client

  constructor(server: Server) {
    this.label = server.label
    this.#client = new Client(server)
  }

  async compress(job: InputFile, request: EngineRequest): Promise<EngineResult> {
    const { options, attempt, progress } = request
    const sent = (bytes: number) => progress('upload', bytes / Math.max(1, job.size))
    // A result that is sent elsewhere stays until it is delivered.
    if (request.keep || options.destination_url !== undefined || options.destination !== undefined)
      return this.#ofTask(await this.#client.compress(job.path, options, attempt, sent), request)
    const answer = await this.#client.compressDirectly(job.path, options, attempt, sent)
    return answer.kind === 'task' ? this.#ofTask(answer.task, request) : this.#ofResponse(job, answer, request)
  }

  async close(): Promise<void> {}

  /** Result of a task, once it has ended. */
  async #ofTask(first: Task, { keep, signal, progress }: EngineRequest): Promise<EngineResult> {
    const task = await this.#ended(first, signal, progress)
    // A task that is not kept ends with its first download.
    let isGone = keep
    const settle = async () => void (isGone || (await this.#client.remove(task.task_id)))
    if (task.status === 'failed') return { status: 'failed', message: task.error.message, task, settle }
    if (task.delivery?.status === 'failed') return { status: 'failed', message: undelivered(task.delivery), task, settle }
    const completed = task
    const store = async (path: string) => {
      const stored = await download(this.#client, completed, path, (bytes) => progress('download', bytes / completed.compressed_size))
      isGone = true
      return stored
    }
    return { status: 'completed', facts: { ...task, result: task.result as ReceiptView }, task, store, settle }
  }

  /** Waits until a task has ended, and until its result has been delivered or the delivery has failed. */
  async #ended(first: Task, signal: AbortSignal, progress: EngineRequest['progress']): Promise<EndedTask> {
    let task = first
    while (isUnderWay(task)) {
      progress('compress', task.progress)
      signal.throwIfAborted()
      task = await this.#client.task(task.task_id, WAIT_SECONDS)
    }
    if (task.status !== 'completed' || task.delivery?.status !== 'pending') return task
    signal.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, WAIT_SECONDS * 1000))
    return this.#ended(await this.#client.task(task.task_id), signal, progress)
  }

  /** Result whose bytes are the body of the response. The service deletes it when they have all been read. */
  async #ofResponse(job: InputFile, answer: DirectResult, request: EngineRequest): Promise<EngineResult> {
    const facts = await this.#factsOf(answer)
    let isRead = false
    const store = async (path: string) => {
      isRead = true
      return await this.#write(job, answer, request, path)
    }
    return { status: 'completed', facts, store, settle: async () => void (isRead || (await drain(answer))) }
  }

  /** Facts of the receipt. A receipt that is too long for a header is requested before the task is deleted. */
  async #factsOf({ receipt, taskId, name }: DirectResult): Promise<ResultFacts> {
    const [, payload] = receipt?.split('.') ?? []
    if (payload !== undefined) return { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as ResultFacts), output_name: name }
    const task = (await this.#client.task(taskId)) as TaskCompleted
    return { ...task, result: task.result as ReceiptView }
  }

  async #write(job: InputFile, first: DirectResult, { options, attempt, progress }: EngineRequest, path: string): Promise<string> {
    const received = (share: number) => progress('download', share)
    let answer = first
    for (let repeats = 0; ; repeats++) {
      try {
        return await writeDirect(answer, path, received)
      } catch (error) {
        if (error instanceof CliError || repeats === REPEATS) throw error
        const again = await this.#client.compressDirectly(job.path, options, attempt, () => undefined)
        if (again.kind === 'task') throw error
        answer = again
      }
    }
  }
}

const undelivered = ({ attempts, last_status: status }: NonNullable<Task['delivery']>) =>
  `the result could not be delivered in ${attempts} attempts (${status === null ? 'no answer' : `last status ${status}`})`

/**
 * Downloads a result under a temporary name until its hash matches the receipt, so that a partial download never looks like a result.
 * @returns the temporary path
 */
export async function download(client: Client, task: TaskCompleted, path: string, received: (bytes: number) => void): Promise<string> {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${task.task_id}.part`
  await client.download(task, temporary, received)
  return temporary
}
