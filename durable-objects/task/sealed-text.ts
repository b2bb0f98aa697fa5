import { decryptText, encryptText } from '../../src/service/store/password-encryption.ts'

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
    return encryptText(text, this.#secret(), taskId)
  }

  keep(sealed: Uint8Array | undefined): void {
    if (sealed) this.#kv.put(this.#name, sealed)
  }

  async open(taskId: string): Promise<string | undefined> {
    const sealed = this.#kv.get<Uint8Array>(this.#name)
    return sealed && decryptText(sealed, this.#secret(), taskId)
  }

  forget(): void {
    if (this.#kv.get(this.#name) !== undefined) this.#kv.delete(this.#name)
  }

  #secret(): string {
    if (!this.#key)
      throw new Error('The Worker secret SECRET_KEY is not set, so passwords and destinations cannot be stored. Set it and restart.')
    return this.#key
  }
}
