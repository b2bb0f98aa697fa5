/** Inventory of Matroska and WebM files in the words of MP4, for files that become MP4. Blocks are not read. */
import type { InventoryReader } from '../inventory.ts'
import { digestText } from '../media/digests.ts'
import { mediaReader, type Reading } from '../media/media-reader.ts'
import { seconds } from '../media/numbers.ts'
import { specificConfig } from '../mp4/sound-entry.ts'
import { commentName, isWriterTag } from '../tags/names.ts'
import { pictureText } from '../tags/pictures.ts'
import { PARENTS } from './describe.ts'
import { type Element, Elements } from './elements.ts'
import { ATTACHMENTS, CHAPTERS, CLUSTER, CUES, childrenOfSegment, INFO, SEEK_HEAD, TAGS, TRACKS, VOID } from './segment.ts'
import { describePictures, describeSound } from './track-facts.ts'

export const mkvAsFilm: InventoryReader = mediaReader('matroska', readFile)

/** Blocks, positions in the file and filling. */
const STORAGE = [CLUSTER, SEEK_HEAD, CUES, VOID]

async function readFile(reading: Reading): Promise<void> {
  const { view, signal } = reading
  const elements = new Elements(view)
  const film = new FilmReader(reading, elements)
  for await (const element of childrenOfSegment(elements, signal)) if (!element.isOpen) await film.read(element)
  film.finish()
}

/** Children of Info: title, date, and those that describe storage or name programs. */
const [TITLE, DATE] = [0x7ba9, 0x4461]
const OF_STORAGE = [0x2ad7b1, 0x4489, 0x4d80, 0x5741]
/** Seconds from 1904 to 2001, the zeros of both formats. */
const EPOCHS = 3_061_152_000

const [TRACK_TYPE, IS_DEFAULT, NAME, LANGUAGE, LANGUAGE_BCP_47, VIDEO, AUDIO] = [0x83, 0x88, 0x536e, 0x22b59c, 0x22b59d, 0xe0, 0xe1]
/** Children of TrackEntry that describe storage, or become parts of the sample entry: numbers, codec, durations, encodings. */
const OF_ENTRY = [
  ...[0xd7, 0x73c5, 0xb9, 0x9c, 0x6de7, 0x6df8, 0x23e383, 0x234e7a, 0x23314f, 0x55ee],
  ...[0x86, 0x63a2, 0x56aa, 0x56bb, 0x6d80, 0x41e4],
]
const [CODEC, CODEC_PRIVATE, MAX_CONFIG_BYTES] = [0x86, 0x63a2, 64]
const FORCED = 0x55aa
const KINDS = new Map([
  [1, 'video'],
  [2, 'audio'],
] as const)

const [TAG_TARGETS, SIMPLE_TAG, TAG_NAME, TAG_TEXT] = [0x63c0, 0x67c8, 0x45a3, 0x4487]
const TARGET_UIDS = [0x63c5, 0x63c9, 0x63c4, 0x63c6]
const [EDITION, ATOM, CHAPTER_START, DISPLAY, CHAPTER_TITLE] = [0x45b9, 0xb6, 0x91, 0x80, 0x85]
const [FILE_DATA, MAX_COVER_BYTES] = [0x465c, 8 * 1024 * 1024]
const MAX_DEPTH = 16

class FilmReader {
  readonly #items: Reading['items']
  readonly #elements: Elements
  readonly #counts = new Map<string, number>()
  readonly #tags = new Set<string>()
  readonly #chapters: { readonly start: number; readonly title: string }[] = []

  constructor({ items }: Reading, elements: Elements) {
    this.#items = items
    this.#elements = elements
  }

  async read(element: Element): Promise<void> {
    const { id } = element
    if (id === INFO) await this.#info(element)
    else if (id === TRACKS) await this.#each(element, (child) => this.#track(child))
    else if (id === TAGS) await this.#each(element, (child) => this.#tag(child))
    else if (id === CHAPTERS) await this.#each(element, (child) => this.#edition(child))
    else if (id === ATTACHMENTS) await this.#each(element, (child) => this.#attachment(child))
    else if (!STORAGE.includes(id)) await this.#other('element', element)
  }

  /** Adds what is sorted or unique. */
  finish(): void {
    for (const tag of this.#tags) this.#items.add('tags', tag)
    const chapters = this.#chapters.sort((a, b) => a.start - b.start)
    for (const [i, { start, title }] of chapters.entries()) this.#items.add('chapters', `${i} = ${seconds(start / 1e9)} ${title}`)
  }

  async #each(parent: Element, read: (child: Element) => Promise<void>): Promise<void> {
    for await (const child of this.#elements.children(parent)) await read(child)
  }

  /** Content that MP4 has no place for. */
  async #other(name: string, element: Element): Promise<void> {
    this.#items.add('chunks', `${name} ${element.id.toString(16)} = ${await this.#elements.digest(element, PARENTS)}`)
  }

  #addTag(name: string, text: string): void {
    const known = commentName(name)
    const common = known === 'date_released' ? 'date' : known
    if (text !== '' && !isWriterTag(common)) this.#tags.add(`${common} = ${text}`)
  }

  async #info(info: Element): Promise<void> {
    for await (const child of this.#elements.children(info)) {
      if (child.id === TITLE) this.#addTag('title', await this.#elements.text(child))
      else if (child.id === DATE) await this.#date(child)
      else if (!OF_STORAGE.includes(child.id)) await this.#other('info', child)
    }
  }

  async #date(date: Element): Promise<void> {
    const bytes = (await this.#elements.view.bytes(date.body, Math.min(8, date.end - date.body))).slice()
    const since1904 = bytes.length === 8 ? Math.floor(Number(new DataView(bytes.buffer).getBigInt64(0)) / 1e9) + EPOCHS : 0
    if (since1904 > 0 && since1904 < 2 ** 32) this.#items.add('tags', `creation_time = ${since1904} s since 1904`)
    else await this.#other('info', date)
  }

  async #track(track: Element): Promise<void> {
    const children: Element[] = []
    for await (const child of this.#elements.children(track)) children.push(child)
    const found = (id: number) => children.find((child) => child.id === id)
    const type = found(TRACK_TYPE)
    const kind = KINDS.get((type ? await this.#elements.number(type) : 0) as 1 | 2) ?? 'data'
    const number = this.#counts.get(kind) ?? 0
    this.#counts.set(kind, number + 1)
    const name = `${kind} ${number}`
    this.#items.add(kind === 'video' ? 'video_tracks' : kind === 'audio' ? 'audio_tracks' : 'other_tracks', name)
    const flag = found(IS_DEFAULT)
    if (!flag || (await this.#elements.number(flag)) !== 0) this.#items.add('dispositions', `${name} default`)
    const channels = await this.#aacChannels(found(CODEC), found(CODEC_PRIVATE))
    for (const child of children) await this.#trackChild(name, child, channels)
  }

  /** Channels in the configuration of AAC. 0: another codec, or it does not tell. */
  async #aacChannels(codec: Element | undefined, config: Element | undefined): Promise<number> {
    if (!codec || !config || (await this.#elements.text(codec)) !== 'A_AAC') return 0
    return specificConfig(await this.#elements.view.bytes(config.body, Math.min(MAX_CONFIG_BYTES, config.end - config.body))).channels
  }

  async #trackChild(name: string, child: Element, channels: number): Promise<void> {
    const text = async () => await this.#elements.text(child)
    const place = { elements: this.#elements, items: this.#items, name, other: (one: Element) => this.#other(name, one) }
    if (child.id === NAME) this.#items.add('tags', `${name} title = ${await text()}`)
    else if (child.id === LANGUAGE) {
      const language = await text()
      if (language !== 'und') this.#items.add('languages', `${name} = ${language}`)
    } else if (child.id === LANGUAGE_BCP_47) this.#items.add('languages', `${name} in full = ${await text()}`)
    else if (child.id === VIDEO) await describePictures(place, child)
    else if (child.id === AUDIO) await describeSound(place, child, channels)
    else if (child.id === FORCED && (await this.#elements.number(child)) === 0) return
    else if (![TRACK_TYPE, IS_DEFAULT, ...OF_ENTRY].includes(child.id)) await this.#other(name, child)
  }

  async #tag(tag: Element): Promise<void> {
    for await (const child of this.#elements.children(tag)) {
      if (child.id !== TAG_TARGETS) continue
      for await (const target of this.#elements.children(child))
        if (TARGET_UIDS.includes(target.id) && (await this.#elements.number(target)) !== 0) return await this.#other('tag of a part', tag)
    }
    await this.#simpleTags(tag, 0)
  }

  async #simpleTags(parent: Element, depth: number): Promise<void> {
    for await (const child of this.#elements.children(parent)) {
      if (child.id !== SIMPLE_TAG) continue
      let [name, text] = ['', '']
      for await (const part of this.#elements.children(child)) {
        if (part.id === TAG_NAME) name = await this.#elements.text(part)
        else if (part.id === TAG_TEXT) text = await this.#elements.text(part)
      }
      if (text === '') await this.#other(`tag ${name}`, child)
      this.#addTag(name, text)
      if (depth < MAX_DEPTH) await this.#simpleTags(child, depth + 1)
    }
  }

  async #edition(edition: Element): Promise<void> {
    if (edition.id !== EDITION) return
    for await (const atom of this.#elements.children(edition)) {
      if (atom.id !== ATOM) continue
      let [start, title] = [0, '']
      for await (const child of this.#elements.children(atom)) {
        if (child.id === CHAPTER_START) start = await this.#elements.number(child)
        else if (child.id === DISPLAY)
          for await (const part of this.#elements.children(child)) if (part.id === CHAPTER_TITLE) title = await this.#elements.text(part)
      }
      this.#chapters.push({ start, title })
    }
  }

  async #attachment(file: Element): Promise<void> {
    for await (const child of this.#elements.children(file)) {
      if (child.id !== FILE_DATA) continue
      const bytes = await this.#elements.view.bytes(child.body, Math.min(MAX_COVER_BYTES, child.end - child.body))
      this.#items.add('covers', `cover = ${pictureText(bytes)} ${digestText(bytes)}`)
    }
  }
}
