/** Reads tags and covers of an M4A file: item lists of iTunes and QuickTime, and user data of QuickTime. `item-list.ts` writes them. */
import { latin1Of } from '../../bytes/latin1.ts'
import type { Cover, Tag } from '../sound-tags.ts'
import { type Box, boxes, findBox, typeAt, u16At, u32At } from './box.ts'

/** Common names of items. Other items have their own name in lower case, without `©`. */
const NAMES: { readonly [type: string]: string | undefined } = {
  '©nam': 'title',
  '©ART': 'artist',
  '©alb': 'album',
  '©cmt': 'comment',
  '©day': 'date',
  '©gen': 'genre',
  '©wrt': 'composer',
  '©grp': 'grouping',
  '©lyr': 'lyrics',
  '©xyz': 'location',
  '©mak': 'make',
  '©mod': 'model',
  '©swr': 'software',
  '©cpy': 'copyright',
  '©des': 'description',
  aART: 'album_artist',
  cprt: 'copyright',
  desc: 'description',
  trkn: 'track',
  disk: 'disc',
}
/** Tags that describe the old file: its encoder, and the delay and padding of its packets. */
const STALE = ['encoder', 'encoding_tool', 'too', 'enc', 'itunsmpb']

/** Well-known types of values (QuickTime File Format, "Well-known types"). */
const [UTF8, UTF16, JPEG, PNG, SIGNED] = [1, 2, 13, 14, 21]
/** Type of a front cover. */
const FRONT_COVER = 3

export interface ItemTags {
  readonly tags: Tag[]
  readonly covers: Cover[]
  /** Value of `iTunSMPB`, the delay and the padding of the packets. `undefined`: the file has none. */
  gapless: string | undefined
}

/** Reads the tags of a `moov` box. Binary values besides covers are left out. */
export function readItemTags(moov: Uint8Array, moovBox: Box): ItemTags {
  const found: ItemTags = { tags: [], covers: [], gapless: undefined }
  for (const child of boxes(moov, moovBox.body, moovBox.end)) {
    if (child.type === 'meta') readMeta(moov, child, found)
    if (child.type !== 'udta') continue
    for (const item of boxes(moov, child.body, child.end)) {
      if (item.type === 'meta') readMeta(moov, item, found)
      else if (item.type.startsWith('©')) for (const text of internationalTexts(moov, item)) addTag(found, nameOf(item.type), text)
    }
  }
  return found
}

const nameOf = (type: string) => NAMES[type] ?? type.replace(/^©/, '').toLowerCase()

function addTag(found: ItemTags, name: string, text: string): void {
  if (name === 'itunsmpb') found.gapless = text
  if (!text || STALE.includes(name) || found.tags.some(([other, value]) => other === name && value === text)) return
  found.tags.push([name, text])
}

/** Texts of QuickTime: length and language of two bytes each, then the text (QuickTime File Format, "User Data Text Strings"). */
function* internationalTexts(moov: Uint8Array, { body, end }: Box): Generator<string> {
  for (let at = body; at + 4 <= end; ) {
    const next = at + 4 + u16At(moov, at)
    if (next > end) return
    yield textOf(moov.subarray(at + 4, next))
    at = next
  }
}

function readMeta(moov: Uint8Array, meta: Box, found: ItemTags): void {
  // QuickTime writes the box without version and flags (4 bytes).
  const isFull = meta.end - meta.body >= 12 && typeAt(moov, meta.body + 8) === 'hdlr'
  const inside = { body: meta.body + (isFull ? 4 : 0), end: meta.end }
  const list = findBox(moov, inside, 'ilst')
  const keys = keysOf(moov, findBox(moov, inside, 'keys'))
  if (list) for (const item of boxes(moov, list.body, list.end)) readItem(moov, item, keys, found)
}

/** Names of the keys of QuickTime: count, then size, namespace and name of each ("Metadata Item Keys Atom"). */
function keysOf(moov: Uint8Array, keys: Box | undefined): string[] {
  return keys ? [...boxes(moov, keys.body + 8, keys.end)].map(({ body, end }) => textOf(moov.subarray(body, end))) : []
}

function readItem(moov: Uint8Array, item: Box, keys: readonly string[], found: ItemTags): void {
  let name = keys[u32At(moov, item.start + 4) - 1]?.toLowerCase() ?? nameOf(item.type)
  let mean = ''
  for (const child of boxes(moov, item.body, item.end)) {
    const text = () => textOf(moov.subarray(child.body + 4, child.end))
    if (child.type === 'mean') mean = text()
    else if (child.type === 'name') name = `${mean}:${text()}`.replace(/^com\.apple\.iTunes:/, '').toLowerCase()
    else if (child.type === 'data' && child.end - child.body >= 8) {
      const [type, value] = [u32At(moov, child.body) & 0xffffff, moov.subarray(child.body + 8, child.end)]
      if (item.type === 'covr') found.covers.push(coverOf(type, value))
      else addTag(found, name, itemText(item.type, type, value) ?? '')
    }
  }
}

function coverOf(type: number, data: Uint8Array): Cover {
  const isPng = type === PNG || (type !== JPEG && latin1Of(data.subarray(1, 4)) === 'PNG')
  return { type: FRONT_COVER, mime: isPng ? 'image/png' : 'image/jpeg', description: '', data: data.slice() }
}

/** Text of a value. `undefined`: it is binary. */
function itemText(item: string, type: number, value: Uint8Array): string | undefined {
  if (type === UTF8) return textOf(value)
  if (type === UTF16) return new TextDecoder('utf-16be').decode(value)
  if ((item === 'trkn' || item === 'disk') && value.length >= 6) {
    const total = u16At(value, 4)
    return total === 0 ? `${u16At(value, 2)}` : `${u16At(value, 2)}/${total}`
  }
  return type === SIGNED && value.length <= 4 ? String(value.reduce((sum, byte) => sum * 256 + byte, 0)) : undefined
}

/** Text as UTF-8, or as Latin-1 if it is not UTF-8, without zeros at the end. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\0+$/, '')
  } catch {
    return latin1Of(bytes).replace(/\0+$/, '')
  }
}
