/** Writes a PDF file sequentially: each object once, small objects in object streams, the cross-reference section at the end. */
import { concat } from '../../bytes/concat.ts'
import { zlibCompress } from '../../bytes/deflate.ts'
import type { Sink } from '../../model/codec.ts'
import { ascii, Dict, latin1Bytes, Name, type PdfObject, Ref, Str } from './objects.ts'
import { differencesUp, PREDICTOR_UP } from './predictor.ts'
import { serialise, stringText } from './serialise.ts'
import { NEW_OBJECT_STREAM_BYTES, OBJECTS_PER_STREAM } from './tuning.ts'
import { AT_OFFSET, IN_STREAM, Xref } from './xref.ts'

/** Encrypts the strings and streams of the object with this number (ISO 32000-2, 7.6). */
export interface Cipher {
  string(bytes: Uint8Array, number: number): Uint8Array
  /** Encrypted length in bytes of a stream of `length` bytes. */
  encryptedLength(length: number): number
  stream(pieces: AsyncIterable<Uint8Array>, number: number): AsyncIterable<Uint8Array>
}

/** Encryption of a file: its cipher, its encryption dictionary and an /ID for files that have none. */
export interface Encryption {
  cipher: Cipher
  /** Encryption dictionary, whose strings are never encrypted. */
  dictionary: Dict
  id: Uint8Array
  /** Minimum PDF version for this encryption, such as "2.0". */
  version: string
  /** Returns true if a stream with this dictionary is stored without encryption. */
  isUnencrypted(dict: Dict): boolean
}

/** Stream data: bytes in memory, or chunks with a known total length. */
export type StreamData = Uint8Array | { length: number; pieces: AsyncIterable<Uint8Array> }

export type RefText = (ref: Ref) => string

const FLUSH_BYTES = 256 * 1024

/** Bytes before the data of a stream. PDF/A requires these line breaks (ISO 19005-2, 6.1.7.1 and 6.1.9). */
export const streamHead = (number: number, dict: string): Uint8Array => latin1Bytes(`${number} 0 obj\n${dict}stream\n`)
/** Bytes after the data of a stream; `endstream` and `endobj` each start a line. */
export const STREAM_TAIL = ascii('\nendstream\nendobj\n')

export class Writer {
  protected readonly sink: Sink
  /** True: writes object streams and cross-reference streams (PDF 1.5). False: writes plain objects and a cross-reference table. */
  readonly compact: boolean
  readonly encryption: Encryption | undefined
  protected readonly xref = new Xref()
  private nextNumber = 1
  protected offset = 0
  private bufferedChunks: Uint8Array[] = []
  private bufferedBytes = 0
  private pendingObjects: { number: number; text: Uint8Array }[] = []
  private pendingBytes = 0

  constructor(sink: Sink, compact: boolean, lock?: Encryption) {
    this.sink = sink
    this.compact = compact
    this.encryption = lock
  }

  /** Reserves a number for an object that is written later. */
  allocate(): number {
    return this.nextNumber++
  }

  /** Writes the file header and the comment that marks the file as binary (ISO 32000-2, 7.5.2). */
  async begin(version: string): Promise<void> {
    const minVersion = Math.max(this.compact ? 1.5 : 0, Number(this.encryption?.version ?? 0))
    const headerVersion = Number(version) < minVersion ? minVersion.toFixed(1) : version
    await this.emit(concat([ascii(`%PDF-${headerVersion}\n%`), Uint8Array.of(0xe2, 0xe3, 0xcf, 0xd3, 10)]))
  }

  async object(number: number, object: PdfObject, refText: RefText): Promise<void> {
    if (!this.compact) {
      await this.plainObject(number, this.text(object, refText, number))
      return
    }
    // Strings in an object stream are encrypted with the whole stream, not one by one (ISO 32000-2, 7.6.2).
    const text = latin1Bytes(serialise(object, refText))
    this.pendingObjects.push({ number, text })
    this.pendingBytes += text.length
    if (this.pendingObjects.length >= OBJECTS_PER_STREAM || this.pendingBytes > NEW_OBJECT_STREAM_BYTES) await this.pack()
  }

  /** Writes a stream. `dict` must not contain /Length. */
  async stream(number: number, dict: Dict, data: StreamData, refText: RefText): Promise<void> {
    const cipher = this.encryption?.isUnencrypted(dict) ? undefined : this.encryption?.cipher
    const plain = data instanceof Uint8Array ? singleChunk(data) : data.pieces
    const length = cipher ? cipher.encryptedLength(data.length) : data.length
    const head = streamHead(number, this.text(withLength(dict, length), refText, number))
    await this.streamBytes(number, head, cipher ? cipher.stream(plain, number) : plain)
  }

  /** Writes the cross-reference section and the trailer. Returns the file length in bytes. */
  async end(trailer: Dict, refText: RefText): Promise<number> {
    await this.pack()
    const full = new Dict(trailer)
    let text = refText
    if (this.encryption) {
      // The encryption dictionary must not be in an object stream or encrypted (ISO 32000-2, 7.6.2).
      const number = this.allocate()
      await this.plainObject(number, serialise(this.encryption.dictionary, noReference))
      const encrypt = new Ref(number, 0)
      full.set('Encrypt', encrypt)
      // /ID is required in encrypted files (ISO 32000-2, 7.5.5, table 15), although the AES-256 handler does not use it.
      if (!full.has('ID')) full.set('ID', [new Str(this.encryption.id), new Str(this.encryption.id)])
      text = (ref) => (ref === encrypt ? `${number} 0 R` : refText(ref))
    }
    const start = this.offset
    if (this.compact) await this.xrefStream(full, text)
    else await this.xrefTable(full, text)
    await this.emit(ascii(`startxref\n${start}\n%%EOF\n`))
    await this.flush()
    return this.offset
  }

  protected text(object: PdfObject, refText: RefText, number: number): string {
    const cipher = this.encryption?.cipher
    return cipher ? serialise(object, refText, (bytes) => stringText(cipher.string(bytes, number))) : serialise(object, refText)
  }

  protected async plainObject(number: number, text: string): Promise<void> {
    this.xref.set(number, AT_OFFSET, this.offset, 0)
    await this.emit(latin1Bytes(`${number} 0 obj\n${text}\nendobj\n`))
  }

  private async streamBytes(number: number, head: Uint8Array, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    this.xref.set(number, AT_OFFSET, this.offset, 0)
    await this.emit(head)
    for await (const piece of pieces) await this.emit(piece)
    await this.emit(STREAM_TAIL)
  }

  /** Writes the waiting objects as one object stream (ISO 32000-2, 7.5.7). */
  private async pack(): Promise<void> {
    if (this.pendingObjects.length === 0) return
    const entries = this.pendingObjects
    this.pendingObjects = []
    this.pendingBytes = 0
    await this.objectStream(this.allocate(), entries)
  }

  protected async objectStream(number: number, entries: readonly { number: number; text: Uint8Array }[]): Promise<void> {
    const parts: Uint8Array[] = []
    let index = ''
    let at = 0
    entries.forEach((entry, i) => {
      index += `${entry.number} ${at} `
      this.xref.set(entry.number, IN_STREAM, number, i)
      parts.push(entry.text, ascii('\n'))
      at += entry.text.length + 1
    })
    const first = ascii(index)
    const dict = new Dict([
      ['Type', Name.of('ObjStm')],
      ['N', entries.length],
      ['First', first.length],
      ['Filter', Name.of('FlateDecode')],
    ] as [string, PdfObject][])
    await this.stream(number, dict, zlibCompress(concat([first, ...parts])), noReference)
  }

  /** Writes a cross-reference stream (ISO 32000-2, 7.5.8), which is never encrypted. */
  private async xrefStream(trailer: Dict, refText: RefText): Promise<void> {
    const number = this.allocate()
    this.xref.set(number, AT_OFFSET, this.offset, 0)
    let width = 1
    while (256 ** width <= Math.max(this.offset, this.nextNumber)) width++
    const entry = 1 + width + 2
    const rows = new Uint8Array(this.nextNumber * entry)
    for (let i = 0; i < this.nextNumber; i++) {
      const at = i * entry
      const kind = this.xref.kind(i)
      rows[at] = kind === AT_OFFSET || kind === IN_STREAM ? kind : 0
      // Object 0 is the head of the free list and has generation 65535.
      const extra = i === 0 ? 65_535 : this.xref.extra(i)
      let place = this.xref.place(i)
      for (let k = width; k > 0; k--) {
        rows[at + k] = place % 256
        place = Math.floor(place / 256)
      }
      rows[at + width + 1] = extra >> 8
      rows[at + width + 2] = extra & 255
    }
    const data = zlibCompress(differencesUp(rows, entry))
    const parms = new Dict([
      ['Predictor', PREDICTOR_UP],
      ['Columns', entry],
    ])
    const dict = new Dict([
      ['Type', Name.of('XRef')],
      ['Size', this.nextNumber],
      ['W', [1, width, 2]],
      ...trailer,
      ['Filter', Name.of('FlateDecode')],
      ['DecodeParms', parms],
      ['Length', data.length],
    ] as [string, PdfObject][])
    await this.emit(streamHead(number, serialise(dict, refText)))
    await this.emit(data)
    await this.emit(STREAM_TAIL)
  }

  /** Writes a cross-reference table (ISO 32000-2, 7.5.4). */
  private async xrefTable(trailer: Dict, refText: RefText): Promise<void> {
    await this.emit(ascii(`xref\n0 ${this.nextNumber}\n0000000000 65535 f \n`))
    let lines = ''
    for (let i = 1; i < this.nextNumber; i++) {
      lines += this.xref.kind(i) === AT_OFFSET ? `${String(this.xref.place(i)).padStart(10, '0')} 00000 n \n` : '0000000000 00000 f \n'
      if (lines.length < FLUSH_BYTES) continue
      await this.emit(ascii(lines))
      lines = ''
    }
    const dict = new Dict([['Size', this.nextNumber], ...trailer] as [string, PdfObject][])
    await this.emit(latin1Bytes(`${lines}trailer\n${serialise(dict, refText)}\n`))
  }

  protected async emit(bytes: Uint8Array): Promise<void> {
    this.offset += bytes.length
    this.bufferedChunks.push(bytes)
    this.bufferedBytes += bytes.length
    if (this.bufferedBytes >= FLUSH_BYTES) await this.flush()
  }

  protected async flush(): Promise<void> {
    if (this.bufferedBytes === 0) return
    const chunk = concat(this.bufferedChunks)
    this.bufferedChunks = []
    this.bufferedBytes = 0
    await this.sink.write(chunk)
  }
}

function withLength(dict: Dict, length: number): Dict {
  const copy = new Dict(dict)
  copy.set('Length', length)
  return copy
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length) yield bytes
}

export const noReference: RefText = (ref) => {
  throw new Error(`unexpected reference to object ${ref.number}`)
}
