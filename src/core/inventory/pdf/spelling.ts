/** Spells values of a PDF as text, so that equal content has equal text in every file: sorted keys, no object numbers. */

import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { PdfFile } from './file.ts'
import { numberText, textOf } from './text.ts'
import { nameText, PdfDictionary, PdfName, PdfReference, PdfStream, PdfString, type PdfValue } from './values.ts'

/** Entries whose references lead to other parts of the document, or back. The parts are described where they belong. */
const OTHER_PARTS = new Set(['Parent', 'P', 'Pg', 'Popup', 'IRT', 'Prev', 'SE'])
/** Private data of applications, which is an item of its own. */
const PRIVATE_DATA = 'PieceInfo'
const MAX_DEPTH = 8
/** Most values of one text, and of all texts of a file. */
const MAX_VALUES = 50_000
const MAX_ALL_VALUES = 30_000_000
const MAX_KNOWN_DIGESTS = 5000

/** Text that grows. `path`: numbers of the objects around the current value. */
interface Text {
  parts: string
  values: number
  readonly path: number[]
}

export class Spelling {
  readonly #file: PdfFile
  /** Page numbers, counted from 1, by object number. */
  readonly #pages: ReadonlyMap<number, number>
  readonly #digests = new Map<number, string>()
  #values = 0

  constructor(file: PdfFile, pages: ReadonlyMap<number, number>) {
    this.#file = file
    this.#pages = pages
  }

  /** Returns a value as text. Strings and names alone have no marks around them. */
  async of(value: PdfValue | undefined): Promise<string> {
    const found = value instanceof PdfReference && this.#pages.has(value.number) ? value : await this.#file.resolve(value)
    if (found instanceof PdfString) return textOf(found)
    if (found instanceof PdfName) return found.text
    const text: Text = { parts: '', values: 0, path: value instanceof PdfReference ? [value.number] : [] }
    await this.#add(text, found, 0)
    return text.parts
  }

  /** Returns the entries of a dictionary as text, without `omitted`. Empty: there are none. */
  async entries(dictionary: PdfDictionary, omitted: readonly string[] = []): Promise<string> {
    const text: Text = { parts: '', values: 0, path: [] }
    await this.#addEntries(text, dictionary, 1, omitted)
    return text.parts
  }

  /** Page number of an object. `undefined`: it is no page. */
  pageOf(value: PdfValue | undefined): number | undefined {
    return value instanceof PdfReference ? this.#pages.get(value.number) : undefined
  }

  async #add(text: Text, value: PdfValue, depth: number): Promise<void> {
    if (++this.#values > MAX_ALL_VALUES) throw overBudget(message('inventory_too_large', { items: MAX_ALL_VALUES }))
    if (++text.values > MAX_VALUES || depth > MAX_DEPTH) text.parts += '…'
    else if (value instanceof PdfReference) await this.#addReference(text, value, depth)
    else if (value instanceof PdfStream) text.parts += await this.#streamText(value)
    else if (value instanceof PdfDictionary) {
      text.parts += '<<'
      await this.#addEntries(text, value, depth + 1, [])
      text.parts += '>>'
    } else if (Array.isArray(value)) await this.#addItems(text, value, depth)
    else if (value instanceof PdfString) text.parts += `(${textOf(value)})`
    else if (value instanceof PdfName) text.parts += `/${value.text}`
    else text.parts += typeof value === 'number' ? numberText(value) : String(value)
  }

  async #addItems(text: Text, items: readonly PdfValue[], depth: number): Promise<void> {
    text.parts += '['
    for (const [index, item] of items.entries()) {
      if (text.values > MAX_VALUES) break
      if (index > 0) text.parts += ' '
      await this.#add(text, item, depth + 1)
    }
    text.parts += ']'
  }

  async #addEntries(text: Text, dictionary: PdfDictionary, depth: number, omitted: readonly string[]): Promise<void> {
    let separator = ''
    for (const key of [...dictionary.keys()].sort()) {
      const value = dictionary.get(key)!
      if (text.values > MAX_VALUES) break
      if (value === null || key === PRIVATE_DATA || omitted.includes(key)) continue
      if (value instanceof PdfReference && (OTHER_PARTS.has(key) || (await this.#file.resolve(value)) === null)) continue
      text.parts += `${separator}/${key} `
      separator = ' '
      await this.#add(text, value, depth)
    }
  }

  async #addReference(text: Text, reference: PdfReference, depth: number): Promise<void> {
    const page = this.#pages.get(reference.number)
    if (page !== undefined) text.parts += `page ${page}`
    else if (text.path.includes(reference.number)) text.parts += '…'
    else {
      const value = await this.#file.resolve(reference)
      const type = value instanceof PdfDictionary ? nameText(value.get('Type')) : ''
      if (type === 'OCG' && value instanceof PdfDictionary) text.parts += `layer (${await this.of(value.get('Name'))})`
      else if (type === 'Page' || type === 'StructElem') text.parts += type
      else if (value instanceof PdfStream) text.parts += await this.#streamText(value, reference.number)
      else {
        text.path.push(reference.number)
        await this.#add(text, value, depth)
        text.path.pop()
      }
    }
  }

  /** Pictures may be stored in another form, so only their presence counts. Other streams count by the digest of their data. */
  async #streamText(stream: PdfStream, number?: number): Promise<string> {
    const known = number === undefined ? undefined : this.#digests.get(number)
    if (known !== undefined) return known
    const isPicture = nameText(await this.#file.resolve(stream.dictionary.get('Subtype'))) === 'Image'
    const text = isPicture ? 'picture' : `stream of ${await this.#file.streams.digest(stream)}`
    if (number !== undefined && this.#digests.size < MAX_KNOWN_DIGESTS) this.#digests.set(number, text)
    return text
  }
}
