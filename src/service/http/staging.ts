/** The files of one request, from its body to what lies in the bucket and waits for its task. */
import { PART_BYTES } from '../store/blobs.ts'
import { randomBase62 } from '../store/key-format.ts'
import { PLANS } from '../store/plans.ts'
import { Ahead } from '../tasks/concurrency.ts'
import { keep, receive, type Staged } from '../tasks/ingest.ts'
import { stageUpload } from '../tasks/resumable.ts'
import { admit, giveBack } from '../tasks/submit.ts'
import type { AppContext } from './context.ts'
import type { FormRules } from './form.ts'

/** More would only share the line, and hold more of it in memory. */
export const FILES_AT_A_TIME = 6

/** Of the room for several files at once. */
const SEVERAL = 'adm_'

/** The files of one request on their way in: some are looked into and stored while the next ones come. */
export class Staging {
  readonly #c: AppContext
  readonly #isAlone: boolean
  readonly #files: Promise<Staged>[] = []
  readonly #ahead = new Ahead(FILES_AT_A_TIME, PART_BYTES)
  /** What the account keeps room for. */
  #admitted: string | undefined

  /** `isAlone`: the request takes one file. */
  constructor(c: AppContext, isAlone: boolean) {
    this.#c = c
    this.#isAlone = isAlone
  }

  /** A list holds the promise of a file: a promise alone would be waited for. */
  readonly takers: Pick<FormRules<Promise<Staged>[]>, 'receive' | 'take'> = {
    receive: async (fileName, body) => {
      const { env } = this.#c
      const { accountId, plan } = this.#c.get('key')
      const isAlone = this.#isAlone
      const { maxFileBytes, retentionMs } = PLANS[plan]
      const received = await receive(env, fileName, body, { accountId, maxFileBytes, retentionMs, isAlone })
      return this.#begin(received.size, () => keep(received, isAlone ? (taskId, bytes) => this.#admit(taskId, bytes) : undefined))
    },
    take: (uploadId) => this.#begin(0, () => stageUpload(this.#c.env, this.#c.get('key').accountId, uploadId)),
  }

  async #begin(bytes: number, work: () => Promise<Staged>): Promise<Promise<Staged>[]> {
    let file: Promise<Staged> | undefined
    await this.#ahead.begin(bytes, () => (file = work()))
    this.#files.push(file!)
    return [file!]
  }

  async #admit(id: string, bytes: number): Promise<void> {
    await admit(this.#c.env, this.#c.get('key'), id, bytes)
    this.#admitted = id
  }

  /** None is held in memory any more. */
  stored(): Promise<void> {
    return this.#ahead.end()
  }

  /** All files, in order. Those of a batch are admitted together. */
  async end(): Promise<Staged[]> {
    const files = await Promise.all(this.#files)
    if (this.#isAlone) return files
    const own = files.filter(({ kept, uploadId }) => 'upload' in kept && uploadId === undefined)
    const bytes = own.reduce((sum, { size }) => sum + size, 0)
    // Its task gives the room of a single one back.
    if (own.length === 1) await this.#admit(own[0]!.taskId, bytes)
    else if (own.length > 1) await this.#admit(`${SEVERAL}${randomBase62(24)}`, bytes)
    return files
  }

  async discard(): Promise<void> {
    const files = await Promise.allSettled(this.#files)
    await discard(files.flatMap((file) => (file.status === 'fulfilled' ? [file.value] : [])))
  }

  /** The tasks have the room now. */
  async handedOver(): Promise<void> {
    if (this.#admitted?.startsWith(SEVERAL)) await this.giveBack()
  }

  /** Room that was taken and is nobody's. */
  async giveBack(): Promise<void> {
    if (this.#admitted !== undefined) await giveBack(this.#c.env, this.#c.get('key'), [this.#admitted])
  }
}

async function discard(files: readonly Staged[]): Promise<void> {
  for (const { kept } of files) if ('upload' in kept) await kept.upload.discard()
}
