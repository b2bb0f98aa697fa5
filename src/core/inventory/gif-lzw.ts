/** Decodes the LZW data of GIF frames (GIF89a, appendix F). */
import type { FileView } from './file-view.ts'
import type { GifFrame } from './gif-frame.ts'

const MOST_CODES = 4096
const MOST_BITS = 12

/** LZW decoder. A code stands for the string of its prefix and one more index. Its buffers serve all frames of a file. */
export class LzwDecoder {
  readonly #prefix = new Uint16Array(MOST_CODES)
  readonly #last = new Uint8Array(MOST_CODES)
  readonly #length = new Uint16Array(MOST_CODES)
  #room = new Uint8Array(0)
  #pixels = 0
  #filled = 0
  #codeSize = 0
  #bits = 0
  #bitCount = 0
  #width = 0
  #next = 0
  /** Code before this one. -1: none since the last clear code. */
  #before = -1

  /**
   * Returns the indices of a frame in the order of the file, valid until the next call. Shorter than the frame if the data ends early or
   * is damaged.
   */
  async decode(view: FileView, { dataAt, width, height }: GifFrame): Promise<Uint8Array> {
    const [codeSize = 0] = await view.bytesUpTo(dataAt, 1)
    if (codeSize < 1 || codeSize > 8) return new Uint8Array(0)
    this.#begin(codeSize, width * height)
    for (let at = dataAt + 1; at < view.size; ) {
      const [length = 0] = await view.bytes(at, 1)
      if (length === 0 || !this.#push(await view.bytesUpTo(at + 1, length))) break
      at += 1 + length
    }
    return this.#room.subarray(0, Math.min(this.#filled, this.#pixels))
  }

  #begin(codeSize: number, pixels: number): void {
    if (this.#room.length < pixels) this.#room = new Uint8Array(pixels)
    this.#pixels = pixels
    this.#codeSize = codeSize
    this.#filled = this.#bits = this.#bitCount = 0
    this.#clear()
    for (let i = 0; i < 1 << codeSize; i++) {
      this.#last[i] = i
      this.#length[i] = 1
    }
  }

  #clear(): void {
    this.#width = this.#codeSize + 1
    this.#next = (1 << this.#codeSize) + 2
    this.#before = -1
  }

  /** Decodes a sub-block. False: the data has ended, the frame is full, or a code is wrong. */
  #push(block: Uint8Array): boolean {
    const clear = 1 << this.#codeSize
    for (const byte of block) {
      this.#bits |= byte << this.#bitCount
      this.#bitCount += 8
      while (this.#bitCount >= this.#width) {
        const code = this.#bits & ((1 << this.#width) - 1)
        this.#bits >>>= this.#width
        this.#bitCount -= this.#width
        if (code === clear) this.#clear()
        else if (code === clear + 1 || !this.#string(code)) return false
      }
    }
    return this.#filled < this.#pixels
  }

  /** Writes the string of a code and adds the next code to the table. False: the code is not in the table. */
  #string(code: number): boolean {
    const isNew = code === this.#next && this.#before >= 0
    if (code >= this.#next && !isNew) return false
    const known = isNew ? this.#before : code
    const length = this.#length[known]!
    const end = this.#filled + length
    let first = 0
    for (let at = end - 1, rest = known; at >= this.#filled; at--) {
      first = this.#last[rest]!
      if (at < this.#pixels) this.#room[at] = first
      rest = this.#prefix[rest]!
    }
    if (isNew && end < this.#pixels) this.#room[end] = first
    this.#filled = isNew ? end + 1 : end
    if (this.#before >= 0 && this.#next < MOST_CODES) this.#add(this.#before, first)
    this.#before = code
    return true
  }

  #add(before: number, first: number): void {
    this.#prefix[this.#next] = before
    this.#last[this.#next] = first
    this.#length[this.#next] = this.#length[before]! + 1
    this.#next++
    if (this.#next === 1 << this.#width && this.#width < MOST_BITS) this.#width++
  }
}
