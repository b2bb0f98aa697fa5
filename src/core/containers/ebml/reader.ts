import { YieldBudget } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { type ElementHead, headAt, MAX_HEAD_BYTES } from './element.ts'

/** Bytes that are read at a time. */
const WINDOW_BYTES = 512 * 1024
/** Bytes that are read for one header, if the body behind it is skipped. */
const SKIMMED_BYTES = 4096
/** Work between two pauses for other jobs: bytes, and the cost of a header in bytes. */
const WORK_PER_YIELD = 16 * 1024 * 1024
const HEAD_WORK = 512
/** Most headers that one reader reads. A film of ten hours needs about ten million. Safety limit. */
const MAX_HEADS = 40_000_000

/** Reads the elements of a file by ranges. Bytes that a method returns are valid until the next call. */
export class EbmlReader {
  readonly size: number
  readonly #source: Source
  readonly #signal: AbortSignal
  readonly #pause: YieldBudget
  #window: Uint8Array = new Uint8Array(0)
  #start = 0
  #heads = 0

  constructor(source: Source, signal: AbortSignal) {
    this.#source = source
    this.#signal = signal
    this.#pause = new YieldBudget(WORK_PER_YIELD, signal)
    this.size = source.size
  }

  /** Returns `length` bytes at `at`. @throws CodecError (malformed) if the file ends before */
  async bytes(at: number, length: number, window = WINDOW_BYTES): Promise<Uint8Array> {
    if (at < this.#start || at + length > this.#start + this.#window.length) {
      this.#signal.throwIfAborted()
      if (at + length > this.size) throw malformed('matroska', at, 'mkv_element_cut_off')
      this.#window = await this.#source.read(at, Math.min(Math.max(length, window), this.size - at))
      this.#start = at
      if (this.#window.length < length) throw malformed('matroska', at, 'mkv_element_cut_off')
    }
    return this.#window.subarray(at - this.#start, at - this.#start + length)
  }

  /**
   * Reads the header at `at` of an element that ends at `end` or before. `skims`: true if the body is not read.
   * @throws CodecError (malformed) if it does not
   */
  async head(at: number, end: number, skims = false): Promise<ElementHead> {
    if (++this.#heads > MAX_HEADS) throw overBudget(message('mkv_too_many_elements', { most: MAX_HEADS }))
    const bytes = await this.bytes(at, Math.min(MAX_HEAD_BYTES, end - at), skims ? SKIMMED_BYTES : WINDOW_BYTES)
    const head = headAt(bytes, 0, at)
    if (!head) throw malformed('matroska', at, 'mkv_no_element')
    if (head.bodyAt + (head.bodyBytes ?? 0) > end) throw malformed('matroska', at, 'mkv_element_cut_off')
    await this.#pause.after(HEAD_WORK)
    return head
  }

  /** Yields a range in pieces. */
  async *pieces(at: number, length: number): AsyncGenerator<Uint8Array, void> {
    for (let done = 0; done < length; ) {
      const piece = await this.bytes(at + done, Math.min(WINDOW_BYTES, length - done))
      done += piece.length
      await this.#pause.after(piece.length)
      yield piece
    }
  }
}
