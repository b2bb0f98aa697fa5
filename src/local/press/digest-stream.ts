/** A replacement for workerd's `crypto.DigestStream` in Node: SHA-256 only, with the methods that jobs use. */
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
