/** Bookmarks (ISO 32000-2, 12.3.3). */
import { actionText } from './actions.ts'
import { type PdfDocument, treeEntries } from './document.ts'
import { PdfDictionary, PdfReference, type PdfValue } from './values.ts'
import { NumberSet } from './xref-table.ts'

const MAX_LEVELS = 64
/** Longest path of titles in characters. */
const MAX_PATH_CHARACTERS = 400
const LINKS = ['Title', 'Parent', 'Prev', 'Next', 'First', 'Last', 'A', 'Dest', 'Count']

interface Entry {
  readonly value: PdfValue
  /** Titles of the parents, with slashes. */
  readonly path: string
  readonly level: number
}

/** Adds the bookmarks with their titles, targets and looks. An entry that was reached before ends its list, so loops end. */
export async function addOutline(document: PdfDocument): Promise<void> {
  const { file, catalog, items, spelling, signal } = document
  const seen = new NumberSet()
  const top = await file.dictionary(catalog.get('Outlines'))
  const stack: Entry[] = [{ value: top?.get('First') ?? null, path: '', level: 0 }]
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    signal.throwIfAborted()
    const { value, path, level } = entry
    if (value instanceof PdfReference && !seen.add(value.number)) continue
    const bookmark = await file.resolve(value)
    if (!(bookmark instanceof PdfDictionary)) continue
    const title = `${path}/${await spelling.of(bookmark.get('Title'))}`.slice(0, MAX_PATH_CHARACTERS)
    const count = await file.resolve(bookmark.get('Count'))
    const parts = [
      await actionText(document, bookmark),
      typeof count === 'number' && count > 0 ? 'open' : '',
      await spelling.entries(bookmark, LINKS),
    ]
    items.add('outline', `${title} = ${parts.filter((part) => part !== '').join(' ')}`)
    // Direct values cannot form loops, so only levels are limited.
    stack.push({ value: bookmark.get('Next') ?? null, path, level })
    if (level < MAX_LEVELS) stack.push({ value: bookmark.get('First') ?? null, path: title, level: level + 1 })
  }
}

/** Adds the labels of pages (ISO 32000-2, 12.4.2). */
export async function addLabels(document: PdfDocument): Promise<void> {
  for await (const [start, label] of treeEntries(document, document.catalog.get('PageLabels'), 'Nums')) {
    const page = typeof start === 'number' ? start + 1 : '?'
    document.items.add('labels', `from page ${page} = ${await document.spelling.of(label)}`)
  }
}

/** Adds article threads with their number of parts (ISO 32000-2, 12.4.3). */
export async function addThreads({ file, catalog, items, spelling }: PdfDocument): Promise<void> {
  for (const [index, value] of (await file.array(catalog.get('Threads'))).entries()) {
    const thread = await file.dictionary(value)
    if (!thread) continue
    const seen = new NumberSet()
    let beads = 0
    for (let bead = thread.get('F'); bead instanceof PdfReference && seen.add(bead.number); beads++) {
      bead = (await file.dictionary(bead))?.get('N')
    }
    items.add('article_threads', `${index} = ${beads} parts ${await spelling.of(thread.get('I'))}`)
  }
}
