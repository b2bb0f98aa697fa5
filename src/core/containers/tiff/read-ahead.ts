import { discard } from '../../../../wasm/memories/discard.ts'
import { Breath } from '../../bytes/yield.ts'
import type { Source } from '../../model/codec.ts'

const WINDOW_BYTES = 1024 * 1024
/** A read that begins this close behind the one before goes on with it. */
const GAP_BYTES = 64 * 1024
/** Decoded and packed again in about a tenth of a second. */
const BREATH_BYTES = 128 * 1024
/** What a read counts beside its bytes: a strip of a few dozen is decoded, too. */
const READ_BYTES = 2048

/**
 * A source whose small reads, where they follow each other, are served from one larger one: a picture of a thousand strips
 * is not a thousand requests. A read from the window waits for nobody, so that now and then it lets others run.
 */
export class ReadAhead implements Source {
  readonly name: string
  readonly size: number
  readonly #source: Source
  #start = 0
  #window = new Uint8Array()
  #expected = -1
  readonly #breath = new Breath(BREATH_BYTES)
  /**
   * Nobody uses what a read brought after the next read: windows may be freed at once. Only where everything is decoded
   * on the spot; streams hold on to their input.
   */
  discards = false

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
    const goesOn = this.#expected >= 0 && offset >= this.#expected && offset - this.#expected <= GAP_BYTES
    this.#expected = end
    await this.#breath.after(READ_BYTES + length)
    if (offset >= this.#start && end <= this.#start + this.#window.length) {
      return this.#window.subarray(offset - this.#start, end - this.#start)
    }
    if (!goesOn || length >= WINDOW_BYTES) return this.#source.read(offset, length)
    // A window as large as its buffer was made for it, unless it is the whole of a small file.
    if (this.discards && this.size > WINDOW_BYTES) discard(this.#window)
    this.#window = (await this.#source.read(offset, WINDOW_BYTES)) as Uint8Array<ArrayBuffer>
    this.#start = offset
    return this.#window.subarray(0, Math.max(0, end - offset))
  }
}
