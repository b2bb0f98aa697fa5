import { openText, sealText } from '../../src/service/store/password-encryption.ts'

const NAME = 'password'

/** Encrypted password for the result of a task. Kept until the task has ended. */
export class TaskPassword {
  readonly #kv: SyncKvStorage
  readonly #key: string | undefined

  constructor(kv: SyncKvStorage, key: string | undefined) {
    this.#kv = kv
    this.#key = key
  }

  /** Encrypts the password for storage by `keep`. */
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
