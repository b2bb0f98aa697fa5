/** Catalog and pages of an opened PDF, which the parts of the inventory share. */

import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import { ItemCollector } from '../collector.ts'
import type { PdfFile } from './file.ts'
import { Spelling } from './spelling.ts'
import { damaged, nameText, PdfDictionary, PdfReference, type PdfValue } from './values.ts'
import { NumberSet } from './xref-table.ts'

/** Items of a kind that are listed. With up to 40 kinds, a PDF stays below the limits of `InventoryBuilder`. */
const LISTED = { items: 5000, characters: 400_000 }
const MAX_NODES = 4_000_000
/** Most levels of a name tree or number tree. */
const MAX_TREE_LEVELS = 32
/** Most parents of a page from which it inherits. */
const MAX_PARENTS = 64

export interface PdfDocument {
  readonly file: PdfFile
  readonly catalog: PdfDictionary
  /** Object numbers of the pages, in page order. */
  readonly pages: readonly number[]
  readonly spelling: Spelling
  readonly items: ItemCollector
  readonly signal: AbortSignal
}

/** @throws CodecError (malformed) if the catalog is missing */
export async function documentOf(file: PdfFile, signal: AbortSignal): Promise<PdfDocument> {
  const catalog = await file.dictionary(file.trailer.get('Root'))
  if (!catalog) throw damaged(0)
  const pages = await pageNumbers(file, catalog, signal)
  const byNumber = new Map<number, number>()
  for (const [index, number] of pages.entries()) byNumber.set(number, index + 1)
  return { file, catalog, pages, spelling: new Spelling(file, byNumber), items: new ItemCollector(LISTED), signal }
}

/** Returns the leaves of the page tree (ISO 32000-2, 7.7.3). Each node counts once, so loops end. */
async function pageNumbers(file: PdfFile, catalog: PdfDictionary, signal: AbortSignal): Promise<number[]> {
  const pages: number[] = []
  const seen = new NumberSet()
  const stack: PdfValue[] = [catalog.get('Pages') ?? null]
  for (let nodes = 0; stack.length > 0; nodes++) {
    if (nodes > MAX_NODES) throw overBudget(message('inventory_too_large', { items: MAX_NODES }))
    if (nodes % 1024 === 0) signal.throwIfAborted()
    const node = stack.pop()
    if (node instanceof PdfReference && !seen.add(node.number)) continue
    const dictionary = await file.resolve(node)
    if (!(dictionary instanceof PdfDictionary)) continue
    const kids = await file.resolve(dictionary.get('Kids'))
    if (Array.isArray(kids) && nameText(dictionary.get('Type')) !== 'Page') {
      for (let index = kids.length - 1; index >= 0; index--) stack.push(kids[index]!)
    } else if (node instanceof PdfReference) pages.push(node.number)
  }
  return pages
}

/** Returns an entry of a page that it may inherit from its parents (ISO 32000-2, 7.7.3.4). */
export async function inherited({ file }: PdfDocument, page: PdfDictionary, key: string): Promise<PdfValue> {
  let node: PdfDictionary | undefined = page
  for (let parents = 0; node && parents < MAX_PARENTS; parents++) {
    const value = await file.resolve(node.get(key))
    if (value !== null) return value
    node = await file.dictionary(node.get('Parent'))
  }
  return null
}

/** Yields keys and values of a name tree (`Names`) or number tree (`Nums`) (ISO 32000-2, 7.9.6 and 7.9.7). */
export async function* treeEntries(
  { file, signal }: PdfDocument,
  root: PdfValue | undefined,
  leaf: 'Names' | 'Nums',
): AsyncGenerator<[PdfValue, PdfValue]> {
  const seen = new NumberSet()
  const stack: { node: PdfValue; level: number }[] = [{ node: root ?? null, level: 0 }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    signal.throwIfAborted()
    const { node, level } = next
    if (level > MAX_TREE_LEVELS || (node instanceof PdfReference && !seen.add(node.number))) continue
    const dictionary = await file.dictionary(node)
    const entries = await file.array(dictionary?.get(leaf))
    for (let index = 0; index + 1 < entries.length; index += 2) yield [await file.resolve(entries[index]), entries[index + 1]!]
    const kids = await file.array(dictionary?.get('Kids'))
    for (let index = kids.length - 1; index >= 0; index--) stack.push({ node: kids[index]!, level: level + 1 })
  }
}
