/** Inventory of MP3 files: tags in front and behind, and the tag frame of the encoder. Sound is not read. */
import type { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'
import { digestOfRange } from './media/digests.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { nameAt, textOf } from './media/numbers.ts'
import { describeEncoderTag, findFrames } from './mp3/frames.ts'
import { APE_FOOTER_BYTES, apeSize, readApe } from './tags/ape.ts'
import { id3Size, readId3 } from './tags/id3.ts'

export const mp3: InventoryReader = mediaReader('mp3', readSound)

const MAX_FRONT_TAGS = 16
const MAX_END_TAGS = 8
const ID3V1_BYTES = 128
/** Largest APE tag that is read item by item. */
const MAX_APE_BYTES = 12 * 1024 * 1024

async function readSound(reading: Reading): Promise<void> {
  const front = await readFrontTags(reading)
  const back = await readEndTags(reading, front)
  const { view, items } = reading
  const frames = await findFrames(view, front, back)
  if (!frames) throw view.malformed(front)
  if (frames.start > front)
    items.add('trailing_bytes', `in front of the frames = ${await digestOfRange(view, front, frames.start - front)}`)
  await describeEncoderTag(reading, frames, back)
}

/** Adds a tag as it is: the same tag twice counts twice. */
const adder =
  ({ items }: Reading) =>
  (name: string, value: string) => {
    if (name !== 'encoder' && value !== '') items.add('tags', `${name} = ${value}`)
  }

/** Reads the ID3v2 tags at the start. Returns the offset behind them. */
async function readFrontTags(reading: Reading): Promise<number> {
  const { view, items } = reading
  let at = 0
  for (let tags = 0; tags < MAX_FRONT_TAGS; tags++) {
    const size = id3Size((await view.bytesUpTo(at, 10)).slice())
    if (size === 0 || at + size > view.size) break
    items.add('tag_forms', 'ID3v2')
    await readWholeId3(reading, at, size)
    at += size
  }
  return at
}

/** A tag that cannot be read frame by frame is one item. */
async function readWholeId3(reading: Reading, at: number, size: number): Promise<void> {
  const { view, items } = reading
  if (size > 10 && !(await readId3(view, at, at + size, adder(reading), items)) && !(await isEmptyTag(view, at + 10, at + size)))
    items.add('tags', `ID3v2 tag = ${await digestOfRange(view, at, size)}`)
}

/** True if a tag only has padding: the first frame would begin with a letter. */
const isEmptyTag = async (view: FileView, at: number, end: number) => at >= end || (await view.bytesUpTo(at, 1))[0] === 0

/** Reads the tags at the end, from the last one on. Returns the offset where the first of them begins. */
async function readEndTags(reading: Reading, front: number): Promise<number> {
  let end = reading.view.size
  for (let tags = 0; tags < MAX_END_TAGS; tags++) {
    const size = await readLastTag(reading, front, end)
    if (size === 0) break
    end -= size
  }
  return end
}

/** Reads the tag that ends at `end`. Returns its size; 0: none. */
async function readLastTag(reading: Reading, front: number, end: number): Promise<number> {
  const { view, items } = reading
  const from = Math.max(front, end - ID3V1_BYTES)
  const last = (await view.bytesUpTo(from, end - from)).slice()
  if (last.length === ID3V1_BYTES && nameAt(last, 0, 3) === 'TAG') {
    items.add('tag_forms', 'ID3v1')
    items.add('tags', `ID3v1 = ${textOf(last.subarray(3)).replaceAll('\0', ' ')}`)
    return ID3V1_BYTES
  }
  const lyrics = /(\d{6})LYRICS200$/.exec(nameAt(last, last.length - 15, 15))
  if (lyrics) {
    const size = Number(lyrics[1]) + 15
    if (end - size < front) return 0
    items.add('tag_forms', 'Lyrics3')
    items.add('tags', `Lyrics3 = ${await digestOfRange(view, end - size, size)}`)
    return size
  }
  const size = apeSize(last.subarray(-APE_FOOTER_BYTES))
  if (size > 0 && end - size >= front) return readApeTag(reading, end, size)
  return readFootedId3(reading, front, end, last)
}

async function readApeTag({ view, items }: Reading, end: number, size: number): Promise<number> {
  items.add('tag_forms', 'APE')
  const at = nameAt(await view.bytesUpTo(end - size, 8), 0, 8) === 'APETAGEX' ? end - size + APE_FOOTER_BYTES : end - size
  if (end - at <= MAX_APE_BYTES) readApe((await view.bytes(at, end - at)).slice(), items)
  else items.add('tags', `APE tag = ${await digestOfRange(view, at, end - at)}`)
  return size
}

/** ID3v2.4 tag at the end, which has a footer (section 3.4). */
async function readFootedId3(reading: Reading, front: number, end: number, last: Uint8Array): Promise<number> {
  const footer = last.slice(-10)
  if (nameAt(footer, 0, 3) !== '3DI') return 0
  footer.set([0x49, 0x44, 0x33])
  const size = id3Size(footer)
  if (size === 0 || end - size < front) return 0
  reading.items.add('tag_forms', 'ID3v2')
  await readWholeId3(reading, end - size, size)
  return size
}
