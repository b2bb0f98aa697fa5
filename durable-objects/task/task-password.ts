import { openText, sealText } from '../../src/service/store/password-encryption.ts'

const NAME = 'password'

/** The password of a task's result, sealed for it, until the task has ended. */
export class TaskPassword {
  readonly #kv: SyncKvStorage
  readonly #key: string | undefined

  constructor(kv: SyncKvStorage, key: string | undefined) {
    this.#kv = kv
    this.#key = key
  }

  /** What `keep` keeps. */
  async seal(password: string, taskId: string): Promise<Uint8Array> {
    return sealText(password, this.#secret(), taskId)
  }

  keep(sealed: Uint8Array | undefined): void {
    if (sealed) this.#kv.put(NAME, sealed)
  }

  async open(taskId: string): Promise<string | undefined> {
    const sealed = this.#kv.get<Uint8Array>(NAME)
    return sealed && openText(sealed, this.#secret(), taskId)
  }

  forget(): void {
    if (this.#kv.get(NAME) !== undefined) this.#kv.delete(NAME)
  }

  #secret(): string {
    if (!this.#key) throw new Error('SECRET_KEY is not set: passwords cannot be kept')
    return this.#key
  }
}
