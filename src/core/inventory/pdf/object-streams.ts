/** Object streams, which hold several objects in one compressed stream (ISO 32000-2, 7.5.7). */
import { gathered } from './filters.ts'
import { Parser } from './parser.ts'
import type { StreamData } from './stream-data.ts'
import { damaged, type PdfStream, type PdfValue } from './values.ts'

/** Most decoded bytes of cached object streams. One larger stream is cached alone. */
const MAX_CACHED_BYTES = 4 * 1024 * 1024
const MAX_STREAM_BYTES = 24 * 1024 * 1024

export interface ObjectStream {
  /** Offset of each object in `data` by its number. */
  readonly places: ReadonlyMap<number, number>
  readonly data: Uint8Array
}

export class ObjectStreams {
  readonly #data: StreamData
  readonly #resolve: (value: PdfValue | undefined) => Promise<PdfValue>
  readonly #known = new Map<number, ObjectStream>()
  #bytes = 0
  readonly #opening = new Set<number>()

  constructor(data: StreamData, resolve: (value: PdfValue | undefined) => Promise<PdfValue>) {
    this.#data = data
    this.#resolve = resolve
  }

  /**
   * Returns the object stream with this number. `read`: reads its object.
   * @throws CodecError (malformed) if the stream needs itself, `RangeError` if it is too long
   */
  async get(number: number, read: () => Promise<PdfStream>): Promise<ObjectStream> {
    const known = this.#known.get(number)
    if (known) return known
    if (this.#opening.has(number)) throw damaged(0)
    this.#opening.add(number)
    try {
      const stream = await this.#opened(await read())
      this.#known.set(number, stream)
      this.#bytes += stream.data.length
      for (const [oldest, { data }] of this.#known) {
        if (this.#bytes <= MAX_CACHED_BYTES || oldest === number) break
        this.#known.delete(oldest)
        this.#bytes -= data.length
      }
      return stream
    } finally {
      this.#opening.delete(number)
    }
  }

  clear(): void {
    this.#known.clear()
    this.#bytes = 0
  }

  async #opened(stream: PdfStream): Promise<ObjectStream> {
    const data = await gathered(await this.#data.decoded(stream, MAX_STREAM_BYTES), MAX_STREAM_BYTES)
    const [count, first] = [await this.#resolve(stream.dictionary.get('N')), await this.#resolve(stream.dictionary.get('First'))]
    const places = new Map<number, number>()
    const parser = new Parser(data, 0, true)
    for (let index = 0; typeof count === 'number' && index < count; index++) {
      const [number, at] = [parser.token(), parser.token()]
      if (typeof number !== 'number' || typeof at !== 'number') break
      if (!places.has(number)) places.set(number, at + (typeof first === 'number' ? first : 0))
    }
    return { data, places }
  }
}
