/** Reads metadata of films: user data (`udta`), item lists (`meta`/`ilst`) with iTunes or QuickTime keys, covers. */
import { latin1Of } from '../../bytes/latin1.ts'
import type { FileView } from '../file-view.ts'
import type { InventoryBuilder } from '../inventory.ts'
import { digestOfRange, digestText } from '../media/digests.ts'
import { be16, be32, nameAt, textOf } from '../media/numbers.ts'
import { isWriterTag, itunesName } from '../tags/names.ts'
import { pictureText } from '../tags/pictures.ts'
import { type Box, bodyOf, boxesIn } from './boxes.ts'

/** Longest value that is read as text. Longer ones, for example covers, are read in ranges. */
const MAX_TEXT_BYTES = 64 * 1024
/** Longest text of an item list. Conversions of sound write texts of this length. */
const MAX_ITEM_BYTES = 4 * 1024 * 1024
const MAX_COVER_BYTES = 8 * 1024 * 1024
/** Boxes of user data that describe storage, or are read elsewhere. */
const NOT_CONTENT = ['meta', 'name', 'hnti', 'hinf', 'chpl', 'free', 'skip', 'wide']

/** Where metadata belongs. */
export interface Place {
  readonly view: FileView
  readonly items: InventoryBuilder
  /** Prefix of the item's name: empty for the file, `audio 0 ` for a track. */
  readonly prefix: string
}

/** Reads a `udta` box. Texts (`©nam` …) are tags, all other boxes are user data. */
export async function readUserData(place: Place, udta: Box): Promise<void> {
  const { view, items, prefix } = place
  for await (const box of boxesIn(view, udta, 'listed')) {
    if (box.type === 'meta') await readMeta(place, box)
    else if (box.type === 'name') await addText(place, 'title', textOf(await bodyOf(view, box, MAX_TEXT_BYTES)))
    else if (box.type === 'chpl' || NOT_CONTENT.includes(box.type)) continue
    else if (box.type.startsWith('©')) {
      const texts = internationalTexts(await bodyOf(view, box, MAX_TEXT_BYTES))
      for (const text of texts) addText(place, itunesName(box.type), text)
    } else items.add('user_data', `${prefix}${box.type} = ${await digestOfRange(view, box.body, box.end - box.body)}`)
  }
}

function addText({ items, prefix }: Place, name: string, text: string): void {
  if (!isWriterTag(name) && text !== '') items.add('tags', `${prefix}${name} = ${text}`)
}

/** Texts of QuickTime: length and language of two bytes each, then the text (QuickTime File Format, "User Data Text Strings"). */
function internationalTexts(body: Uint8Array): string[] {
  if (nameAt(body, 4) === 'data') return [textOf(body.subarray(16))]
  const found: string[] = []
  for (let at = 0; at + 4 <= body.length; ) {
    const length = be16(body, at)
    if (length === 0 || at + 4 + length > body.length) return found.length > 0 ? found : [digestText(body)]
    found.push(textOf(body.subarray(at + 4, at + 4 + length)))
    at += 4 + length
  }
  return found
}

/** Children of a `meta` box without version and flags, as QuickTime writes it. */
const FIRST_CHILDREN = ['hdlr', 'mhdr', 'keys', 'ilst']

/** Reads a `meta` box with the item list and its keys. Other content is user data. */
export async function readMeta(place: Place, meta: Box): Promise<void> {
  const { view, items, prefix } = place
  const fields = FIRST_CHILDREN.includes(nameAt(await view.bytesUpTo(meta.body, 8), 4)) ? 0 : 4
  let keys: readonly string[] = []
  for await (const box of boxesIn(view, { body: meta.body + fields, end: meta.end }, 'listed')) {
    if (box.type === 'keys') keys = await readKeys(view, box)
    else if (box.type === 'ilst') await readItems(place, box, keys)
    else if (!['hdlr', 'mhdr', 'free', 'skip', 'ctry', 'lang'].includes(box.type))
      items.add('user_data', `${prefix}meta ${box.type} = ${await digestOfRange(view, box.body, box.end - box.body)}`)
  }
}

const MAX_KEYS = 4096

/** `keys` box (QuickTime File Format, "Metadata Item Keys Atom"): count, then size, namespace and name of each key. */
async function readKeys(view: FileView, box: Box): Promise<string[]> {
  const body = await bodyOf(view, box, 1024 * 1024)
  const found: string[] = []
  for (let at = 8; at + 8 <= body.length && found.length < MAX_KEYS; ) {
    const size = be32(body, at)
    if (size < 8) break
    found.push(textOf(body.subarray(at + 8, at + size)))
    at += size
  }
  return found
}

async function readItems(place: Place, ilst: Box, keys: readonly string[]): Promise<void> {
  const { view, items, prefix } = place
  for await (const box of boxesIn(view, ilst, 'listed')) {
    const index = be32(await view.bytesUpTo(box.start + 4, 4), 0)
    const key = keys[index - 1]
    let name = key ?? itunesName(box.type)
    let part = ''
    for await (const data of boxesIn(view, box, 'loose')) {
      if (data.type === 'mean' || data.type === 'name') {
        part += `${part && ':'}${latin1Of((await bodyOf(view, data, MAX_TEXT_BYTES)).subarray(4))}`
        if (data.type === 'name') name = part.replace(/^com\.apple\.iTunes:/, '').toLowerCase()
      } else if (data.type === 'data' && box.type === 'covr') {
        const cover = (await bodyOf(view, data, MAX_COVER_BYTES)).subarray(8)
        items.add('covers', `${prefix}cover = ${pictureText(cover)} ${digestText(cover)}`)
      } else if (data.type === 'data') {
        const value = await itemValue(view, data, box.type)
        if (name === 'itunsmpb') items.add('gapless_data', `${prefix}iTunSMPB = ${value}`)
        else addText(place, name, value)
      }
    }
  }
}

/** Well-known types of item values (QuickTime File Format, "Well-known types"). */
const [UTF8, UTF16, SIGNED] = [1, 2, 21]

async function itemValue(view: FileView, data: Box, key: string): Promise<string> {
  if (data.end - data.body > MAX_ITEM_BYTES) return digestOfRange(view, data.body, data.end - data.body)
  const body = await bodyOf(view, data, MAX_ITEM_BYTES)
  const [type, value] = [be32(body, 0) & 0xffffff, body.subarray(8)]
  if (type === UTF8) return textOf(value)
  if (type === UTF16) return new TextDecoder('utf-16be').decode(value)
  if (key === 'trkn' || key === 'disk') return be16(value, 4) === 0 ? `${be16(value, 2)}` : `${be16(value, 2)}/${be16(value, 4)}`
  if (type === SIGNED && value.length <= 4) return String(value.reduce((sum, byte) => sum * 256 + byte, 0))
  return digestText(value)
}
