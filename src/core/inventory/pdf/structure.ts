/** Structure tree, which holds the tags of a document (ISO 32000-2, 14.7). */
import type { PdfDocument } from './document.ts'
import { nameText, PdfDictionary, PdfReference } from './values.ts'
import { NumberSet } from './xref-table.ts'

/** Entries of elements besides their type and kids (ISO 32000-2, table 355): texts for people who cannot read the page, and attributes. */
const DESCRIBED = [
  ['Alt', 'alternative_texts'],
  ['ActualText', 'alternative_texts'],
  ['E', 'alternative_texts'],
  ['T', 'titles'],
  ['Lang', 'languages'],
  ['A', 'attributes'],
  ['C', 'attributes'],
] as const
/** Most direct elements in each other. Elements are indirect objects in almost all files. */
const MAX_DIRECT_LEVELS = 50

/** Number of possible object numbers. A sort key holds the position of an object and its number. */
const NUMBERS = 2 ** 23

export async function addStructure(document: PdfDocument): Promise<void> {
  const { file, catalog, items, spelling } = document
  const root = await file.dictionary(catalog.get('StructTreeRoot'))
  if (!root) return
  const count = await new Tree(document).add(root)
  items.add('tags', `StructTreeRoot = ${count} parts of pages`)
  for (const [role, type] of (await file.dictionary(root.get('RoleMap'))) ?? []) {
    items.add('tags', `role ${role} = ${await spelling.of(type)}`)
  }
  for (const [name, attributes] of (await file.dictionary(root.get('ClassMap'))) ?? []) {
    items.add('attributes', `class ${name} = ${await spelling.of(attributes)}`)
  }
}

class Tree {
  readonly #document: PdfDocument
  readonly #seen = new NumberSet()
  /** Parts of pages and objects that the tags enclose. */
  #content = 0
  /** Numbers of the elements of the next level. */
  #next: number[] = []

  constructor(document: PdfDocument) {
    this.#document = document
  }

  /** Adds all elements level by level, each level in the order of the file. Returns the number of parts of pages. */
  async add(root: PdfDictionary): Promise<number> {
    const { file, signal } = this.#document
    await this.#addKids(root, 0)
    while (this.#next.length > 0) {
      const level = Float64Array.from(this.#next, (number) => file.positionOf(number) * NUMBERS + number).sort()
      this.#next = []
      for (const key of level) {
        signal.throwIfAborted()
        const element = await file.object(key % NUMBERS)
        if (element instanceof PdfDictionary) await this.#addElement(element, 0)
      }
    }
    return this.#content
  }

  async #addKids(element: PdfDictionary, level: number): Promise<void> {
    const { file } = this.#document
    const entry = element.get('K')
    const kids = entry instanceof PdfReference ? await file.resolve(entry) : entry
    for (const kid of Array.isArray(kids) ? kids : [entry]) {
      if (kid instanceof PdfDictionary) {
        if (level < MAX_DIRECT_LEVELS) await this.#addElement(kid, level + 1)
      } else if (typeof kid === 'number') this.#content++
      else if (kid instanceof PdfReference && this.#seen.add(kid.number)) this.#next.push(kid.number)
    }
  }

  async #addElement(element: PdfDictionary, level: number): Promise<void> {
    const { file, items, spelling } = this.#document
    const entry = element.get('S')
    const type = nameText(entry instanceof PdfReference ? await file.resolve(entry) : entry)
    if (type === '') {
      this.#content++
      return
    }
    items.add('tags', type)
    for (const [key, kind] of DESCRIBED) {
      if (!element.has(key)) continue
      const text = await spelling.of(element.get(key))
      if (text !== 'null') items.add(kind, kind === 'alternative_texts' ? `${key} ${text}` : `${type} ${text}`)
    }
    await this.#addKids(element, level)
  }
}
