/** Writes a linearised file (ISO 32000-2, annex F) sequentially. Values that depend on later parts are filled in at the end. */
import { PATCHABLE_BYTES } from '../../../model/codec.ts'
import { ascii, Dict, latin1Bytes, Name, type PdfObject } from '../objects.ts'
import { serialise } from '../serialise.ts'
import { noReference, type RefText, STREAM_TAIL, streamHead, Writer } from '../writer.ts'
import { AT_OFFSET, IN_STREAM } from '../xref.ts'
import { hintTables, type WrittenPositions } from './hints.ts'
import type { Layout, Unit } from './layout.ts'

/** Reserved size of the linearisation dictionary in bytes. It must be within the first 1024 bytes of the file. */
const DICTIONARY_BYTES = 200
const PLACE_DIGITS = 10
/** Maximum size in bytes of the part before the first page, which can still be changed after it was written. */
const FRONT_BYTES = PATCHABLE_BYTES - 256 * 1024

/** Writes one unit: an object of the document, or an object stream. */
export type WriteUnit = (unit: Unit) => Promise<void>

/** Parameters of a linearised file. */
export interface LinearJob {
  version: string
  layout: Layout
  trailer: Dict
  refText: RefText
  /** Upper limit of all file offsets, in bytes. */
  maxOffset: number
  writeUnit: WriteUnit
}

export class LinearFile extends Writer {
  private readonly unitRanges = new Map<number, [start: number, end: number]>()

  /** Writes an object outside of object streams. */
  async plain(number: number, object: PdfObject, refText: RefText): Promise<void> {
    await this.plainObject(number, this.text(object, refText, number))
  }

  /** Writes objects in an object stream with this number. */
  async packed(number: number, entries: readonly { number: number; object: PdfObject }[], refText: RefText): Promise<void> {
    const texts = entries.map((entry) => ({ number: entry.number, text: latin1Bytes(serialise(entry.object, refText)) }))
    await this.objectStream(number, texts)
  }

  /** Writes the whole linearised file. */
  async write({ version, layout, trailer, refText, maxOffset: most, writeUnit: put }: LinearJob): Promise<void> {
    await this.begin(version)
    const lengthBits = Math.max(1, Math.ceil(Math.log2(most + 1)))
    const width = Math.max(1, Math.ceil(lengthBits / 8))
    const dictionaryAt = this.offset
    await this.emit(spaces(DICTIONARY_BYTES))
    const firstXrefAt = this.offset
    const { head, rows, tail } = this.firstXref(layout, trailer, refText, width, 0)
    await this.emit(spaces(head.length + rows.length + tail.length))
    await this.units(layout.opening, put)
    const hintsAt = this.offset
    const nothing: WrittenPositions = { lengthOf: () => 0, placeOf: () => 0 }
    const hintsLength = hintObject(layout, lengthBits, nothing).length
    await this.emit(spaces(hintsLength))
    if (this.offset > FRONT_BYTES) throw new RangeError(`${this.offset} bytes before the first page, allowed are ${FRONT_BYTES}`)
    this.xref.set(layout.hints, AT_OFFSET, hintsAt, 0)
    this.xref.set(layout.dictionary, AT_OFFSET, dictionaryAt, 0)
    if (layout.firstXref) this.xref.set(layout.firstXref, AT_OFFSET, firstXrefAt, 0)
    await this.units(layout.firstPage, put)
    const firstPageEnd = this.offset
    for (const page of layout.pages) await this.units(page, put)
    await this.units(layout.shared, put)
    await this.units(layout.rest, put)
    const mainXrefAt = this.offset
    const firstEntryAt = await this.mainXref(layout, trailer, refText, width)
    await this.emit(ascii(`startxref\n${firstXrefAt}\n%%EOF\n`))
    await this.flush()
    const written: WrittenPositions = {
      lengthOf: (unit) => this.lengthOf(unit),
      placeOf: (unit) => this.unitRanges.get(unit.number)![0] - ((this.unitRanges.get(unit.number)?.[0] ?? 0) > hintsAt ? hintsLength : 0),
    }
    const page = layout.firstPage[0]!
    const dictionary = `${layout.dictionary} 0 obj\n<</Linearized 1/L ${this.offset}/H[${hintsAt} ${hintsLength}]/O ${page.number}/E ${firstPageEnd}/N ${layout.pages.length + 1}/T ${firstEntryAt}>>\nendobj\n`
    this.fill(dictionaryAt, ascii(`${dictionary.padEnd(DICTIONARY_BYTES - 1)}\n`))
    const filled = this.firstXref(layout, trailer, refText, width, mainXrefAt)
    this.fill(firstXrefAt, filled.head)
    this.fill(firstXrefAt + filled.head.length, filled.rows)
    this.fill(firstXrefAt + filled.head.length + filled.rows.length, filled.tail)
    this.fill(hintsAt, hintObject(layout, lengthBits, written))
  }

  private fill(offset: number, bytes: Uint8Array): void {
    if (!this.sink.patch) throw new RangeError('the sink has no patch() method, which a linearised PDF needs')
    this.sink.patch(offset, bytes)
  }

  private async units(list: readonly Unit[], put: WriteUnit): Promise<void> {
    for (const unit of list) {
      const start = this.offset
      await put(unit)
      this.unitRanges.set(unit.number, [start, this.offset])
    }
  }

  private lengthOf(unit: Unit): number {
    const [start, end] = this.unitRanges.get(unit.number) ?? [0, 0]
    return end - start
  }

  /** First-page cross-reference section, at the front of the file (ISO 32000-2, F.3.3). Its length does not depend on its values. */
  private firstXref(layout: Layout, trailer: Dict, refText: RefText, width: number, previous: number) {
    const count = layout.size - layout.firstHalf
    const full = new Dict([['Size', layout.size], ...trailer] as [string, PdfObject][])
    const tail = ascii('startxref\n0\n%%EOF\n')
    const place = `/Prev ${String(previous).padStart(PLACE_DIGITS)}`
    if (!this.compact) {
      const rows = latin1Bytes(tableRows(this, layout.firstHalf, layout.size))
      const text = serialise(full, refText)
      const end = latin1Bytes(`trailer\n${text.slice(0, -2)}${place}>>\n`)
      return { head: ascii(`xref\n${layout.firstHalf} ${count}\n`), rows, tail: new Uint8Array([...end, ...tail]) }
    }
    const rows = this.streamRows(layout.firstHalf, layout.size, width)
    for (const [key, value] of this.streamKeys(layout.firstHalf, count, width, rows.length)) full.set(key, value)
    const text = serialise(full, refText)
    const head = streamHead(layout.firstXref, `${text.slice(0, -2)}${place}>>`)
    return { head, rows, tail: new Uint8Array([...STREAM_TAIL, ...tail]) }
  }

  private streamKeys(first: number, count: number, width: number, length: number): [string, PdfObject][] {
    return [
      ['Type', Name.of('XRef')],
      ['W', [1, width, 2]],
      ['Index', [first, count]],
      ['Length', length],
    ]
  }

  /**
   * Entries of a cross-reference stream (ISO 32000-2, 7.5.8.3). They are not compressed, because their length must be known in advance.
   */
  private streamRows(from: number, to: number, width: number): Uint8Array {
    const entry = 1 + width + 2
    const rows = new Uint8Array((to - from) * entry)
    for (let number = from; number < to; number++) {
      const at = (number - from) * entry
      const kind = this.xref.kind(number)
      rows[at] = kind === AT_OFFSET || kind === IN_STREAM ? kind : 0
      let place = this.xref.place(number)
      for (let k = width; k > 0; k--) {
        rows[at + k] = place % 256
        place = Math.floor(place / 256)
      }
      const extra = number === 0 ? 65_535 : this.xref.extra(number)
      rows[at + width + 1] = extra >> 8
      rows[at + width + 2] = extra & 255
    }
    return rows
  }

  /** Writes the main cross-reference section at the end of the file. Returns the value of /T (ISO 32000-2, table F.1). */
  private async mainXref(layout: Layout, trailer: Dict, refText: RefText, width: number): Promise<number> {
    const at = this.offset
    const full = new Dict([['Size', layout.firstHalf]] as [string, PdfObject][])
    for (const [key, value] of trailer) full.set(key, value)
    if (!this.compact) {
      const head = `xref\n0 ${layout.firstHalf}`
      await this.emit(
        latin1Bytes(`${head}\n0000000000 65535 f \n${tableRows(this, 1, layout.firstHalf)}trailer\n${serialise(full, refText)}\n`),
      )
      return at + head.length
    }
    this.xref.set(layout.mainXref, AT_OFFSET, at, 0)
    const rows = this.streamRows(0, layout.firstHalf, width)
    for (const [key, value] of this.streamKeys(0, layout.firstHalf, width, rows.length)) full.set(key, value)
    await this.emit(streamHead(layout.mainXref, serialise(full, refText)))
    await this.emit(rows)
    await this.emit(STREAM_TAIL)
    return at - 1
  }

  /** Kind and location of an object in the cross-reference table. */
  entryOf(number: number): [kind: number, place: number] {
    return [this.xref.kind(number), this.xref.place(number)]
  }
}

/** Rows of a cross-reference table (ISO 32000-2, 7.5.4). */
function tableRows(file: LinearFile, from: number, to: number): string {
  const rows: string[] = []
  for (let number = from; number < to; number++) {
    const [kind, place] = file.entryOf(number)
    rows.push(kind === AT_OFFSET ? `${String(place).padStart(10, '0')} 00000 n \n` : '0000000000 00000 f \n')
  }
  return rows.join('')
}

const spaces = (count: number) => new Uint8Array(count).fill(32)

function hintObject(layout: Layout, lengthBits: number, written: WrittenPositions): Uint8Array {
  const { data, shared, outlines } = hintTables(layout, lengthBits, written)
  const dict = new Dict([['S', shared], ...(outlines ? [['O', outlines] as [string, PdfObject]] : []), ['Length', data.length]] as [
    string,
    PdfObject,
  ][])
  const head = streamHead(layout.hints, serialise(dict, noReference))
  const tail = STREAM_TAIL
  const out = new Uint8Array(head.length + data.length + tail.length)
  out.set(head)
  out.set(data, head.length)
  out.set(tail, head.length + data.length)
  return out
}
