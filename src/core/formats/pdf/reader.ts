/** Random-access reader for PDF files: objects by number, stream data in chunks. It keeps only caches of limited size in memory. */

import { concat } from '../../bytes/concat.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { overBudget } from '../../model/error.ts'
import { type IndirectObject, measureStream, readIndirect, streamEndsAt } from './file.ts'
import { decodeChunks, decodeFilter, type Filter, filterChain, GENERIC_FILTERS } from './filters.ts'
import { Lexer } from './lexer.ts'
import { ObjectHeadIndex } from './object-head-index.ts'
import type { ObjectStream, PdfObject } from './objects.ts'
import { Dict, HeldStream, latin1, Name, numberOr, PdfSyntax, Ref, Str, Stream } from './objects.ts'
import { BlockCache } from './ranges.ts'
import { rebuild } from './repair.ts'
import { findStart, readChain } from './sections.ts'
import { decrypted, type OpenedEncryption, openEncryption } from './security.ts'
import { READER_LIMITS } from './tuning.ts'
import type { Encryption } from './writer.ts'
import { AT_OFFSET, IN_STREAM, Xref } from './xref.ts'

export class Reader {
  readonly ranges: BlockCache
  trailer = new Dict()
  xref = new Xref()
  /** PDF version from the file header, such as "1.4" (ISO 32000-2, 7.5.2). The document catalog may override it. */
  version = '1.4'
  /** True if the cross-reference table was unusable and has been rebuilt by a search for objects. */
  repaired = false
  /** Objects that stand for those of the file, by number. `null`: the object is removed. */
  readonly replaced = new Map<number, PdfObject>()
  private base = 0
  private opened: OpenedEncryption | undefined
  private readonly cache = new Map<number, { object: PdfObject; bytes: number }>()
  private cachedBytes = 0
  private readonly objectStreams = new Map<number, ObjectStream>()
  private objectStreamBytes = 0
  private readonly opening = new Set<number>()
  private readonly lengths = new Map<number, number>()

  private constructor(source: Source) {
    this.ranges = new BlockCache(source)
  }

  /**
   * Opens a PDF. `password` decrypts an encrypted file; the empty string is for files that open without a password. If decryption fails,
   * /Encrypt stays in the trailer.
   */
  static async open(source: Source, password?: string): Promise<Reader> {
    const reader = new Reader(source)
    const head = latin1(await reader.ranges.read(0, 1024))
    const start = head.indexOf('%PDF-')
    if (start >= 0) {
      // Offsets are relative to "%PDF-", which may follow up to 1024 other bytes (annex I of older editions of ISO 32000).
      reader.base = start
      reader.version = /^\d\.\d/.exec(head.slice(start + 5))?.[0] ?? '1.4'
    }
    try {
      reader.trailer = await readChain(reader.ranges, await findStart(reader.ranges), reader.base, reader.xref)
      if (password !== undefined) await reader.decrypt(password)
      if (!reader.trailer.has('Encrypt')) await reader.assertCatalog()
    } catch (error) {
      if (!(error instanceof PdfSyntax)) throw error
      // A correct password does not prove that the decrypted file is readable. In that case the file stays encrypted.
      if (reader.opened) reader.restoreEncryption()
      else await reader.repair()
    }
    return reader
  }

  /** Caches the first bytes of all objects, so that object look-ups need no further reads. */
  async indexObjectHeads(signal: AbortSignal): Promise<void> {
    this.ranges.headIndex = await ObjectHeadIndex.build(this.ranges, this.xref, signal)
  }

  /** True if objects should be read in file order. */
  get readsInFileOrder(): boolean {
    return this.ranges.headIndex !== undefined
  }

  private async decrypt(password: string): Promise<void> {
    const dictionary = await this.dict(this.trailer.get('Encrypt'))
    if (!dictionary) return
    const encryption = await this.direct(dictionary, READER_LIMITS.securityDepth)
    const id = await this.resolve(this.trailer.get('ID'))
    const first = Array.isArray(id) ? await this.resolve(id[0]) : null
    const opened =
      encryption instanceof Dict
        ? openEncryption(encryption, password, first instanceof Str ? first.bytes : new Uint8Array(0), this.version)
        : undefined
    this.clearCaches()
    if (!opened) return
    this.opened = opened
    this.trailer.delete('Encrypt')
    // The strings of /ID are not encrypted in the trailer, so its references are resolved here.
    if (Array.isArray(id)) this.trailer.set('ID', await Promise.all(id.map((half) => this.resolve(half))))
  }

  private restoreEncryption(): void {
    this.trailer.set('Encrypt', this.opened?.encryption.dictionary ?? null)
    this.opened = undefined
    this.clearCaches()
  }

  /** Copies an object with every reference replaced by its target, down to `depth` levels. */
  private async direct(object: PdfObject, depth: number): Promise<PdfObject> {
    const value = await this.resolve(object)
    if (depth === 0 || !(value instanceof Dict)) return value instanceof Stream ? null : value
    const copy = new Dict()
    for (const [key, item] of value) copy.set(key, await this.direct(item, depth - 1))
    return copy
  }

  private async assertCatalog(): Promise<void> {
    const root = await this.resolve(this.trailer.get('Root'))
    if (!(root instanceof Dict)) throw new PdfSyntax('no_document_catalog')
    if (!((await this.resolve(root.get('Pages'))) instanceof Dict)) throw new PdfSyntax('no_page_tree')
  }

  /** Encryption of the source, which encrypts the result in the same form. `undefined`: the source is not encrypted. */
  get encryption(): Encryption | undefined {
    return this.opened?.encryption
  }

  /**
   * Rebuilds the cross-reference table by searching the file.
   * @throws PdfSyntax at the second call.
   */
  private async repair(): Promise<void> {
    if (this.repaired) throw new PdfSyntax('damaged_beyond_repair')
    this.repaired = true
    this.ranges.headIndex = undefined
    this.clearCaches()
    const old = this.trailer
    this.base = 0
    const rebuilt = await rebuild(this.ranges, (xref) => {
      this.xref = xref
      this.clearCaches()
      return this
    })
    this.trailer = new Dict()
    for (const key of ['Root', 'Info', 'ID', 'Encrypt']) {
      const value = rebuilt.get(key) ?? old.get(key)
      if (value !== undefined) this.trailer.set(key, value)
    }
    if (!this.trailer.has('Encrypt')) await this.assertCatalog()
  }

  private clearCaches(): void {
    this.cache.clear()
    this.cachedBytes = 0
    this.objectStreams.clear()
    this.objectStreamBytes = 0
    this.lengths.clear()
  }

  /** Returns the object with this number; null if there is none (ISO 32000-2, 7.3.10). */
  async get(number: number): Promise<PdfObject> {
    const replaced = this.replaced.get(number)
    if (replaced !== undefined) return replaced
    const cached = this.cache.get(number)
    if (cached) return cached.object
    const kind = this.xref.kind(number)
    if (kind !== AT_OFFSET && kind !== IN_STREAM) return null
    let object: PdfObject
    let bytes: number
    try {
      if (kind === AT_OFFSET) {
        const offset = this.xref.place(number)
        const found = await readIndirect(this.ranges, offset)
        if (found.number !== number) throw new PdfSyntax(message('object_expected_object_found', { number, found: found.number }), offset)
        object = this.decryptObject(found)
        bytes = found.end - offset
      } else [object, bytes] = await this.compressed(number)
    } catch (error) {
      if (!(error instanceof PdfSyntax)) throw error
      if (this.repaired) return null
      await this.repair()
      return this.get(number)
    }
    this.cacheObject(number, object, bytes + 64)
    return object
  }

  private decryptObject({ object, number, generation }: IndirectObject): PdfObject {
    return this.opened ? decrypted(object, this.opened.decipher, { number, generation }) : object
  }

  private cacheObject(number: number, object: PdfObject, bytes: number): void {
    this.cache.set(number, { object, bytes })
    this.cachedBytes += bytes
    if (this.cachedBytes <= READER_LIMITS.cachedObjectBytes) return
    for (const [oldest, entry] of this.cache) {
      this.cache.delete(oldest)
      this.cachedBytes -= entry.bytes
      if (this.cachedBytes < READER_LIMITS.cachedObjectBytes / 2) break
    }
  }

  private async compressed(number: number): Promise<[PdfObject, number]> {
    const stream = await this.objectStream(this.xref.place(number))
    let index = this.xref.extra(number)
    if (stream.numbers[index] !== number) index = stream.numbers.indexOf(number)
    // The object is missing in the object stream that the cross-reference table names. PDF readers treat it as null.
    if (index < 0) return [null, 0]
    const start = stream.first + stream.offsets[index]!
    const lexer = new Lexer(stream.data, start)
    const object = lexer.object()
    return [object, lexer.position - start]
  }

  /** Returns the decoded object stream with this number (ISO 32000-2, 7.5.7). */
  async objectStream(number: number): Promise<ObjectStream> {
    const known = this.objectStreams.get(number)
    if (known) {
      this.objectStreams.delete(number)
      this.objectStreams.set(number, known)
      return known
    }
    if (this.opening.has(number) || this.xref.kind(number) !== AT_OFFSET) throw new PdfSyntax('object_stream_in_loop_or_missing')
    this.opening.add(number)
    try {
      const offset = this.xref.place(number)
      const object = this.decryptObject(await readIndirect(this.ranges, offset))
      if (!(object instanceof Stream)) throw new PdfSyntax('object_stream_expected', offset)
      const data = await this.decoded(object, READER_LIMITS.objectStreamBytes)
      const count = numberOr(await this.resolve(object.dict.get('N')), 0)
      const first = numberOr(await this.resolve(object.dict.get('First')), 0)
      const stream: ObjectStream = { numbers: [], offsets: [], first, data }
      const lexer = new Lexer(data)
      for (let i = 0; i < count; i++) {
        const objectNumber = lexer.next()
        const place = lexer.next()
        if (typeof objectNumber !== 'number' || typeof place !== 'number') break
        stream.numbers.push(objectNumber)
        stream.offsets.push(place)
      }
      this.objectStreams.set(number, stream)
      this.objectStreamBytes += data.length
      for (const [oldest, entry] of this.objectStreams) {
        if (this.objectStreamBytes <= READER_LIMITS.cachedStreamBytes || this.objectStreams.size === 1) break
        this.objectStreams.delete(oldest)
        this.objectStreamBytes -= entry.data.length
      }
      return stream
    } finally {
      this.opening.delete(number)
    }
  }

  /** Follows references until an object is no reference. Missing objects become null. */
  async resolve(object: PdfObject | undefined): Promise<PdfObject> {
    for (let steps = 0; object instanceof Ref; steps++) {
      if (steps > READER_LIMITS.referenceSteps) return null
      object = await this.get(object.number)
    }
    return object ?? null
  }

  /** Returns a dictionary, or the dictionary of a stream. `undefined` for any other object. */
  async dict(object: PdfObject | undefined): Promise<Dict | undefined> {
    const value = await this.resolve(object)
    return value instanceof Dict ? value : value instanceof Stream ? value.dict : undefined
  }

  async entry(dict: Dict | undefined, key: string): Promise<PdfObject> {
    return dict ? this.resolve(dict.get(key)) : null
  }

  async number(dict: Dict | undefined, key: string, otherwise: number): Promise<number> {
    return numberOr(await this.entry(dict, key), otherwise)
  }

  /** Length of a stream in bytes after decryption and before its filters are decoded. */
  async length(stream: Stream): Promise<number> {
    if (stream instanceof HeldStream) return stream.data.length
    const known = this.lengths.get(stream.offset)
    if (known !== undefined) return known
    const stored = await this.storedLength(stream)
    const { id, offset } = stream
    const decipher = id && !this.opened?.encryption.isUnencrypted(stream.dict) ? this.opened?.decipher : undefined
    const length = decipher && id ? await decipher.plainLength(stored, () => this.ranges.read(offset + stored - 32, 32), id) : stored
    if (this.lengths.size > READER_LIMITS.cachedLengths) this.lengths.clear()
    this.lengths.set(stream.offset, length)
    return length
  }

  /** Length of a stream in the file, in bytes. It is /Length if "endstream" follows; otherwise a search finds the end. */
  private async storedLength(stream: Stream): Promise<number> {
    const stated = await this.resolve(stream.dict.get('Length'))
    let length = -1
    if (typeof stated === 'number' && stated >= 0 && stream.offset + stated <= this.ranges.size) {
      if (await streamEndsAt(this.ranges, stream.offset + stated)) length = stated
    }
    return length < 0 ? measureStream(this.ranges, stream.offset) : length
  }

  /**
   * Returns the decrypted but still encoded bytes of a stream.
   * @throws CodecError (over_budget) if the stream is longer than `maxBytes`.
   */
  async raw(stream: Stream, maxBytes: number): Promise<Uint8Array> {
    const length = await this.length(stream)
    if (length > maxBytes) throw overBudget(message('stream_of_bytes', { length }))
    if (this.opened || stream instanceof HeldStream) return gather(this.pieces(stream))
    return this.ranges.read(stream.offset, length)
  }

  /** Yields the decrypted but still encoded bytes of a stream in chunks. */
  pieces(stream: Stream): AsyncIterable<Uint8Array> {
    const { id } = stream
    const { opened } = this
    if (!opened || !id || opened.encryption.isUnencrypted(stream.dict)) return this.storedPieces(stream)
    return opened.decipher.stream(this.storedPieces(stream), id)
  }

  /** Yields the encoded bytes of a stream in chunks and frees each chunk when the next one is requested. */
  async *releasedPieces(stream: Stream): AsyncGenerator<Uint8Array> {
    for await (const piece of this.pieces(stream)) {
      try {
        yield piece
      } finally {
        this.ranges.release(piece)
      }
    }
  }

  private async *storedPieces(stream: Stream): AsyncGenerator<Uint8Array> {
    if (stream instanceof HeldStream) return yield stream.data.slice()
    const length = this.opened ? await this.storedLength(stream) : await this.length(stream)
    for (let at = 0; at < length; at += READER_LIMITS.pieceBytes) {
      yield await this.ranges.read(stream.offset + at, Math.min(READER_LIMITS.pieceBytes, length - at))
    }
  }

  /** Filters of a stream, with every indirect value resolved (ISO 32000-2, 7.3.8.2). */
  async filters(stream: Stream): Promise<Filter[]> {
    const { dict } = stream
    // /F of a stream is a file specification for external data. Some writers use it as the abbreviation of /Filter, as in inline images.
    const filter = dict.get('Filter') ?? (dict.get('F') instanceof Name ? dict.get('F') : null)
    return filterChain(
      await this.resolveEntries(filter ?? null),
      await this.resolveEntries(dict.get('DecodeParms') ?? dict.get('DP') ?? null),
    )
  }

  private async resolveEntries(object: PdfObject): Promise<PdfObject> {
    const value = await this.resolve(object)
    if (Array.isArray(value)) return Promise.all(value.slice(0, 17).map((item) => this.resolveEntries(item)))
    if (!(value instanceof Dict)) return value
    const copy = new Dict()
    for (const [key, item] of value) copy.set(key, key === 'JBIG2Globals' ? item : await this.resolve(item))
    return copy
  }

  /**
   * Decodes a stream completely with generic filters.
   * @throws PdfSyntax for an image filter, or if the data exceeds `maxBytes`.
   */
  async decoded(stream: Stream, maxBytes: number): Promise<Uint8Array> {
    let bytes = await this.raw(stream, maxBytes)
    for (const filter of await this.filters(stream)) {
      if (filter.name !== 'Crypt') bytes = decodeFilter(filter, bytes, maxBytes)
    }
    return bytes
  }

  /** Decodes the leading generic filters of a stream in chunks. `rest` lists the filters that are left. */
  async decodedPieces(stream: Stream, maxBytes: number): Promise<{ flow: AsyncIterable<Uint8Array>; rest: Filter[] }> {
    const chain = await this.filters(stream)
    let flow: AsyncIterable<Uint8Array> = this.pieces(stream)
    let used = 0
    for (const filter of chain) {
      if (!GENERIC_FILTERS.has(filter.name)) break
      flow = decodeChunks(filter, flow, maxBytes, 8 * 1024 * 1024)
      used++
    }
    return { flow, rest: chain.slice(used) }
  }
}

async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return concat(parts)
}
