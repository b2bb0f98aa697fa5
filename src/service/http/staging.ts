/** Files of one request between the request body and their tasks: identified, stored in the bucket, waiting for admission. */
import { outgoingRules } from '../env.ts'
import { PART_BYTES } from '../store/blobs.ts'
import { randomBase62 } from '../store/key-format.ts'
import { PLANS } from '../store/plans.ts'
import { ConcurrencyLimiter } from '../tasks/concurrency.ts'
import { isConnection } from '../tasks/connections.ts'
import { fileAt, fileInBucket, type IngestedFile, receiveFile, storeFile } from '../tasks/ingest.ts'
import { isOnRequest } from '../tasks/job-options.ts'
import { ingestUpload } from '../tasks/resumable.ts'
import { releaseStorage, reserveStorage } from '../tasks/submit.ts'
import { checkTokenField, tokenSizeLimit } from '../tasks/token-rules.ts'
import type { AppContext } from './context.ts'
import type { FormRules } from './form.ts'
import { parseSource } from './schemas/places.ts'

/** Parallel uploads of one request. More uploads share the same bandwidth and use more memory. */
export const FILES_AT_A_TIME = 6

/** Id prefix of the storage reservation for several files. */
const SEVERAL = 'adm_'

/** Stages the files of one request. Several files are identified and stored in parallel while the next ones arrive. */
export class Staging {
  readonly #c: AppContext
  readonly #isAlone: boolean
  readonly #files: Promise<IngestedFile>[] = []
  readonly #ahead = new ConcurrencyLimiter(FILES_AT_A_TIME, PART_BYTES)
  /** Requested output, once its field has arrived. `undefined`: not yet. */
  #format: string | undefined
  /** Storage that the account reserved for these files, in bytes. */
  #admitted: string | undefined
  /** Whether connections exist, by name. */
  readonly #connections = new Map<string, Promise<boolean>>()

  /** @param isAlone true if the request takes one file */
  constructor(c: AppContext, isAlone: boolean) {
    this.#c = c
    this.#isAlone = isAlone
  }

  /** Returns the file's promise in a list, because an `async` function would wait for a bare promise. */
  readonly takers: Pick<FormRules<Promise<IngestedFile>[]>, 'receive' | 'take' | 'takeUrl' | 'takeObject'> = {
    receive: async (fileName, body) => {
      const { env } = this.#c
      const { accountId, plan } = this.#c.get('key')
      const isAlone = this.#isAlone
      const { maxFileBytes, retentionMs } = PLANS[plan]
      const lower = tokenSizeLimit(this.#c.get('token'), maxFileBytes)
      const received = await receiveFile(env, fileName, body, {
        accountId,
        maxFileBytes: lower?.limitBytes ?? maxFileBytes,
        ...(lower ? { tooLarge: lower.tooLarge } : {}),
        retentionMs,
        isAlone,
        mayBePacked: () => this.#format === undefined || isOnRequest(this.#format),
      })
      return this.#begin(received.size, () => storeFile(received, isAlone ? (taskId, bytes) => this.#admit(taskId, bytes) : undefined))
    },
    take: (uploadId) => this.#begin(0, () => ingestUpload(this.#c.env, this.#c.get('key').accountId, uploadId, this.#c.get('token'))),
    takeUrl: (url) =>
      this.#begin(0, async () => {
        const token = this.#c.get('token')
        if (token) checkTokenField(token, 'url', url)
        const file = fileAt(url, this.#c.get('key').accountId, outgoingRules(this.#c.env))
        return this.#withPlace(file)
      }),
    takeObject: (name, text) => {
      const token = this.#c.get('token')
      if (token) checkTokenField(token, 'source', text)
      const object = parseSource(name, text)
      return this.#begin(0, async () =>
        this.#withPlace(fileInBucket(object, this.#c.get('key').accountId, await this.#isKnown(object.connection))),
      )
    },
  }

  /** Reserves a place for the task of a file that is fetched later. The files of a batch are admitted together. */
  async #withPlace(file: IngestedFile): Promise<IngestedFile> {
    if (this.#isAlone && 'place' in file.outcome) await this.#admit(file.taskId, 0)
    return file
  }

  /** Asks once for each name, because all objects of a batch usually name the same connection. */
  #isKnown(connection: string): Promise<boolean> {
    const known =
      this.#connections.get(connection) ?? isConnection(this.#c.env, { accountId: this.#c.get('key').accountId, name: connection })
    this.#connections.set(connection, known)
    return known
  }

  /** Notes a text field of the request, as soon as it arrives. */
  noteField(name: string, value: string): void {
    if (name === 'format') this.#format = value
  }

  async #begin(bytes: number, work: () => Promise<IngestedFile>): Promise<Promise<IngestedFile>[]> {
    let file: Promise<IngestedFile> | undefined
    await this.#ahead.start(bytes, () => (file = work()))
    this.#files.push(file!)
    return [file!]
  }

  async #admit(id: string, bytes: number, objects = 1): Promise<void> {
    await reserveStorage(this.#c.env, this.#c.get('key'), id, { bytes, objects })
    this.#admitted = id
  }

  /** Resolves when no file is in memory any more. */
  stored(): Promise<void> {
    return this.#ahead.drain()
  }

  /** Returns all files in order. The files of a batch are admitted together. */
  async end(): Promise<IngestedFile[]> {
    const files = await Promise.all(this.#files)
    if (this.#isAlone) return files
    const own = files.filter(({ outcome: kept, uploadId }) => 'upload' in kept && uploadId === undefined)
    const bytes = own.reduce((sum, { size }) => sum + size, 0)
    // A single file's task releases its own reservation.
    if (files.length === 1 && own.length === 1) await this.#admit(own[0]!.taskId, bytes)
    else if (files.length > 0) await this.#admit(`${SEVERAL}${randomBase62(24)}`, bytes, files.length)
    return files
  }

  async discard(): Promise<void> {
    const files = await Promise.allSettled(this.#files)
    await discard(files.flatMap((file) => (file.status === 'fulfilled' ? [file.value] : [])))
  }

  /** Hands the reservation over to the tasks. */
  async handedOver(): Promise<void> {
    if (this.#admitted?.startsWith(SEVERAL)) await this.giveBack()
  }

  /** Releases reserved storage that no task uses. */
  async giveBack(): Promise<void> {
    if (this.#admitted !== undefined) await releaseStorage(this.#c.env, this.#c.get('key'), [this.#admitted])
  }
}

async function discard(files: readonly IngestedFile[]): Promise<void> {
  for (const { outcome } of files) if ('upload' in outcome) await outcome.upload.discard()
}
