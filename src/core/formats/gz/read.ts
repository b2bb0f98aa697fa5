/** Reads the members of a gzip file one after another, in constant memory. */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { Inflater } from '../../../../wasm/zlib/zlib.ts'
import { crc32 } from '../../bytes/crc32.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { headerBytes, isMember } from './header.ts'
import { MAX_CONTENT_BYTES, MAX_HEADER_BYTES, MAX_MEMBERS, WINDOW_BYTES } from './tuning.ts'

/** Input and output between two yields to the event loop: about 0.1 seconds. */
const BYTES_PER_PAUSE = 8 * 1024 * 1024
const TRAILER_BYTES = 8

/** Reads members in turn: `header`, then `content` to its end, and so on. */
export class GzipMembers implements Disposable {
  readonly #source: Source
  readonly #pause: YieldBudget
  readonly #engine = new Inflater()
  #window: Uint8Array = new Uint8Array()
  #members = 0
  #total = 0
  /** Offset of the next byte. */
  at = 0

  constructor(source: Source, signal: AbortSignal) {
    this.#source = source
    this.#pause = new YieldBudget(BYTES_PER_PAUSE, signal)
  }

  /** Returns the header of the next member. `undefined`: the last one has ended, and other bytes may follow. */
  async header(): Promise<Uint8Array | undefined> {
    if (!isMember(await this.#next(2))) {
      if (this.#members === 0) throw malformed('gzip', 0, 'gz_header_unknown')
      return undefined
    }
    if (++this.#members > MAX_MEMBERS) throw overBudget(message('gz_too_many_members', { most: MAX_MEMBERS }))
    const length = headerBytes(this.#window, this.at) ?? headerBytes(await this.#next(MAX_HEADER_BYTES), this.at)
    if (length === undefined) throw malformed('gzip', this.at, 'gz_cut_off')
    const header = this.#window.slice(0, length)
    this.#skip(length)
    return header
  }

  /**
   * Yields the content of the member whose header was read.
   * @throws CodecError (malformed) if it is damaged or its checksum is wrong, (over_budget) if the file has too much content
   */
  async *content(): AsyncGenerator<Uint8Array, void, undefined> {
    let [crc, length] = [0, 0]
    const engine = this.#engine.open('raw')
    while (!engine.ended) {
      const bytes = await this.#next(1)
      if (bytes.length === 0) throw malformed('gzip', this.at, 'gz_cut_off')
      for (const chunk of this.#inflated(engine, bytes)) {
        this.#total += chunk.length
        if (this.#total > MAX_CONTENT_BYTES) throw overBudget(message('gz_too_much_content', { gibibytes: MAX_CONTENT_BYTES / 2 ** 30 }))
        crc = crc32(chunk, crc)
        length += chunk.length
        await this.#pause.after(chunk.length)
        yield chunk
      }
      const read = bytes.length - engine.unreadBytes
      this.#skip(read)
      await this.#pause.after(read)
    }
    await this.#checkTrailer(crc, length)
  }

  [Symbol.dispose](): void {
    this.#engine[Symbol.dispose]()
  }

  /** Returns the bytes that follow: at least `length`, or all up to the end of the file. They are valid until the next call. */
  async #next(length: number): Promise<Uint8Array> {
    if (this.#window.length < length) this.#window = await this.#source.read(this.at, WINDOW_BYTES)
    return this.#window
  }

  #skip(length: number): void {
    this.#window = this.#window.subarray(length)
    this.at += length
  }

  *#inflated(engine: Inflater, bytes: Uint8Array): Generator<Uint8Array, void, undefined> {
    try {
      yield* engine.push(bytes)
    } catch (error) {
      if (isEngineError(error, 'deflate') && error.failure === 'damaged') throw malformed('gzip', this.at, 'gz_damaged')
      throw error
    }
  }

  /** CRC-32 and length modulo 2³² (RFC 1952, 2.3.1). */
  async #checkTrailer(crc: number, length: number): Promise<void> {
    const bytes = await this.#next(TRAILER_BYTES)
    if (bytes.length < TRAILER_BYTES) throw malformed('gzip', this.at, 'gz_cut_off')
    const trailer = new ByteReader(bytes, true)
    if (trailer.u32(0) !== crc >>> 0 || trailer.u32(4) !== length % 2 ** 32) throw malformed('gzip', this.at, 'gz_checksum_wrong')
    this.#skip(TRAILER_BYTES)
  }
}
