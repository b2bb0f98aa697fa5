/** A file in memory that is written in any order, up to a limit. */
const PAGE_BYTES = 1 << 18

export class PagedFile {
  readonly #pages: (Uint8Array | undefined)[] = []
  readonly #limit: number
  #size = 0
  /** Something was to be written behind the limit. */
  full = false

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  get size(): number {
    return this.#size
  }

  /** False when the limit would be passed. */
  write(offset: number, bytes: Uint8Array): boolean {
    const end = offset + bytes.length
    if (end > this.#limit) {
      this.full = true
      return false
    }
    for (let at = offset; at < end; ) {
      const index = Math.floor(at / PAGE_BYTES)
      const page = (this.#pages[index] ??= new Uint8Array(PAGE_BYTES))
      const inPage = at - index * PAGE_BYTES
      const length = Math.min(PAGE_BYTES - inPage, end - at)
      page.set(bytes.subarray(at - offset, at - offset + length), inPage)
      at += length
    }
    this.#size = Math.max(this.#size, end)
    return true
  }

  /** Zeros where nothing was written; shorter at the end. */
  read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.#size)
    const bytes = new Uint8Array(Math.max(0, end - offset))
    for (let at = offset; at < end; ) {
      const index = Math.floor(at / PAGE_BYTES)
      const inPage = at - index * PAGE_BYTES
      const part = Math.min(PAGE_BYTES - inPage, end - at)
      const page = this.#pages[index]
      if (page) bytes.set(page.subarray(inPage, inPage + part), at - offset)
      at += part
    }
    return bytes
  }

  resize(size: number): void {
    if (size <= this.#limit) this.#size = size
    else this.full = true
  }

  /** The pages in order; each is given away. */
  *take(): Generator<Uint8Array> {
    for (let at = 0; at < this.#size; at += PAGE_BYTES) {
      const index = at / PAGE_BYTES
      const page = this.#pages[index] ?? new Uint8Array(PAGE_BYTES)
      this.#pages[index] = undefined
      yield page.subarray(0, Math.min(PAGE_BYTES, this.#size - at))
    }
  }
}
