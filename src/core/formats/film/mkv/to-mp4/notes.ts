import { SIMPLE_TAG, TAG, TAG_NAME, TAG_TEXT, TARGET_UIDS, TARGETS } from '../../../../containers/ebml/track-elements.ts'
import type { Notes } from '../../sample-table.ts'
import { type Child, type Content, childrenOf, rootOf } from '../content.ts'
import { childFields, textIn, wholeIn } from './fields.ts'

/** Items of MP4 for names of tags (Matroska tag specifications). Other names become items with their own name. */
const ITEMS: { readonly [name: string]: string | undefined } = {
  title: '©nam',
  artist: '©ART',
  album: '©alb',
  comment: '©cmt',
  date_released: '©day',
  date: '©day',
  genre: '©gen',
  composer: '©wrt',
  lyrics: '©lyr',
  copyright: 'cprt',
}
/** Deepest tags inside tags. */
const MAX_DEPTH = 16
/** Tags that name the program which wrote the file. */
const WRITER = 'encoder'

/** Returns the tags of the whole file as items. Tags of one track, chapter or attached file have no place in MP4. */
export function notesOf(contents: readonly Content[], title: string | undefined): Notes {
  const notes = new Map<string, readonly [string, string]>()
  const add = (name: string, text: string) => {
    const item = ITEMS[name.toLowerCase()] ?? name.toLowerCase()
    if (text !== '' && item !== WRITER) notes.set(`${item} ${text}`, [item, text])
  }
  if (title) add('title', title)
  for (const content of contents) {
    for (const tag of childrenOf(content, 0, rootOf(content).end)) {
      if (tag.id === TAG && isOfFile(content, tag)) for (const [name, text] of simpleTags(content, tag, 0)) add(name, text)
    }
  }
  return [...notes.values()]
}

/** True if a tag belongs to the whole file: it has no target, or no number of one. */
function isOfFile(content: Content, tag: Child): boolean {
  const targets = childFields(content, tag).get(TARGETS)
  if (!targets) return true
  return [...childrenOf(content, targets.bodyAt, targets.end)].every(
    (child) => !TARGET_UIDS.includes(child.id) || wholeIn(content, child) === 0,
  )
}

function* simpleTags(content: Content, parent: Child, depth: number): Generator<readonly [name: string, text: string]> {
  for (const child of childrenOf(content, parent.bodyAt, parent.end)) {
    if (child.id !== SIMPLE_TAG) continue
    const fields = childFields(content, child)
    yield [textIn(content, fields.get(TAG_NAME)) ?? '', textIn(content, fields.get(TAG_TEXT)) ?? '']
    if (depth < MAX_DEPTH) yield* simpleTags(content, child, depth + 1)
  }
}
