/** The service, as the command line needs it: the client of `packages/clients/typescript`, whose troubles are told in one line. */
import { Whittle } from '../../clients/typescript/src/client.ts'
import { ApiError, DamagedError, UnreachableError } from '../../clients/typescript/src/errors.ts'
import { fileAt, write } from '../../clients/typescript/src/node.ts'
import {
  type Deleted,
  type Formats,
  isUnderWay,
  type Task,
  type TaskCompleted,
  type TaskPage,
  type Usage,
  type Wishes,
} from '../../clients/typescript/src/types.ts'
import type { Server } from './config.ts'
import { Trouble } from './trouble.ts'

export { isUnderWay, type Task, type TaskCompleted, type Wishes }

/** What an earlier run left, and this one leaves. */
export interface Attempt {
  readonly key: string
  /** Path of a resumable upload that had begun. */
  readonly upload: string | undefined
  begun(upload: string): void
}

export class Client {
  readonly #whittle: Whittle
  constructor({ baseUrl, key }: Server) {
    this.#whittle = new Whittle({ baseUrl, key })
  }

  /** Sends a file; the key of the attempt makes a repeated upload find the same task. */
  compress(path: string, wishes: Wishes, attempt: Attempt, sent: (bytes: number) => void): Promise<Task> {
    const options = {
      idempotencyKey: attempt.key,
      resume: attempt.upload,
      onUpload: (upload: string) => attempt.begun(upload),
      onSent: sent,
    }
    return told(this.#whittle.submit(fileAt(path), wishes, options))
  }

  task(taskId: string, waitSeconds = 0): Promise<Task> {
    return told(this.#whittle.task(taskId, { waitSeconds }))
  }

  tasks(limit: number, cursor?: string): Promise<TaskPage> {
    return told(this.#whittle.tasks({ limit, cursor }))
  }

  usage(): Promise<Usage> {
    return told(this.#whittle.usage())
  }

  formats(): Promise<Formats> {
    return told(this.#whittle.formats())
  }

  remove(taskId: string): Promise<Deleted> {
    return told(this.#whittle.remove(taskId))
  }

  /** What lies at `path` afterwards has the hash of the receipt. */
  download(task: TaskCompleted, path: string, received: (bytes: number) => void): Promise<void> {
    return told(write(this.#whittle, task, path, received))
  }
}

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof UnreachableError) throw new Trouble('service', error.message)
    if (error instanceof DamagedError) throw new Trouble('failed', error.message)
    if (!(error instanceof ApiError)) throw error
    throw new Trouble(error.status === 401 || error.status === 403 || error.status >= 500 ? 'service' : 'failed', error.message)
  }
}
