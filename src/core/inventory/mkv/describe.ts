/** Items of Matroska elements (RFC 9559, section 5.1). */
import type { InventoryBuilder } from '../inventory.ts'
import { digestOfRange } from '../media/digests.ts'
import { seconds } from '../media/numbers.ts'
import { commentName } from '../tags/names.ts'
import { pictureText } from '../tags/pictures.ts'
import type { Element, Elements } from './elements.ts'

const [EDITION, ATOM, CHAPTER_START, CHAPTER_DISPLAY, CHAPTER_TITLE] = [0x45b9, 0xb6, 0x91, 0x80, 0x85]
const [SIMPLE_TAG, TARGETS, TAG_NAME, TAG_TEXT] = [0x67c8, 0x63c0, 0x45a3, 0x4487]
const [FILE_NAME, MEDIA_TYPE, FILE_DATA] = [0x466e, 0x4660, 0x465c]
const [TRACK_NUMBER, TRACK_TYPE, TRACK_NAME, CODEC, LANGUAGE, LANGUAGE_BCP_47, IS_DEFAULT, IS_FORCED] = [
  0xd7, 0x83, 0x536e, 0x86, 0x22b59c, 0x22b59d, 0x88, 0x55aa,
]
const [TRACK_POSITIONS, CUE_TRACK] = [0xb7, 0xf7]
const NANOSECONDS = 1e9
/** Longest attached picture that is read. */
const MAX_PICTURE_BYTES = 16 * 1024 * 1024
/** Deepest chapters and tags that are listed one by one. */
const MAX_DEPTH = 32

/** Elements with children: of tracks, chapters and tags, and of unknown elements. */
export const PARENTS: ReadonlySet<number> = new Set([
  ...[0xae, 0x6624, 0xe0, 0xe1, 0x55b0, 0x55d0, 0x7670, 0x41e4, 0xe2, 0xe3, 0xe4, 0xe9, 0x6d80, 0x6240, 0x5034, 0x5035],
  ...[EDITION, ATOM, 0x8f, CHAPTER_DISPLAY, 0x6944, 0x6911, 0x6924, 0x7373, TARGETS, SIMPLE_TAG, 0x61a7, 0xbb, TRACK_POSITIONS, 0xdb],
  ...[0xa0, 0x75a1, 0xa6],
])

const KINDS = new Map([
  [1, 'video_tracks'],
  [2, 'audio_tracks'],
  [17, 'subtitle_tracks'],
] as const)

/** TrackEntry. */
export async function describeTrack(elements: Elements, track: Element, items: InventoryBuilder): Promise<void> {
  let [number, type, codec] = [0, 0, '']
  const facts: [kind: 'languages' | 'dispositions' | 'tags', text: string][] = []
  for await (const child of elements.children(track)) {
    if (child.id === TRACK_NUMBER) number = await elements.number(child)
    else if (child.id === TRACK_TYPE) type = await elements.number(child)
    else if (child.id === CODEC) codec = await elements.text(child)
    else if (child.id === TRACK_NAME) facts.push(['tags', ` title = ${await elements.text(child)}`])
    else if (child.id === LANGUAGE || child.id === LANGUAGE_BCP_47) facts.push(['languages', ` = ${await elements.text(child)}`])
    else if (child.id === IS_DEFAULT) facts.push(['dispositions', ` default = ${await elements.number(child)}`])
    else if (child.id === IS_FORCED) facts.push(['dispositions', ` forced = ${await elements.number(child)}`])
  }
  for (const [kind, text] of facts) items.add(kind, `track ${number}${text}`)
  const kind = KINDS.get(type as 1 | 2 | 17) ?? 'other_tracks'
  items.add(kind, `track ${number} ${codec} = ${await elements.digest(track, PARENTS, 0, TRACK_NAME)}`)
}

/** Tag. */
export async function describeTag(elements: Elements, tag: Element, items: InventoryBuilder, depth = 0): Promise<void> {
  let [name, text] = ['', '']
  const simple: Element[] = []
  let target = ''
  for await (const child of elements.children(tag)) {
    if (child.id === SIMPLE_TAG) simple.push(child)
    else if (child.id === TARGETS) target = await elements.digest(child, PARENTS)
    else if (child.id === TAG_NAME) name = commentName(await elements.text(child))
    else if (child.id === TAG_TEXT) text = await elements.text(child)
    else text ||= await elements.digest(child, PARENTS)
  }
  if (target !== '' && simple.length > 0) items.add('chunks', `tag target ${target}`)
  if (tag.id === SIMPLE_TAG) items.add('tags', `${name} = ${text}`)
  if (depth < MAX_DEPTH) for (const child of simple) await describeTag(elements, child, items, depth + 1)
}

/** EditionEntry or ChapterAtom. */
export async function describeChapters(elements: Elements, chapter: Element, items: InventoryBuilder, depth = 0): Promise<void> {
  let start = 0
  const titles: string[] = []
  const inner: Element[] = []
  for await (const child of elements.children(chapter)) {
    if (child.id === ATOM) inner.push(child)
    else if (child.id === CHAPTER_START) start = await elements.number(child)
    else if (child.id === CHAPTER_DISPLAY)
      for await (const part of elements.children(child)) if (part.id === CHAPTER_TITLE) titles.push(await elements.text(part))
  }
  if (chapter.id === ATOM) items.add('chapters', `${seconds(start / NANOSECONDS)} s = ${titles.join(', ')}`)
  if (depth < MAX_DEPTH) for (const child of inner) await describeChapters(elements, child, items, depth + 1)
}

/** AttachedFile. Codecs recompress JPEG and PNG pictures without loss, so only their type and size stay the same. */
export async function describeAttachment(elements: Elements, file: Element, items: InventoryBuilder): Promise<void> {
  let [name, type, data]: [string, string, Element | undefined] = ['', '', undefined]
  for await (const child of elements.children(file)) {
    if (child.id === FILE_NAME) name = await elements.text(child)
    else if (child.id === MEDIA_TYPE) type = await elements.text(child)
    else if (child.id === FILE_DATA) data = child
    else if (child.id !== 0x46ae) items.add('chunks', `attached file ${child.id.toString(16)} = ${await elements.digest(child, PARENTS)}`)
  }
  if (!data) return
  const bytes = data.end - data.body
  if (/^image\/(?:jpeg|png)$/.test(type) && bytes <= MAX_PICTURE_BYTES)
    items.add('covers', `${name} ${type} = ${pictureText(await elements.view.bytes(data.body, bytes))}`)
  else items.add('attachments', `${name} ${type} = ${await digestOfRange(elements.view, data.body, bytes)}`)
}

/** CuePoint. */
export async function describeCue(elements: Elements, cue: Element, items: InventoryBuilder): Promise<void> {
  for await (const child of elements.children(cue)) {
    if (child.id !== TRACK_POSITIONS) continue
    for await (const part of elements.children(child))
      if (part.id === CUE_TRACK) items.add('cue_points', `track ${await elements.number(part)}`)
  }
}
