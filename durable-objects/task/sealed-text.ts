import { decryptText, encryptText, requiredSecret } from '../../src/service/store/password-encryption.ts'

/** Secret text of a task, stored encrypted: the password of its result, or its destination. */
export class SealedText {
  readonly #kv: SyncKvStorage
  readonly #name: string
  readonly #key: string | undefined

  /**
   * @param name storage key
   * @param key secret of the Worker
   */
  constructor(kv: SyncKvStorage, name: 'password' | 'destination', key: string | undefined) {
    this.#kv = kv
    this.#name = name
    this.#key = key
  }

  /** Encrypts the text. Pass the result to `keep`, which stores it. */
  async seal(text: string, taskId: string): Promise<Uint8Array> {
    return encryptText(text, requiredSecret(this.#key), taskId)
  }

  keep(sealed: Uint8Array | undefined): void {
    if (sealed) this.#kv.put(this.#name, sealed)
  }

  async open(taskId: string): Promise<string | undefined> {
    const sealed = this.#kv.get<Uint8Array>(this.#name)
    return sealed && decryptText(sealed, requiredSecret(this.#key), taskId)
  }

  forget(): void {
    if (this.#kv.get(this.#name) !== undefined) this.#kv.delete(this.#name)
  }
}
