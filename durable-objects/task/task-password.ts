import { decryptText, encryptText } from '../../src/service/store/password-encryption.ts'

const STORAGE_KEY = 'password'

/** Encrypted password for the result of a task. Kept until the task has ended. */
export class TaskPassword {
  readonly #kv: SyncKvStorage
  readonly #key: string | undefined

  constructor(kv: SyncKvStorage, key: string | undefined) {
    this.#kv = kv
    this.#key = key
  }

  /** Encrypts the password. Pass the result to `keep`, which stores it. */
  async seal(password: string, taskId: string): Promise<Uint8Array> {
    return encryptText(password, this.#secret(), taskId)
  }

  keep(sealed: Uint8Array | undefined): void {
    if (sealed) this.#kv.put(STORAGE_KEY, sealed)
  }

  async open(taskId: string): Promise<string | undefined> {
    const sealed = this.#kv.get<Uint8Array>(STORAGE_KEY)
    return sealed && decryptText(sealed, this.#secret(), taskId)
  }

  forget(): void {
    if (this.#kv.get(STORAGE_KEY) !== undefined) this.#kv.delete(STORAGE_KEY)
  }

  #secret(): string {
    if (!this.#key) throw new Error('The Worker secret SECRET_KEY is not set, so passwords cannot be stored. Set it and restart.')
    return this.#key
  }
}
