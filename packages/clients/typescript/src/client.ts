/** Client of the Whittle API for browsers, Node and Workers. */
import { type Content, fieldOf, formOf, isFetched, sourceOf } from './content.ts'
import { DIRECT, type DirectResult, directResultOf, type StillRunning } from './direct.ts'
import { downloadAll, downloadChunks } from './downloads.ts'
import { ApiError, DamagedError, TaskFailedError } from './errors.ts'
import { type SyncWaitOptions, syncEnd } from './sync-events.ts'
import { type ClientOptions, pause, Transport } from './transport.ts'
import {
  type CompressOptions,
  type Connection,
  type Connections,
  type Deleted,
  type Formats,
  isUnderWay,
  type Sync,
  type SyncFields,
  type SyncPage,
  type Task,
  type TaskCompleted,
  type TaskPage,
  type UploadToken,
  type UploadTokenFields,
  type Usage,
} from './types.ts'
import { RESUMABLE_BYTES, type UploadOptions, upload } from './uploads.ts'

/** Options of an upload. */
export interface SubmitOptions extends UploadOptions {
  /** File name. Default: the `name` of the content, as a `File` has, otherwise `file`. */
  readonly name?: string
  /**
   * Idempotency key. Within a day, the same key and file return the same task. Default: a new key per call, so that retries create one
   * task.
   */
  readonly idempotencyKey?: string
}

/** Options of waiting for a task. */
export interface WaitOptions {
  /** Aborts the wait. */
  readonly signal?: AbortSignal
  /** Seconds of one status request, and so between calls of `onProgress`. Default: 20. */
  readonly pollSeconds?: number
  /** Called with each status of the task before its last one. */
  readonly onProgress?: (task: Task) => void
}

/** Options of the ZIP of a batch. */
export interface BatchZipOptions {
  /** `compressed`: without files that stayed unchanged. Default: all results. */
  readonly only?: 'compressed'
  readonly signal?: AbortSignal
}

/** Seconds that the service may hold the upload request until the task is completed. */
const FIRST_WAIT_SECONDS = 10
const POLL_SECONDS = 20
const DELIVERY_POLL_SECONDS = 2
/** Longest time that the service holds a request (`Prefer: wait`). */
const LONGEST_WAIT_SECONDS = 60

const waitOf = ({ response }: CompressOptions): number => (response === 'file' ? LONGEST_WAIT_SECONDS : FIRST_WAIT_SECONDS)

/**
 * Client of one Whittle service.
 *
 * @example
 * ```ts
 * const whittle = new Whittle({ baseUrl: 'https://whittle.example.com', key: 'whl_live_…' })
 * const task = await whittle.compress(file, { quality: 'low' })
 * const result = await whittle.download(task)
 * ```
 */
export class Whittle {
  readonly #transport: Transport

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options)
  }

  /**
   * Sends a file and waits until its task is completed.
   *
   * @example
   * ```ts
   * const task = await whittle.compress(file, { quality: 'low', format: 'webp' })
   * const bytes = await whittle.download(task)
   * ```
   * @param content the file, its address as a `URL`, or an object in a bucket
   * @param options quality, format and other fields of `POST /v1/compress`
   * @param control file name, idempotency key, progress and abort signal
   * @returns the completed task, with its receipt in `result`
   * @throws TaskFailedError if the task fails
   * @throws ApiError if the service refuses the request
   * @throws UnreachableError if the service does not respond
   */
  async compress(content: Content, options: CompressOptions = {}, control: SubmitOptions & WaitOptions = {}): Promise<TaskCompleted> {
    return this.wait(await this.submit(content, options, control), control)
  }

  /**
   * Sends a file without waiting for the task. Files above 32 MB are sent in chunks (tus 1.0.0).
   *
   * @example
   * ```ts
   * const task = await whittle.submit(file, { callback_url: 'https://example.com/hook' })
   * ```
   * @returns the task, which may be completed already
   * @throws ApiError, UnreachableError
   */
  async submit(content: Content, options: CompressOptions = {}, control: SubmitOptions = {}): Promise<Task> {
    return (await (await this.#post(content, options, control)).json()) as Task
  }

  /**
   * Compresses a file in one request. The response is the result itself, and the service keeps nothing afterwards.
   *
   * @example
   * ```ts
   * const result = await whittle.compressDirectly(file, { quality: 'low' })
   * if (result.kind === 'file') await writeFile(result.name, result.body)
   * ```
   * @returns the result, or the task if it takes longer than the service waits (60 s)
   * @throws ApiError also if the task fails
   * @throws UnreachableError if the service does not respond
   * @throws DamagedError if the response is not the service's
   */
  async compressDirectly(
    content: Content,
    options: CompressOptions = {},
    control: SubmitOptions = {},
  ): Promise<DirectResult | StillRunning> {
    const fields = { ...options, ...DIRECT }
    const response = await this.#post(content, fields, control).catch((error: unknown) => {
      // An earlier response with this idempotency key was sent in full, but did not arrive. Its task is gone.
      if (!(error instanceof ApiError) || error.type !== 'unknown_task') throw error
      return this.#post(content, fields, { ...control, idempotencyKey: crypto.randomUUID() })
    })
    return directResultOf(response, control.name ?? 'file')
  }

  async #post(content: Content, options: CompressOptions, control: SubmitOptions): Promise<Response> {
    const headers = { 'idempotency-key': `"${control.idempotencyKey ?? crypto.randomUUID()}"`, prefer: `wait=${waitOf(options)}` }
    const signal = control.signal ?? null
    const postJson = (fields: object) => {
      const jsonHeaders = { ...headers, 'content-type': 'application/json' }
      return this.#transport.send('/v1/compress', () => ({ method: 'POST', headers: jsonHeaders, body: JSON.stringify(fields), signal }))
    }
    if (isFetched(content)) return postJson({ ...options, ...fieldOf(content) })
    const source = sourceOf(content)
    const name = control.name ?? ('name' in source ? String(source.name) : 'file')
    if (source.size > RESUMABLE_BYTES) return postJson({ ...options, upload: await upload(this.#transport, source, name, control) })
    const response = await this.#transport.send('/v1/compress', () => {
      const form = formOf(source, name, options, control.onSent ?? (() => undefined))
      return { ...form, method: 'POST', headers: { ...headers, ...form.headers }, signal }
    })
    control.onSent?.(source.size)
    return response
  }

  /**
   * Waits until a task is completed.
   *
   * @example
   * ```ts
   * const task = await whittle.wait('tsk_…', { onProgress: ({ status }) => console.log(status) })
   * ```
   * @param task a task or its id
   * @throws TaskFailedError if the task fails
   * @throws ApiError, UnreachableError
   */
  async wait(task: Task | string, { signal, pollSeconds = POLL_SECONDS, onProgress }: WaitOptions = {}): Promise<TaskCompleted> {
    let current = typeof task === 'string' ? await this.task(task, { signal }) : task
    while (isUnderWay(current)) {
      onProgress?.(current)
      current = await this.task(current.task_id, { waitSeconds: pollSeconds, signal })
    }
    if (current.status === 'failed') throw new TaskFailedError(current)
    return current
  }

  /**
   * Waits until the service has sent a result to its `destination` or `destination_url`, or has given up.
   *
   * @param pollSeconds seconds between two requests for the state; default: 2
   * @returns the task, whose `delivery.status` is `delivered` or `failed`
   * @throws ApiError, UnreachableError
   */
  async delivered(
    task: TaskCompleted,
    { signal, pollSeconds = DELIVERY_POLL_SECONDS }: Omit<WaitOptions, 'onProgress'> = {},
  ): Promise<TaskCompleted> {
    let current = task
    while (current.delivery?.status === 'pending') {
      signal?.throwIfAborted()
      await pause(pollSeconds * 1000, signal)
      current = await this.wait(current.task_id, signal ? { signal } : {})
    }
    return current
  }

  /**
   * Returns the current state of a task.
   *
   * @param waitSeconds seconds to wait for the end of the task, at most 60; default: 0
   */
  task(taskId: string, { waitSeconds = 0, signal }: { waitSeconds?: number; signal?: AbortSignal | undefined } = {}): Promise<Task> {
    const headers: Record<string, string> = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}
    return this.#transport.json(`/v1/tasks/${taskId}`, () => ({ headers, signal: signal ?? null }))
  }

  /**
   * Downloads a result and verifies its SHA-256 against the receipt.
   *
   * @returns the whole result in memory
   * @throws DamagedError if the hash differs
   */
  download(task: TaskCompleted, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    return downloadAll(this.#transport, task, signal)
  }

  /** Streams a result, for files that do not fit in memory. The caller must verify the hash, for example with `compareHash`. */
  chunks(taskId: string, signal?: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    return downloadChunks(this.#transport, taskId, signal)
  }

  /**
   * Streams the results of a batch as one ZIP, with the receipts in `_receipts.json`. Tasks that are not completed are left out.
   *
   * @example
   * ```ts
   * const zip = await whittle.batchZip('bat_…', { only: 'compressed' })
   * ```
   * @throws ApiError if no task of the batch is completed, or the batch is unknown
   */
  async batchZip(batchId: string, { only, signal }: BatchZipOptions = {}): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const path = `/v1/batches/${encodeURIComponent(batchId)}/download${only === undefined ? '' : `?only=${only}`}`
    const { body } = await this.#transport.send(path, () => ({ signal: signal ?? null }))
    if (!body) throw new DamagedError(`the ZIP of ${batchId} is empty`)
    return body
  }

  /** Returns the signed receipt, a compact JWS. The public keys are at `/.well-known/jwks.json`. */
  async receipt(taskId: string): Promise<string> {
    return (await this.#transport.send(`/v1/tasks/${taskId}/receipt`)).text()
  }

  /** Deletes a task and its result. A task in progress is cancelled. */
  remove(taskId: string): Promise<Deleted> {
    return this.#transport.json(`/v1/tasks/${taskId}`, () => ({ method: 'DELETE' }))
  }

  /** Returns one page of tasks, newest first. `limit`: 1–100, default: 20. `cursor`: `next_cursor` of the previous page. */
  tasks({ limit = 20, cursor }: { limit?: number; cursor?: string | undefined } = {}): Promise<TaskPage> {
    return this.#transport.json(`/v1/tasks?limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
  }

  /**
   * Makes a token with which a page of `origin` sends files itself, as the `key` of its own `Whittle`. Call it on your server.
   *
   * @example
   * ```ts
   * const { token } = await whittle.uploadToken({ origin: 'https://app.example.com', formats: ['jpg', 'png'], max_bytes: 10_000_000 })
   * ```
   * @throws ApiError if the key lacks the scope `tokens`, or a field is wrong
   */
  uploadToken(fields: UploadTokenFields): Promise<UploadToken> {
    const headers = { 'content-type': 'application/json' }
    return this.#transport.json('/v1/upload-tokens', () => ({ method: 'POST', headers, body: JSON.stringify(fields) }))
  }

  /** Returns the bucket connections of the account. Their credentials are never in the response. */
  async connections(): Promise<Connection[]> {
    return (await this.#transport.json<Connections>('/v1/connections')).connections
  }

  /**
   * Starts a sync: the service compresses the objects of a bucket into another by itself. Connections name the buckets.
   *
   * @example
   * ```ts
   * const { sync_id } = await whittle.startSync({
   *   source: { connection: 'shop', prefix: 'photos/' },
   *   destination: { connection: 'shop', prefix: 'small/' },
   * })
   * ```
   * @throws ApiError for example `sync_running`, if one runs between these places
   */
  startSync(fields: SyncFields): Promise<Sync> {
    const headers = { 'content-type': 'application/json' }
    return this.#transport.json('/v1/syncs', () => ({ method: 'POST', headers, body: JSON.stringify(fields) }))
  }

  /** Returns the current state of a sync. */
  sync(syncId: string): Promise<Sync> {
    return this.#transport.json(syncPath(syncId))
  }

  /**
   * Waits until a sync ends, whether it completes, fails or is cancelled. The service sends its progress as events.
   *
   * @throws ApiError, UnreachableError
   */
  waitForSync(syncId: string, options: SyncWaitOptions = {}): Promise<Sync> {
    return syncEnd(this.#transport, `${syncPath(syncId)}/events`, options)
  }

  /** Returns one page of syncs, newest first. `limit`: 1–100, default: 20. `cursor`: `next_cursor` of the previous page. */
  syncs({ limit = 20, cursor }: { limit?: number; cursor?: string | undefined } = {}): Promise<SyncPage> {
    return this.#transport.json(`/v1/syncs?limit=${limit}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
  }

  /** Cancels a sync. What it has written stays at the destination. */
  cancelSync(syncId: string): Promise<Sync> {
    return this.#transport.json(syncPath(syncId), () => ({ method: 'DELETE' }))
  }

  /** Goes on with a failed sync, or ends the pause of a paused one. */
  resumeSync(syncId: string): Promise<Sync> {
    return this.#transport.json(`${syncPath(syncId)}/resume`, () => ({ method: 'POST' }))
  }

  /** Returns the usage of this month. */
  usage(): Promise<Usage> {
    return this.#transport.json('/v1/usage')
  }

  /** Returns the input formats, their output formats, and the limits of the key. */
  formats(): Promise<Formats> {
    return this.#transport.json('/v1/formats')
  }
}

const syncPath = (syncId: string) => `/v1/syncs/${encodeURIComponent(syncId)}`
