/** Decodes the LZW data of GIF frames (GIF89a, appendix F). */
import type { FileView } from './file-view.ts'
import type { GifFrame } from './gif-frame.ts'

const MOST_CODES = 4096
const MOST_BITS = 12

/**
 * LZW decoder. The string of a code is the string before it and one more index, so it stands in the output already, and the table only holds
 * its place. The buffers serve all frames of a file.
 */
export class LzwDecoder {
  /** Place of the string of each code in the output, and its length. */
  readonly #places = new Uint32Array(MOST_CODES)
  readonly #lengths = new Uint16Array(MOST_CODES)
  #room = new Uint8Array(0)
  #pixels = 0
  #filled = 0
  #codeSize = 0
  #bits = 0
  #bitCount = 0
  #width = 0
  #next = 0
  /** Length of the string before this one. 0: none since the last clear code. */
  #before = 0

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
    return this.#room.subarray(0, this.#filled)
  }

  #begin(codeSize: number, pixels: number): void {
    if (this.#room.length < pixels) this.#room = new Uint8Array(pixels)
    this.#pixels = pixels
    this.#codeSize = codeSize
    this.#filled = this.#bits = this.#bitCount = 0
    this.#clear()
  }

  #clear(): void {
    this.#width = this.#codeSize + 1
    this.#next = (1 << this.#codeSize) + 2
    this.#before = 0
  }

  /** Decodes a sub-block. False: the data has ended, the frame is full, or a code is wrong. */
  #push(block: Uint8Array): boolean {
    const clear = 1 << this.#codeSize
    // Local variables, because this loop runs for each code.
    let [bits, bitCount] = [this.#bits, this.#bitCount]
    for (const byte of block) {
      bits |= byte << bitCount
      bitCount += 8
      while (bitCount >= this.#width) {
        const code = bits & ((1 << this.#width) - 1)
        bits >>>= this.#width
        bitCount -= this.#width
        if (code === clear) this.#clear()
        else if (code === clear + 1 || !this.#string(code, code < clear)) return false
      }
    }
    this.#bits = bits
    this.#bitCount = bitCount
    return this.#filled < this.#pixels
  }

  /** Writes the string of a code and adds the next code to the table. False: the code is not in the table, or the frame is full. */
  #string(code: number, isIndex: boolean): boolean {
    const [room, start, before] = [this.#room, this.#filled, this.#before]
    // The next code: the string before, followed by its own first index. It may be asked for at once.
    if (before > 0 && this.#next < MOST_CODES) {
      this.#places[this.#next] = start - before
      this.#lengths[this.#next] = before + 1
    }
    if (!isIndex && (code > this.#next || (code === this.#next && before === 0))) return false
    const length = isIndex ? 1 : this.#lengths[code]!
    const end = Math.min(start + length, this.#pixels)
    if (isIndex) room[start] = code
    else copyForward(room, this.#places[code]!, start, end)
    if (before > 0 && this.#next < MOST_CODES && ++this.#next === 1 << this.#width && this.#width < MOST_BITS) this.#width++
    this.#filled = end
    this.#before = length
    return end < this.#pixels
  }
}

/** Bytes from which the platform's copy is faster than a loop. */
const LONG_BYTES = 24

/** Copies bytes from `from` to `start`, up to `end`. The last one may be the first that was written. */
function copyForward(room: Uint8Array, from: number, start: number, end: number): void {
  const length = end - start
  if (length < LONG_BYTES) for (let at = start; at < end; ) room[at++] = room[from++]!
  else {
    room.copyWithin(start, from, from + length - 1)
    room[end - 1] = room[from + length - 1]!
  }
}
