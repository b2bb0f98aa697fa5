/** Whittle's API for browsers, Node and Workers: files in, smaller files out, with the proof that nothing was lost. */
import { type Content, formOf, sourceOf } from './content.ts'
import { chunksOf, wholeOf } from './downloads.ts'
import { TaskFailedError } from './errors.ts'
import { Road, type Settings } from './road.ts'
import { type Deleted, type Formats, isUnderWay, type Task, type TaskCompleted, type TaskPage, type Usage, type Wishes } from './types.ts'
import { RESUMABLE_BYTES, type UploadOptions, upload } from './uploads.ts'

export interface SubmitOptions extends UploadOptions {
  /** Of the file; default: its own, where it has one, as a `File` does. */
  readonly name?: string
  /** The same key and file within a day are the same task; default: a key for this call, so that what is tried again is made once. */
  readonly idempotencyKey?: string
}

export interface WaitOptions {
  readonly signal?: AbortSignal
  /** How often `onProgress` hears of it; default 20. */
  readonly pollSeconds?: number
  /** Hears every answer that is not the last. */
  readonly onProgress?: (task: Task) => void
}

/** How long the answer to a file may take, where it is ready by then. */
const FIRST_WAIT_SECONDS = 10
const POLL_SECONDS = 20

export class Whittle {
  readonly #road: Road

  constructor(settings: Settings) {
    this.#road = new Road(settings)
  }

  /** Sends a file and waits for its end. @throws TaskFailedError, ApiError, UnreachableError */
  async compress(content: Content, wishes: Wishes = {}, options: SubmitOptions & WaitOptions = {}): Promise<TaskCompleted> {
    return this.wait(await this.submit(content, wishes, options), options)
  }

  /** Sends a file. The task may be completed already; above 32 MB it goes up in chunks. */
  async submit(content: Content, wishes: Wishes = {}, options: SubmitOptions = {}): Promise<Task> {
    const source = sourceOf(content)
    const name = options.name ?? ('name' in source ? String(source.name) : 'file')
    const headers = { 'idempotency-key': `"${options.idempotencyKey ?? crypto.randomUUID()}"`, prefer: `wait=${FIRST_WAIT_SECONDS}` }
    const signal = options.signal ?? null
    if (source.size > RESUMABLE_BYTES) {
      const body = JSON.stringify({ ...wishes, upload: await upload(this.#road, source, name, options) })
      const inJson = { ...headers, 'content-type': 'application/json' }
      return this.#road.json('/v1/compress', () => ({ method: 'POST', headers: inJson, body, signal }))
    }
    const task = await this.#road.json<Task>('/v1/compress', () => {
      const form = formOf(source, name, wishes, options.onSent ?? (() => undefined))
      return { ...form, method: 'POST', headers: { ...headers, ...form.headers }, signal }
    })
    options.onSent?.(source.size)
    return task
  }

  /** @returns the task once it is completed. @throws TaskFailedError */
  async wait(task: Task | string, { signal, pollSeconds = POLL_SECONDS, onProgress }: WaitOptions = {}): Promise<TaskCompleted> {
    let now = typeof task === 'string' ? await this.task(task, { signal }) : task
    while (isUnderWay(now)) {
      onProgress?.(now)
      now = await this.task(now.task_id, { waitSeconds: pollSeconds, signal })
    }
    if (now.status === 'failed') throw new TaskFailedError(now)
    return now
  }

  /** Where it is now, or after at most `waitSeconds` (60) where it ends sooner. */
  task(taskId: string, { waitSeconds = 0, signal }: { waitSeconds?: number; signal?: AbortSignal | undefined } = {}): Promise<Task> {
    const headers: Record<string, string> = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}
    return this.#road.json(`/v1/tasks/${taskId}`, () => ({ headers, signal: signal ?? null }))
  }

  /** The result, whose SHA-256 is the receipt's. @throws DamagedError where it is not */
  download(task: TaskCompleted, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return wholeOf(this.#road, task, signal)
  }

  /** The bytes as they come, for results that should not lie in memory; whoever reads them compares the hash. */
  chunks(taskId: string, signal?: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    return chunksOf(this.#road, taskId, signal)
  }

  /** The signed receipt, a compact JWS; the keys are at `/.well-known/jwks.json`. */
  async receipt(taskId: string): Promise<string> {
    return (await this.#road.send(`/v1/tasks/${taskId}/receipt`)).text()
  }

  /** The task and its result; what is still worked on is cancelled. */
  remove(taskId: string): Promise<Deleted> {
    return this.#road.json(`/v1/tasks/${taskId}`, () => ({ method: 'DELETE' }))
  }

  /** A page of them, newest first. */
  tasks({ limit = 20, cursor }: { limit?: number; cursor?: string | undefined } = {}): Promise<TaskPage> {
    return this.#road.json(`/v1/tasks?limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
  }

  /** Of this month. */
  usage(): Promise<Usage> {
    return this.#road.json('/v1/usage')
  }

  /** What goes in, what may come out, and the limits of the key. */
  formats(): Promise<Formats> {
    return this.#road.json('/v1/formats')
  }
}
