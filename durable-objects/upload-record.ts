import { DurableObject } from 'cloudflare:workers'
import { Sha256 } from '../src/core/bytes/sha256.ts'
import type { Env } from '../src/service/env.ts'
import { abortMultipart } from '../src/service/store/blobs.ts'
import { decryptText, encryptText } from '../src/service/store/password-encryption.ts'
import { withRegionBindings } from '../src/service/store/region-bindings.ts'
import { uploadBlobKey } from '../src/service/store/resumable.ts'
import {
  type NewUpload,
  type OpenUploadResult,
  type StoredPart,
  taskIdOfUpload,
  type UploadPiece,
  type UploadProgress,
  type UploadRecordApi,
  type UploadState,
  type UseUploadResult,
} from '../src/service/store/upload-records.ts'
import { createTaskOfUpload } from '../src/service/tasks/resumable.ts'
import { settleTokenFile } from '../src/service/tasks/token-rules.ts'

const SOON_MS = 5000
/** Time in milliseconds that a request may take to create the task of an upload before another request may try. */
const CLAIM_MS = 2 * 60_000

const SCHEMA = 'CREATE TABLE IF NOT EXISTS parts (number INTEGER PRIMARY KEY, etag TEXT NOT NULL)'

/** State of an upload that changes while bytes arrive. Written as one row. */
interface ReceivedState {
  readonly offset: number
  readonly hash: Uint8Array
  readonly pieces: readonly UploadPiece[]
  readonly isWhole: boolean
  readonly taskId?: string
}

/**
 * Durable Object of one resumable upload: which stored bytes count, which request may write, and the task that it became.
 * The alarm creates a task that no request created, and removes uploads that expired or are no longer needed.
 */
export class UploadRecord extends DurableObject<Env> implements UploadRecordApi {
  #upload: NewUpload | undefined
  #received: ReceivedState | undefined
  /** Highest part number that was assigned so far. */
  #lastPartNumber: number
  /**
   * Token of the request that may write. `undefined` after a restart: the first request that knows the last committed offset may write.
   */
  #lock: number | undefined
  /** Request that is creating the upload's task, and until when (epoch milliseconds). `undefined`: none. */
  #claim: { readonly by: string; readonly until: number } | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withRegionBindings(env))
    const { kv } = ctx.storage
    this.#upload = kv.get<NewUpload>('upload')
    this.#received = kv.get<ReceivedState>('arrived')
    this.#lastPartNumber = kv.get<number>('numbers') ?? 0
  }

  async create(upload: NewUpload, password?: string): Promise<UploadState> {
    const known = this.#state()
    if (known) return known
    const { kv, sql } = this.ctx.storage
    const encrypted = password === undefined ? undefined : await encryptText(password, this.#secret(), upload.uploadId)
    sql.exec(SCHEMA)
    if (encrypted) kv.put('password', encrypted)
    kv.put('upload', upload)
    this.#upload = upload
    this.#put({ offset: 0, hash: new Sha256().state(), pieces: [], isWhole: false })
    // No `await` between the write and the alarm, so that a crash cannot leave a record without an alarm.
    void this.ctx.storage.setAlarm(upload.expiresAt)
    return this.#state()!
  }

  async read() {
    return this.#state()
  }

  async open(accountId: string, offset: number): Promise<OpenUploadResult> {
    const upload = this.#state()
    if (!upload || upload.accountId !== accountId) return { kind: 'unknown' }
    if (upload.offset !== offset) return { kind: 'elsewhere', offset: upload.offset }
    this.#lock = crypto.getRandomValues(new Uint32Array(1))[0]!
    return { kind: 'open', turn: this.#lock, upload }
  }

  async nextPart(lock: number): Promise<number | undefined> {
    if (!this.#received || (this.#lock ?? lock) !== lock) return undefined
    this.#lastPartNumber++
    this.ctx.storage.kv.put('numbers', this.#lastPartNumber)
    return this.#lastPartNumber
  }

  async commit(lock: number, { from, offset, hash, parts, pieces }: UploadProgress): Promise<boolean> {
    const [upload, received] = [this.#upload, this.#received]
    if (!upload || !received || (this.#lock ?? lock) !== lock) return false
    // The request repeats its commit because the response was lost, so report success again.
    if (this.#lock === lock && received.offset === offset) return true
    if (received.offset !== from) return false
    this.#lock = lock
    this.ctx.storage.transactionSync(() => {
      for (const { partNumber, etag } of parts) {
        this.ctx.storage.sql.exec('INSERT INTO parts (number, etag) VALUES (?, ?)', partNumber, etag)
      }
      this.#put({ ...received, offset, hash, pieces })
    })
    // The request that wrote the last byte creates the task. This alarm creates it if that request was interrupted.
    if (offset === upload.size && upload.compress) await this.#setAlarmBy(Date.now() + SOON_MS)
    return true
  }

  async parts(): Promise<StoredPart[]> {
    const rows = this.ctx.storage.sql.exec<{ number: number; etag: string }>('SELECT number, etag FROM parts ORDER BY number')
    return [...rows].map(({ number, etag }) => ({ partNumber: number, etag }))
  }

  async whole() {
    if (this.#received) this.#put({ ...this.#received, isWhole: true })
  }

  async use(accountId: string, requestId: string): Promise<UseUploadResult> {
    const upload = this.#state()
    if (!upload || upload.accountId !== accountId) return { kind: 'unknown' }
    const now = Date.now()
    const isClaimed = this.#claim !== undefined && this.#claim.until > now && this.#claim.by !== requestId
    if (upload.taskId !== undefined || isClaimed) return { kind: 'used' }
    if (upload.offset < upload.size) return { kind: 'unfinished', offset: upload.offset, size: upload.size }
    this.#claim = { by: requestId, until: now + CLAIM_MS }
    const encrypted = this.ctx.storage.kv.get<Uint8Array>('password')
    const password = encrypted && (await decryptText(encrypted, this.#secret(), upload.uploadId))
    return { kind: 'taken', upload, ...(password === undefined ? {} : { password }) }
  }

  async used() {
    if (!this.#upload || !this.#received) return
    this.ctx.storage.kv.delete('password')
    this.#put({ ...this.#received, taskId: taskIdOfUpload(this.#upload.uploadId) })
  }

  async unuse() {
    this.#claim = undefined
  }

  async remove() {
    const upload = this.#state()
    if (!upload) return false
    await this.#removeBlobs(upload)
    if (upload.taskId === undefined) {
      const taskId = taskIdOfUpload(upload.uploadId)
      await this.env.ACCOUNTS.getByName(upload.accountId).release(taskId)
      if (upload.token) await settleTokenFile(this.env, upload.token, taskId, 'refused')
    }
    // Delete the upload's record before its alarm: an alarm without a record does nothing, but a record without an alarm would stay
    // forever.
    await this.ctx.storage.deleteAll()
    await this.ctx.storage.deleteAlarm()
    this.#upload = this.#received = undefined
    return true
  }

  async names() {
    const upload = this.#state()
    return upload && [uploadBlobKey(upload), ...upload.pieces.map(({ key }) => key)]
  }

  override async alarm(): Promise<void> {
    const upload = this.#state()
    if (!upload) return
    if (upload.expiresAt <= Date.now()) {
      await this.remove()
      return
    }
    await this.#setAlarmBy(upload.expiresAt)
    if (upload.offset < upload.size || !upload.compress || upload.taskId !== undefined) return
    try {
      await createTaskOfUpload(this.env, this, upload)
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'upload_task_failed', upload_id: upload.uploadId, error: String(error) }))
      await this.#setAlarmBy(Date.now() + CLAIM_MS)
    }
  }

  /** Sets the alarm to `time` (epoch milliseconds) unless an earlier one is set. While the alarm handler runs, none is set. */
  async #setAlarmBy(time: number): Promise<void> {
    const next = await this.ctx.storage.getAlarm()
    if (next === null || next > time) await this.ctx.storage.setAlarm(time)
  }

  /** Removes the blobs of an upload, except the whole file if a task has it. */
  async #removeBlobs(upload: UploadState): Promise<void> {
    const { multipartId, pieces, isWhole, taskId } = upload
    const key = uploadBlobKey(upload)
    if (pieces.length > 0) await this.env.BLOBS.delete(pieces.map((piece) => piece.key))
    if (taskId !== undefined) return
    // The upload may be interrupted between its last part and completion, so abort the multipart upload and delete the object.
    if (multipartId !== undefined && !isWhole) await abortMultipart(this.env.BLOBS, key, multipartId)
    await this.env.BLOBS.delete(key)
  }

  #state(): UploadState | undefined {
    return this.#upload && this.#received && { ...this.#upload, ...this.#received }
  }

  #put(received: ReceivedState) {
    this.#received = received
    this.ctx.storage.kv.put('arrived', received)
  }

  #secret(): string {
    if (!this.env.SECRET_KEY) throw new Error('The Worker secret SECRET_KEY is not set, so passwords cannot be stored. Set it and restart.')
    return this.env.SECRET_KEY
  }
}
