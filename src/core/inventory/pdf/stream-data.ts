/** Data of streams: its length, decryption and filters (ISO 32000-2, 7.3.8 and 7.4). */

import type { CachedRanges } from '../cached-ranges.ts'
import { digestOfStream } from '../digest.ts'
import type { Decryption } from './encryption.ts'
import { decodedBy, type Filter, fullFilterName, gathered, isGeneralFilter } from './filters.ts'
import { searchedLength, streamEndsAt } from './objects-in-file.ts'
import { damageAsNull } from './rebuild.ts'
import { nameText, PdfDictionary, type PdfStream, type PdfValue } from './values.ts'

/** Most decoded bytes of a stream whose digest is taken. */
const MAX_DIGESTED_BYTES = 2 * 1024 * 1024 * 1024
const MAX_FILTERS = 16

export class StreamData {
  readonly #blocks: CachedRanges
  readonly #resolve: (value: PdfValue | undefined) => Promise<PdfValue>
  /** Decrypts the data. `undefined`: the file is not encrypted. */
  decryption: Decryption | undefined

  /** `resolve`: follows references of a stream dictionary. */
  constructor(blocks: CachedRanges, resolve: (value: PdfValue | undefined) => Promise<PdfValue>) {
    this.#blocks = blocks
    this.#resolve = resolve
  }

  /** Digest and length of the decoded data. Filters of pictures stay encoded. */
  async digest(stream: PdfStream): Promise<string> {
    let length = 0
    const counted = async function* (data: AsyncIterable<Uint8Array>) {
      for await (const piece of data) {
        length += piece.length
        yield piece
      }
    }
    try {
      const digest = await digestOfStream(counted(await this.decoded(stream, MAX_DIGESTED_BYTES)))
      return `${length} bytes #${digest}`
    } catch (error) {
      return damageAsNull(error) ?? 'unreadable data'
    }
  }

  /** Returns the decoded data of a short stream. `undefined`: it is damaged, or has more than `maxBytes`. */
  async bytes(stream: PdfStream, maxBytes: number): Promise<Uint8Array | undefined> {
    return (await gathered(await this.decoded(stream, maxBytes), maxBytes).catch(damageAsNull)) ?? undefined
  }

  /** Yields the data, decrypted, with its leading general filters decoded. */
  async decoded(stream: PdfStream, maxBytes: number): Promise<AsyncIterable<Uint8Array>> {
    const length = await this.#lengthOf(stream)
    let data: AsyncIterable<Uint8Array> = this.#blocks.pieces(stream.dataAt, length)
    if (this.decryption && !this.decryption.isPlain(stream.dictionary)) data = this.decryption.data(data, stream.id)
    for (const filter of await this.#filtersOf(stream.dictionary)) {
      if (filter.name === 'Crypt') continue
      if (!isGeneralFilter(filter.name)) break
      data = decodedBy(filter, data, maxBytes)
    }
    return data
  }

  async #filtersOf(dictionary: PdfDictionary): Promise<Filter[]> {
    const filter = await this.#resolve(dictionary.get('Filter'))
    const parameters = await this.#resolve(dictionary.get('DecodeParms') ?? dictionary.get('DP'))
    const filters: Filter[] = []
    for (const [index, name] of (Array.isArray(filter) ? filter : [filter]).slice(0, MAX_FILTERS).entries()) {
      const own = await this.#resolve(Array.isArray(parameters) ? parameters[index] : index === 0 ? parameters : null)
      const direct = new PdfDictionary()
      if (own instanceof PdfDictionary) for (const [key, value] of own) direct.set(key, await this.#resolve(value))
      const text = nameText(await this.#resolve(name))
      if (text !== '') filters.push({ name: fullFilterName(text), parameters: direct })
    }
    return filters
  }

  async #lengthOf({ dictionary, dataAt }: PdfStream): Promise<number> {
    const stated = await this.#resolve(dictionary.get('Length'))
    const isPossible = typeof stated === 'number' && stated >= 0 && dataAt + stated <= this.#blocks.size
    return isPossible && (await streamEndsAt(this.#blocks, dataAt + stated)) ? stated : searchedLength(this.#blocks, dataAt)
  }
}
