/** Compresses with a service: uploads, waits, downloads, and compares the hash. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ReceiptView } from '../../../src/core/model/receipt.ts'
import { Client, isUnderWay, type Task, type TaskCompleted } from './client.ts'
import type { Server } from './config.ts'
import type { Engine, EngineRequest, EngineResult } from './engine.ts'
import type { InputFile } from './files.ts'

/** Seconds that a request for the state of a task waits. */
const WAIT_SECONDS = 2

export class RemoteEngine implements Engine {
  readonly label: string
  readonly parallel = 4
  readonly #client: Client

  constructor(server: Server) {
    this.label = server.label
    this.#client = new Client(server)
  }

  async compress(job: InputFile, request: EngineRequest): Promise<EngineResult> {
    const task = await this.#finished(job, request)
    const settle = async () => void (request.keep || (await this.#client.remove(task.task_id)))
    if (task.status === 'failed') return { status: 'failed', message: task.error.message, task, settle }
    const received = (bytes: number) => request.progress('download', bytes / task.compressed_size)
    const facts = { ...task, result: task.result as ReceiptView }
    return { status: 'completed', facts, task, store: (path) => download(this.#client, task, path, received), settle }
  }

  async #finished(job: InputFile, { options, attempt, signal, progress }: EngineRequest) {
    let task: Task = await this.#client.compress(job.path, options, attempt, (bytes) => progress('upload', bytes / job.size))
    while (isUnderWay(task)) {
      progress('compress', task.progress)
      signal.throwIfAborted()
      task = await this.#client.task(task.task_id, WAIT_SECONDS)
    }
    return task
  }

  async close(): Promise<void> {}
}

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
