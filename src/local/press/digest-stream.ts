/** `crypto.DigestStream` is workerd's own; this is what the jobs use of it. */
import { createHash } from 'node:crypto'

class DigestStream {
  readonly #hash = createHash('sha256')
  readonly digest: Promise<ArrayBuffer>
  #end!: (digest: ArrayBuffer) => void

  constructor() {
    this.digest = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  getWriter() {
    return {
      write: async (chunk: Uint8Array) => void this.#hash.update(chunk),
      close: async () => this.#end(new Uint8Array(this.#hash.digest()).buffer),
    }
  }
}

Object.assign(crypto, { DigestStream })
