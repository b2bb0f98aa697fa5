import { message } from '../../../i18n/message.ts'
import { overBudget } from '../../../model/error.ts'
import { MAX_FRAME_BYTES } from './tuning.ts'

/** Content of one stream from the frame that is being read on, and the places in the file that it comes from. */
export class StreamBuffer {
  /** Position in the stream of the first byte, and behind the last. */
  start = 0
  end = 0
  #bytes = new Uint8Array(64 * 1024)
  /** Position in the stream of `#bytes[0]`. */
  #base = 0
  /** Positions in the stream where pieces of the file begin, and their file offsets. */
  #pieces: number[] = []
  #offsets: number[] = []

  /** Adds content. `offset`: its place in the file. @throws CodecError (over_budget) if a frame is too long */
  add(content: Uint8Array, offset: number): void {
    if (content.length === 0) return
    const kept = this.end - this.start
    if (this.end - this.#base + content.length > this.#bytes.length) {
      const wanted = kept + content.length
      if (wanted > MAX_FRAME_BYTES) throw overBudget(message('ts_frame_too_long', { mebibytes: MAX_FRAME_BYTES / 1024 / 1024 }))
      const room = wanted > this.#bytes.length / 2 ? new Uint8Array(2 * this.#bytes.length) : this.#bytes
      room.set(this.#bytes.subarray(this.start - this.#base, this.end - this.#base))
      this.#bytes = room
      this.#base = this.start
    }
    this.#bytes.set(content, this.end - this.#base)
    this.#pieces.push(this.end)
    this.#offsets.push(offset)
    this.end += content.length
  }

  /** Returns content without a copy. It stays valid until the next `add`. */
  view(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from - this.#base, Math.min(to, this.end) - this.#base)
  }

  byte(position: number): number {
    return this.#bytes[position - this.#base]!
  }

  /** Position of the next start code (00 00 01) whose first byte is at `from` or later. −1: none. */
  startCode(from: number): number {
    const bytes = this.#bytes
    const last = this.end - this.#base - 3
    for (let i = from - this.#base; i <= last; ) {
      const third = bytes[i + 2]!
      if (third > 1) i += 3
      else if (third === 0) i++
      else if (bytes[i] === 0 && bytes[i + 1] === 0) return i + this.#base
      else i += 3
    }
    return -1
  }

  /** File offset of a position. */
  offsetOf(position: number): number {
    let [low, high] = [0, this.#pieces.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#pieces[middle]! <= position) low = middle
      else high = middle - 1
    }
    return this.#offsets[low]! + position - this.#pieces[low]!
  }

  /** Forgets what comes before `position`. */
  drop(position: number): void {
    this.start = position
    let gone = 0
    while (gone + 1 < this.#pieces.length && this.#pieces[gone + 1]! <= position) gone++
    if (gone === 0) return
    this.#pieces = this.#pieces.slice(gone)
    this.#offsets = this.#offsets.slice(gone)
  }
}
