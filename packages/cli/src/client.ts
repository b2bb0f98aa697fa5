/** The TypeScript client with errors that the CLI prints in one line. */
import { Whittle } from '../../clients/typescript/src/client.ts'
import type { DirectResult, StillRunning } from '../../clients/typescript/src/direct.ts'
import { ApiError, DamagedError, UnreachableError } from '../../clients/typescript/src/errors.ts'
import { fileAt, write } from '../../clients/typescript/src/node.ts'
import {
  type CompressOptions,
  type Connection,
  type Deleted,
  type Formats,
  isUnderWay,
  type Sync,
  type SyncFields,
  type SyncPage,
  type Task,
  type TaskCompleted,
  type TaskFailed,
  type TaskPage,
  type Usage,
} from '../../clients/typescript/src/types.ts'
import { fetchedInput, isAddress } from './address.ts'
import type { Server } from './config.ts'
import { CliError } from './trouble.ts'

export {
  type CompressOptions,
  type Connection,
  type DirectResult,
  isUnderWay,
  type StillRunning,
  type Sync,
  type SyncFields,
  type Task,
  type TaskCompleted,
  type TaskFailed,
}

/** Upload state of one file that survives an interrupted run. */
export interface UploadState {
  readonly key: string
  /** Path of the resumable upload, if one was started. */
  readonly upload: string | undefined
  onUploadStarted(upload: string): void
}

export class Client {
  readonly #whittle: Whittle
  constructor({ baseUrl, key }: Server) {
    this.#whittle = new Whittle({ baseUrl, key })
  }

  /** Uploads a file. The idempotency key lets a repeated upload find the same task. */
  compress(path: string, options: CompressOptions, attempt: UploadState, onSent: (bytes: number) => void): Promise<Task> {
    return withCliErrors(this.#whittle.submit(contentAt(path), options, controlOf(attempt, onSent)))
  }

  /** Uploads a file, and returns its result in the same request. A failed task is an error with exit code 1. */
  compressDirectly(
    path: string,
    options: CompressOptions,
    attempt: UploadState,
    onSent: (bytes: number) => void,
  ): Promise<DirectResult | StillRunning> {
    const answer = this.#whittle.compressDirectly(contentAt(path), options, controlOf(attempt, onSent))
    // Status 500 is about this file only: its task has failed.
    return withCliErrors(answer, (status) => status === 500)
  }

  task(taskId: string, waitSeconds = 0): Promise<Task> {
    return withCliErrors(this.#whittle.task(taskId, { waitSeconds }))
  }

  tasks(limit: number, cursor?: string): Promise<TaskPage> {
    return withCliErrors(this.#whittle.tasks({ limit, cursor }))
  }

  usage(): Promise<Usage> {
    return withCliErrors(this.#whittle.usage())
  }

  formats(): Promise<Formats> {
    return withCliErrors(this.#whittle.formats())
  }

  connections(): Promise<Connection[]> {
    return withCliErrors(this.#whittle.connections())
  }

  sync(syncId: string): Promise<Sync> {
    return withCliErrors(this.#whittle.sync(syncId))
  }

  syncs(limit: number): Promise<SyncPage> {
    return withCliErrors(this.#whittle.syncs({ limit }))
  }

  startSync(fields: SyncFields): Promise<Sync> {
    return withCliErrors(this.#whittle.startSync(fields))
  }

  /** Waits until a sync ends. */
  waitForSync(syncId: string, onProgress: (sync: Sync) => void): Promise<Sync> {
    return withCliErrors(this.#whittle.waitForSync(syncId, { onProgress }))
  }

  cancelSync(syncId: string): Promise<Sync> {
    return withCliErrors(this.#whittle.cancelSync(syncId))
  }

  resumeSync(syncId: string): Promise<Sync> {
    return withCliErrors(this.#whittle.resumeSync(syncId))
  }

  remove(taskId: string): Promise<Deleted> {
    return withCliErrors(this.#whittle.remove(taskId))
  }

  /** Downloads the result to `path` and verifies its hash against the receipt. */
  download(task: TaskCompleted, path: string, received: (bytes: number) => void): Promise<void> {
    return withCliErrors(write(this.#whittle, task, path, received))
  }
}

const contentAt = (path: string) => (isAddress(path) ? fetchedInput(path) : fileAt(path))

const controlOf = (attempt: UploadState, onSent: (bytes: number) => void) => ({
  idempotencyKey: attempt.key,
  resume: attempt.upload,
  onUpload: (upload: string) => attempt.onUploadStarted(upload),
  onSent,
})

/** @param isAboutFile true for a status that does not concern other files */
async function withCliErrors<T>(work: Promise<T>, isAboutFile: (status: number) => boolean = () => false): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof UnreachableError) throw new CliError('service', error.message)
    if (error instanceof DamagedError) throw new CliError('failed', error.message)
    if (!(error instanceof ApiError)) throw error
    const { status, message } = error
    const concernsAll = status === 401 || status === 403 || (status >= 500 && !isAboutFile(status))
    throw new CliError(concernsAll ? 'service' : 'failed', message)
  }
}
