import { discard } from '../../../../wasm/memories/discard.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import type { Source } from '../../model/codec.ts'
import { MAX_GAP_BYTES, READ_COST_BYTES, WINDOW_BYTES, YIELD_BYTES } from './tuning.ts'

/**
 * Source that serves small sequential reads from one larger read, so that a picture of a thousand strips does not need a thousand requests.
 * Reads from the window are synchronous, so the class yields to other tasks from time to time.
 */
export class ReadAhead implements Source {
  readonly name: string
  readonly size: number
  readonly #source: Source
  #start = 0
  #window = new Uint8Array()
  #expected = -1
  readonly #yieldBudget = new YieldBudget(YIELD_BYTES)
  /**
   * True if callers do not use the bytes of a read after the next read, so that windows are freed at once. Must be false for streaming
   * decoders, which keep their input. Default: false.
   */
  freesWindows = false

  constructor(source: Source) {
    this.#source = source
    this.name = source.name
    this.size = source.size
  }

  stream(): ReadableStream<Uint8Array> {
    return this.#source.stream()
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, offset + length)
    const isSequential = this.#expected >= 0 && offset >= this.#expected && offset - this.#expected <= MAX_GAP_BYTES
    this.#expected = end
    await this.#yieldBudget.after(READ_COST_BYTES + length)
    if (offset >= this.#start && end <= this.#start + this.#window.length) {
      return this.#window.subarray(offset - this.#start, end - this.#start)
    }
    if (!isSequential || length >= WINDOW_BYTES) return this.#source.read(offset, length)
    // Free the window, unless it is the whole file and thus may be the source's own buffer.
    if (this.freesWindows && this.size > WINDOW_BYTES) discard(this.#window)
    this.#window = (await this.#source.read(offset, WINDOW_BYTES)) as Uint8Array<ArrayBuffer>
    this.#start = offset
    return this.#window.subarray(0, Math.max(0, end - offset))
  }
}
