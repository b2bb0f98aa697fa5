/** PDF file with random access to its objects, in bounded memory. */
import { CodecError, isCodecError } from '../../model/error.ts'
import type { CachedRanges } from '../cached-ranges.ts'
import { readSections } from './cross-references.ts'
import { Decryption } from './encryption.ts'
import { type ObjectStream, ObjectStreams } from './object-streams.ts'
import { objectAt } from './objects-in-file.ts'
import { Parser } from './parser.ts'
import { damageAsNull, rebuilt } from './rebuild.ts'
import { StreamData } from './stream-data.ts'
import { asciiOf } from './text.ts'
import { damaged, nameText, type ObjectId, PdfDictionary, PdfReference, PdfStream, PdfString, type PdfValue } from './values.ts'
import { XrefTable } from './xref-table.ts'

/** Most bytes of cached objects in the file. In memory they take about ten times as much. */
const CACHED_OBJECT_BYTES = 256 * 1024
/** Most references that lead from one to the next. */
const MAX_STEPS = 32
/** Bytes at the start of a file in which the header is searched (ISO 32000-1, annex H, note 13). */
const HEADER_SEARCH_BYTES = 1024

interface Parsed {
  readonly value: PdfValue
  readonly bytes: number
}

export class PdfFile {
  readonly #blocks: CachedRanges
  #base = 0
  #table = new XrefTable()
  #trailer = new PdfDictionary()
  /** True if the cross-reference table was unusable and has been rebuilt. */
  #isRebuilt = false
  readonly #objects = new Map<number, Parsed>()
  #objectBytes = 0
  /** Data of the streams of this file. */
  readonly streams: StreamData
  readonly #objectStreams: ObjectStreams

  private constructor(blocks: CachedRanges) {
    this.#blocks = blocks
    const resolve = (value: PdfValue | undefined) => this.resolve(value)
    this.streams = new StreamData(blocks, resolve)
    this.#objectStreams = new ObjectStreams(this.streams, resolve)
  }

  /**
   * Opens a file.
   * @throws CodecError (malformed) if it has no catalog or no pages, `encrypted` if it needs a password
   */
  static async open(blocks: CachedRanges): Promise<PdfFile> {
    const file = new PdfFile(blocks)
    file.#base = Math.max(0, asciiOf(await blocks.bytesUpTo(0, HEADER_SEARCH_BYTES)).indexOf('%PDF-'))
    try {
      file.#trailer = await readSections(blocks, file.#base, file.#table)
      await file.#decrypt()
      await file.#assertCatalog()
    } catch (error) {
      if (!isCodecError(error, 'malformed')) throw error
      await file.#rebuild()
    }
    return file
  }

  get trailer(): PdfDictionary {
    return this.#trailer
  }

  /** Number of bytes before the header. */
  get bytesBeforeHeader(): number {
    return this.#base
  }

  /** True if the cross-reference table was unusable. */
  get isRebuilt(): boolean {
    return this.#isRebuilt
  }

  /** Encryption in words. `undefined`: the file is not encrypted. */
  get encryption(): string | undefined {
    return this.streams.decryption?.description
  }

  /** Returns an object by its number; null if there is none (ISO 32000-2, 7.3.10). A damaged object starts the repair of the file. */
  async object(number: number): Promise<PdfValue> {
    const known = this.#objects.get(number)
    if (known) return known.value
    let parsed: Parsed
    try {
      parsed = await this.#parse(number)
    } catch (error) {
      if (!isCodecError(error, 'malformed') && !(error instanceof RangeError)) throw error
      if (this.#isRebuilt) return null
      await this.#rebuild()
      return this.object(number)
    }
    this.#objects.set(number, parsed)
    this.#objectBytes += parsed.bytes
    for (const [oldest, { bytes }] of this.#objects) {
      if (this.#objectBytes <= CACHED_OBJECT_BYTES || oldest === number) break
      this.#objects.delete(oldest)
      this.#objectBytes -= bytes
    }
    return parsed.value
  }

  /** Follows references to the value behind them. Missing objects are null. */
  async resolve(value: PdfValue | undefined): Promise<PdfValue> {
    for (let steps = 0; value instanceof PdfReference; steps++) {
      if (steps >= MAX_STEPS) return null
      value = await this.object(value.number)
    }
    return value ?? null
  }

  /** Returns a dictionary, or the dictionary of a stream. `undefined`: the value is something else. */
  async dictionary(value: PdfValue | undefined): Promise<PdfDictionary | undefined> {
    const found = await this.resolve(value)
    if (found instanceof PdfStream) return found.dictionary
    return found instanceof PdfDictionary ? found : undefined
  }

  /** Returns an array; empty if the value is something else. */
  async array(value: PdfValue | undefined): Promise<readonly PdfValue[]> {
    const found = await this.resolve(value)
    return Array.isArray(found) ? found : []
  }

  /** Position of an object in the file, in bytes. Objects of one object stream have the same position. */
  positionOf(number: number): number {
    const place = this.#table.place(number)
    if (place?.kind !== 'stream') return place?.at ?? 0
    const stream = this.#table.place(place.stream)
    return stream?.kind === 'file' ? stream.at : 0
  }

  async #parse(number: number): Promise<Parsed> {
    const place = this.#table.place(number)
    if (!place) return { value: null, bytes: 0 }
    if (place.kind === 'file') {
      const { id, value, length } = await objectAt(this.#blocks, place.at)
      if (id.number !== number) throw damaged(place.at)
      return { value: this.streams.decryption ? await decrypted(value, this.streams.decryption, id) : value, bytes: length }
    }
    const { places, data } = await this.#objectStream(place.stream)
    const at = places.get(number)
    if (at === undefined) return { value: null, bytes: 0 }
    const parser = new Parser(data, at, true)
    return { value: parser.value(), bytes: parser.at - at }
  }

  /** Streams cannot be inside of object streams. */
  #objectStream(number: number): Promise<ObjectStream> {
    return this.#objectStreams.get(number, async () => {
      const place = this.#table.place(number)
      if (place?.kind !== 'file') throw damaged(0)
      const { value } = await objectAt(this.#blocks, place.at)
      if (!(value instanceof PdfStream)) throw damaged(place.at)
      return value
    })
  }

  async #decrypt(): Promise<void> {
    const encrypt = await this.dictionary(this.#trailer.get('Encrypt'))
    if (!encrypt) return
    const direct = await this.#direct(encrypt, 3)
    const [first] = await this.array(this.#trailer.get('ID'))
    const id = await this.resolve(first)
    this.streams.decryption = Decryption.open(direct, id instanceof PdfString ? id.bytes : new Uint8Array(0))
    if (!this.streams.decryption) throw new CodecError('encrypted')
    this.#forget()
  }

  /** Copies a dictionary without references, down to `depth` levels. */
  async #direct(dictionary: PdfDictionary, depth: number): Promise<PdfDictionary> {
    const copy = new PdfDictionary()
    for (const [key, value] of dictionary) {
      const found = await this.resolve(value)
      copy.set(key, found instanceof PdfDictionary && depth > 0 ? await this.#direct(found, depth - 1) : found)
    }
    return copy
  }

  async #assertCatalog(): Promise<void> {
    const catalog = await this.dictionary(this.#trailer.get('Root'))
    if (!(await this.dictionary(catalog?.get('Pages')))) throw damaged(0)
  }

  /** Searches the file for objects, once. */
  async #rebuild(): Promise<void> {
    if (this.#isRebuilt) throw damaged(0)
    this.#isRebuilt = true
    const old = this.#trailer
    const { table, trailer, objectStreams, catalogs } = await rebuilt(this.#blocks)
    this.#table = table
    this.#trailer = new PdfDictionary([...old, ...trailer])
    this.#forget()
    if (!this.streams.decryption) await this.#decrypt()
    for (const number of objectStreams) await this.#addObjectsOf(number)
    await this.#chooseCatalog(catalogs)
    await this.#assertCatalog()
  }

  /** Adds the objects of an object stream. An object outside of streams that comes later in the file is newer. */
  async #addObjectsOf(stream: number): Promise<void> {
    const found = await this.#objectStream(stream).catch(damageAsNull)
    for (const number of found?.places.keys() ?? []) {
      const place = this.#table.place(number)
      if (place?.kind !== 'file' || place.at < this.positionOf(stream)) this.#table.set(number, { kind: 'stream', stream }, true)
    }
  }

  async #chooseCatalog(catalogs: readonly number[]): Promise<void> {
    if (catalogs.length > 0 && !this.#trailer.has('Root')) this.#trailer.set('Root', new PdfReference(catalogs[0]!))
    if ((await this.dictionary(this.#trailer.get('Root')))?.has('Pages')) return
    for (const number of this.#table.numbers()) {
      const value = await this.object(number)
      if (value instanceof PdfDictionary && nameText(value.get('Type')) === 'Catalog') this.#trailer.set('Root', new PdfReference(number))
    }
  }

  #forget(): void {
    this.#objects.clear()
    this.#objectStreams.clear()
    this.#objectBytes = 0
  }
}

/** Decrypts the strings of an object (ISO 32000-2, 7.6.2). Those of cross-reference streams are not encrypted. */
async function decrypted(value: PdfValue, decryption: Decryption, id: ObjectId): Promise<PdfValue> {
  if (value instanceof PdfString) return decryption.string(value, id)
  if (Array.isArray(value)) {
    const items: PdfValue[] = []
    for (const item of value) items.push(await decrypted(item, decryption, id))
    return items
  }
  if (value instanceof PdfDictionary) {
    const entries = new PdfDictionary()
    for (const [key, item] of value) entries.set(key, await decrypted(item, decryption, id))
    return entries
  }
  if (!(value instanceof PdfStream) || nameText(value.dictionary.get('Type')) === 'XRef') return value
  return new PdfStream((await decrypted(value.dictionary, decryption, id)) as PdfDictionary, value.dataAt, value.id)
}
