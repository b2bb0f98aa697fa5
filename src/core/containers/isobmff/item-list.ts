/** Writes tags and covers as iTunes stores them: `udta`, `meta`, `ilst` (QuickTime File Format, "User Data Atoms"). */
import { type Chapter, type Cover, groupedTags, type Tag } from '../sound-tags.ts'
import { box, boxOf, fullBox, halfWords, latin1Bytes, words } from './box.ts'
import { chapterList } from './index-fields.ts'

const ITEMS: { readonly [name: string]: string } = {
  title: '©nam',
  artist: '©ART',
  album: '©alb',
  album_artist: 'aART',
  comment: '©cmt',
  date: '©day',
  genre: '©gen',
  composer: '©wrt',
  grouping: '©grp',
  lyrics: '©lyr',
  copyright: 'cprt',
  description: 'desc',
}
const NUMBERS: { readonly [name: string]: string } = { track: 'trkn', disc: 'disk' }
/** A number with or without the total. */
const NUMBER = /^0*([1-9]\d{0,4})(?:\/0*([1-9]\d{0,4}))?$/

/** Well-known types of values. */
const [BINARY, UTF8, JPEG, PNG] = [0, 1, 13, 14]

const utf8 = (text: string) => new TextEncoder().encode(text)
const data = (type: number, value: Uint8Array) => box('data', words(type, 0), value)

/** Returns the `udta` box. Empty: there are no tags, covers and chapters. */
export function itemList(tags: readonly Tag[], covers: readonly Cover[], chapters: readonly Chapter[]): Uint8Array[] {
  const items = groupedTags(tags).flatMap(([name, values]) => itemsOf(name, values))
  const pictures = covers.map(({ mime, data: bytes }) => data(/png/i.test(mime) ? PNG : JPEG, bytes))
  if (pictures.length > 0) items.push(boxOf('covr', pictures))
  const handler = fullBox('hdlr', 0, words(0), latin1Bytes('mdirappl'), words(0, 0), Uint8Array.of(0))
  const lists = [
    ...(items.length > 0 ? [fullBox('meta', 0, handler, boxOf('ilst', items))] : []),
    ...(chapters.length > 0 ? [chapterList(chapters)] : []),
  ]
  return lists.length > 0 ? [boxOf('udta', lists)] : []
}

function itemsOf(name: string, values: readonly string[]): Uint8Array[] {
  const [first = ''] = values
  const texts = values.map((value) => data(UTF8, utf8(value)))
  const type = ITEMS[name]
  if (type) return [boxOf(type, texts)]
  const free = boxOf('----', [fullBox('mean', 0, latin1Bytes('com.apple.iTunes')), fullBox('name', 0, utf8(name)), ...texts])
  const [, number, total] = (NUMBERS[name] && NUMBER.exec(first)) || []
  if (!number || Number(number) > 0xffff || Number(total) > 0xffff) return [free]
  const padding = name === 'track' ? [0] : []
  const item = box(NUMBERS[name]!, data(BINARY, halfWords(0, Number(number), Number(total ?? 0), ...padding)))
  // Numbers with leading zeros, and several numbers, are kept as text besides.
  const isWhole = values.length === 1 && first === (total ? `${number}/${total}` : number)
  return isWhole ? [item] : [item, free]
}
