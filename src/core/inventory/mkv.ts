/** Inventory of Matroska and WebM files (RFC 9559): tracks, tags, chapters, attached files, cues. Blocks are not read. */
import type { InventoryReader } from './inventory.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { seconds } from './media/numbers.ts'
import { describeAttachment, describeChapters, describeCue, describeTag, describeTrack, PARENTS } from './mkv/describe.ts'
import { type Element, Elements } from './mkv/elements.ts'
import { ATTACHMENTS, CHAPTERS, CLUSTER, CUES, childrenOfSegment, INFO, SEEK_HEAD, TAGS, TRACKS, VOID } from './mkv/segment.ts'

export const mkv: InventoryReader = mediaReader('matroska', readFile)

/** Children of Info: unit of times in nanoseconds, duration, title. */
const [SCALE, DURATION, TITLE] = [0x2ad7b1, 0x4489, 0x7ba9]
const DEFAULT_SCALE = 1_000_000

type Describe = (elements: Elements, child: Element, items: Reading['items']) => Promise<void>
const LISTS: ReadonlyMap<number, Describe> = new Map([
  [TRACKS, describeTrack],
  [TAGS, describeTag],
  [CHAPTERS, describeChapters],
  [ATTACHMENTS, describeAttachment],
  [CUES, describeCue],
])

async function readFile({ view, items, signal }: Reading): Promise<void> {
  const elements = new Elements(view)
  for await (const element of childrenOfSegment(elements, signal)) {
    const describe = LISTS.get(element.id)
    if (describe) for await (const child of elements.children(element)) await describe(elements, child, items)
    else if (element.id === INFO) await describeInfo(elements, element, items)
    else if (![CLUSTER, SEEK_HEAD, VOID].includes(element.id))
      items.add('chunks', `element ${element.id.toString(16)} = ${await elements.digest(element, PARENTS)}`)
  }
}

async function describeInfo(elements: Elements, info: Element, items: Reading['items']): Promise<void> {
  let [scale, duration]: [number, number | undefined] = [DEFAULT_SCALE, undefined]
  for await (const child of elements.children(info)) {
    if (child.id === SCALE) scale = await elements.number(child)
    else if (child.id === DURATION) duration = await elements.fraction(child)
    else if (child.id === TITLE) items.add('tags', `title = ${await elements.text(child)}`)
    else items.add('chunks', `info ${child.id.toString(16)} = ${await elements.digest(child, PARENTS)}`)
  }
  if (duration !== undefined) items.add('durations', `film = ${seconds((duration * scale) / 1e9)} s`)
}
