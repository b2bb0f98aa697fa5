/**
 * A file that can be written in any order, up to a size limit. It is kept in memory. If memory is too small, complete pages after the head
 * are passed to a sink in order. Such pages cannot be read or written again.
 */
import type { Sink } from '../../model/codec.ts'
import { PATCHABLE_BYTES } from '../../model/codec.ts'
import { PAGE_BYTES, SPILL_FROM_SHARE, SPILL_TO_SHARE } from './tuning.ts'

/** Number of pages of the head, which the sink can patch at the end. HDF5 writes metadata last and places it there. */
const HEAD_PAGES = PATCHABLE_BYTES / PAGE_BYTES

export class PagedFile {
  readonly #pages: (Uint8Array | undefined)[] = []
  /** Bytes written to each page. A page is complete when they fill it. */
  readonly #filled: number[] = []
  readonly #limit: number
  readonly #budget: number
  #size = 0
  #held = 0
  #mostHeld = 0
  /** Number of pages that the sink has: 0, or more than the head. */
  #spilled = 0
  /** True if a write exceeded the size limit of the file. */
  isFull = false
  /** True if memory was too small, or a write changed a page that the sink already has. */
  isStuck = false

  /**
   * @param limitBytes largest size of the file
   * @param budgetBytes largest memory for its pages
   */
  constructor(limitBytes: number, budgetBytes = limitBytes) {
    this.#limit = limitBytes
    this.#budget = budgetBytes
  }

  get peakBytes(): number {
    return this.#mostHeld * PAGE_BYTES
  }

  get size(): number {
    return this.#size
  }

  /** Writes bytes. False if a limit is exceeded or the sink already has the page. */
  write(offset: number, bytes: Uint8Array): boolean {
    const end = offset + bytes.length
    if (end > this.#limit) {
      this.isFull = true
      return false
    }
    if (this.#isGone(offset, end)) {
      this.isStuck = true
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
      this.isStuck = true
      return false
    }
    this.#size = Math.max(this.#size, end)
    return true
  }

  /** Reads bytes. Unwritten bytes are zero; the result is shorter at the end of the file, and empty if the sink already has the page. */
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
    if (size > this.#limit) this.isFull = true
    else if (size < this.#spilled * PAGE_BYTES) this.isStuck = true
    else this.#size = size
  }

  /** Passes complete pages to the sink if the head plus a quarter of the memory budget is in use, until only an eighth is. */
  async spill(sink: Sink): Promise<void> {
    const held = (share: number) => HEAD_PAGES + Math.floor((this.#budget * share) / PAGE_BYTES)
    if (this.#held < held(SPILL_FROM_SHARE)) return
    while (this.#held > held(SPILL_TO_SHARE)) {
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

  /** Passes all remaining pages to the sink. */
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
