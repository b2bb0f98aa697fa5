/**
 * A file that is written in any order, up to a limit. It is held in memory; when it may not be held whole, pages behind its
 * head are handed to a sink in their order, and cannot be written or read again.
 */
import type { Sink } from '../../model/codec.ts'
import { PATCHABLE_BYTES } from '../../model/codec.ts'

const PAGE_BYTES = 1 << 18
/** The part that stays, since a sink can still change it at the end: HDF5's metadata are written last, and are put there. */
const HEAD_PAGES = PATCHABLE_BYTES / PAGE_BYTES

export class PagedFile {
  readonly #pages: (Uint8Array | undefined)[] = []
  /** Bytes written to each page; a page is complete when they fill it. */
  readonly #filled: number[] = []
  readonly #limit: number
  readonly #budget: number
  #size = 0
  #held = 0
  #mostHeld = 0
  /** Pages a sink has; 0, or more than the head. */
  #spilled = 0
  /** Something was to be written behind the limit. */
  full = false
  /** More was to be held than there is room for, or something that had been handed on was to be changed. */
  stuck = false

  /**
   * @param limitBytes largest size
   * @param budgetBytes memory it may take
   */
  constructor(limitBytes: number, budgetBytes = limitBytes) {
    this.#limit = limitBytes
    this.#budget = budgetBytes
  }

  get mostHeldBytes(): number {
    return this.#mostHeld * PAGE_BYTES
  }

  get size(): number {
    return this.#size
  }

  /** False when a limit would be passed, or the bytes are out of reach. */
  write(offset: number, bytes: Uint8Array): boolean {
    const end = offset + bytes.length
    if (end > this.#limit) {
      this.full = true
      return false
    }
    if (this.#isGone(offset, end)) {
      this.stuck = true
      return false
    }
    for (let at = offset; at < end; ) {
      const index = Math.floor(at / PAGE_BYTES)
      const inPage = at - index * PAGE_BYTES
      const length = Math.min(PAGE_BYTES - inPage, end - at)
      this.#page(index).set(bytes.subarray(at - offset, at - offset + length), inPage)
      this.#filled[index]! += length
      at += length
    }
    if (this.#held * PAGE_BYTES > this.#budget + PAGE_BYTES) {
      this.stuck = true
      return false
    }
    this.#size = Math.max(this.#size, end)
    return true
  }

  /** Zeros where nothing was written; shorter at the end; empty when it was handed on. */
  read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.#size)
    if (this.#isGone(offset, end)) return new Uint8Array(0)
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
    if (size > this.#limit) this.full = true
    else if (size < this.#spilled * PAGE_BYTES) this.stuck = true
    else this.#size = size
  }

  /** Hands complete pages on when more than the head and a quarter of the codec is held, until it is an eighth. */
  async spill(sink: Sink): Promise<void> {
    const held = (share: number) => HEAD_PAGES + Math.floor((this.#budget * share) / PAGE_BYTES)
    if (this.#held < held(1 / 4)) return
    while (this.#held > held(1 / 8)) {
      const next = Math.max(this.#spilled, HEAD_PAGES)
      const page = this.#pages[next]
      if (!page || this.#filled[next]! < PAGE_BYTES) return
      if (this.#spilled === 0) for (let i = 0; i < HEAD_PAGES; i++) await sink.write(this.#page(i).slice())
      this.#pages[next] = undefined
      this.#held--
      this.#spilled = next + 1
      await sink.write(page)
    }
  }

  /** Hands on all that is left. */
  async finish(sink: Sink): Promise<void> {
    if (this.#spilled > 0) for (let i = 0; i < HEAD_PAGES; i++) sink.patch(i * PAGE_BYTES, this.#page(i))
    for (let at = this.#spilled * PAGE_BYTES; at < this.#size; at += PAGE_BYTES) {
      const index = at / PAGE_BYTES
      const page = this.#pages[index] ?? new Uint8Array(PAGE_BYTES)
      this.#pages[index] = undefined
      await sink.write(page.subarray(0, Math.min(PAGE_BYTES, this.#size - at)))
    }
  }

  #page(index: number): Uint8Array {
    const page = this.#pages[index]
    if (page) return page
    this.#mostHeld = Math.max(this.#mostHeld, ++this.#held)
    this.#filled[index] = 0
    return (this.#pages[index] = new Uint8Array(PAGE_BYTES))
  }

  #isGone(offset: number, end: number): boolean {
    return end > HEAD_PAGES * PAGE_BYTES && offset < this.#spilled * PAGE_BYTES
  }
}
