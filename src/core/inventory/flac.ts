/** Inventory of FLAC files (RFC 9639): comments, pictures, cue sheet, foreign metadata and length. Frames of sound are not read. */
import { latin1Of } from '../bytes/latin1.ts'
import { iffChunksIn } from './aiff/chunks.ts'
import { readIffChunk } from './aiff/content.ts'
import type { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'
import { digestOfRange, digestText } from './media/digests.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { be24, be32, be64, le32, nameAt, seconds, textOf } from './media/numbers.ts'
import { chunksIn } from './riff/chunks.ts'
import { addChannels, addTag, type ChunkTarget, readChunk } from './riff/content.ts'
import { id3Size, readId3 } from './tags/id3.ts'
import { commentName } from './tags/names.ts'
import { coverText } from './tags/pictures.ts'

export const flac: InventoryReader = mediaReader('flac', readSound)

/** Types of metadata blocks (RFC 9639, section 8.1). */
const [STREAM_INFO, APPLICATION, COMMENTS, CUE_SHEET, PICTURE] = [0, 2, 4, 5, 6]
const MAX_BLOCKS = 10_000
const MAX_COMMENTS = 100_000
const CHAPTER = /^chapter\d/i
const MASK = 'waveformatextensible_channel_mask'

interface Block {
  readonly type: number
  readonly at: number
  readonly size: number
}

async function readSound(reading: Reading): Promise<void> {
  const { view, items } = reading
  const target: ChunkTarget = { view, items, seen: new Set() }
  const start = await readFrontTags({ ...target, seen: new Set() })
  if (nameAt(await view.bytesUpTo(start, 4), 0) !== 'fLaC') throw view.malformed(start)
  const facts = { channels: 0, mask: 0 }
  for await (const block of blocksOf(view, start + 4)) {
    if (block.type === STREAM_INFO) facts.channels = describeStream(reading, await view.bytes(block.at, block.size))
    else if (block.type === COMMENTS) facts.mask = readComments(target, (await view.bytes(block.at, block.size)).slice())
    else if (block.type === PICTURE) items.add('covers', coverText((await view.bytes(block.at, block.size)).slice()))
    else if (block.type === CUE_SHEET) items.add('cue_points', `cue sheet = ${digestText(await view.bytes(block.at, block.size))}`)
    else if (block.type === APPLICATION) await readApplication(target, block)
  }
  addChannels(items, facts.channels, facts.mask)
  await readEndTag(reading)
}

const MAX_FRONT_TAGS = 4
const ID3V1_BYTES = 128

/** Reads the ID3v2 tags that some programs write in front of the stream. Returns the offset behind them. */
async function readFrontTags(target: ChunkTarget): Promise<number> {
  const { view, items } = target
  let at = 0
  for (let tags = 0; tags < MAX_FRONT_TAGS; tags++) {
    const size = id3Size((await view.bytesUpTo(at, 10)).slice())
    if (size === 0 || at + size > view.size) break
    items.add('tag_forms', 'ID3v2')
    const isRead = await readId3(view, at, at + size, (name, value) => addTag(target, name, value), items)
    if (!isRead) items.add('tags', `ID3v2 tag = ${await digestOfRange(view, at, size)}`)
    at += size
  }
  return at
}

/** Reads an ID3v1 tag behind the frames. */
async function readEndTag({ view, items }: Reading): Promise<void> {
  const from = Math.max(0, view.size - ID3V1_BYTES)
  const last = (await view.bytesUpTo(from, ID3V1_BYTES)).slice()
  if (nameAt(last, 0, 3) !== 'TAG') return
  items.add('tag_forms', 'ID3v1')
  items.add('tags', `ID3v1 = ${textOf(last.subarray(3)).replaceAll('\0', ' ')}`)
}

/** Walks the metadata blocks. @throws CodecError (malformed) if one does not fit into the file */
async function* blocksOf(view: FileView, start: number): AsyncGenerator<Block> {
  let at = start
  for (let count = 0; ; count++) {
    const header = (await view.bytes(at, 4)).slice()
    const block = { type: header[0]! & 127, at: at + 4, size: be24(header, 1) }
    if (count > MAX_BLOCKS || block.at + block.size > view.size || (count === 0 && block.type !== STREAM_INFO)) throw view.malformed(at)
    yield block
    if (header[0]! & 128) return
    at = block.at + block.size
  }
}

/** STREAMINFO: at bit 80 sample rate (20 bits), channels − 1 (3), bits − 1 (5), samples (36). Returns the channels. */
function describeStream({ items }: Reading, block: Uint8Array): number {
  const word = be64(block, 10)
  const [hertz, samples] = [Math.floor(word / 2 ** 44), (block[13]! & 15) * 2 ** 32 + be32(block, 14)]
  if (hertz > 0 && samples > 0) items.add('durations', `sound = ${seconds(samples / hertz)} s`)
  return ((block[12]! >> 1) & 7) + 1
}

/** Vorbis comments: vendor, count, then `NAME=value` each, with lengths of four bytes. Returns the channel mask; 0: none. */
function readComments(target: ChunkTarget, block: Uint8Array): number {
  let at = 4 + le32(block, 0)
  const count = Math.min(MAX_COMMENTS, le32(block, at))
  at += 4
  let mask = 0
  for (let i = 0; i < count && at + 4 <= block.length; i++) {
    const length = le32(block, at)
    const text = textOf(block.subarray(at + 4, at + 4 + length))
    const key = text.slice(0, text.indexOf('='))
    const value = text.slice(key.length + 1)
    if (key.toLowerCase() === MASK) mask = Number(value) || 0
    else if (key.toLowerCase() === 'itunsmpb') target.items.add('gapless_data', `iTunSMPB = ${value}`)
    else if (CHAPTER.test(key)) target.items.add('chapters', `${key.toLowerCase()} = ${value}`)
    else addTag(target, commentName(key), value)
    at += 4 + length
  }
  return mask
}

/** Foreign metadata of WAVE and AIFF files is read as chunks (`riff` and `aiff`, https://xiph.org/flac/id.html). */
async function readApplication(target: ChunkTarget, { at, size }: Block): Promise<void> {
  const { view, items } = target
  const id = latin1Of(await view.bytesUpTo(at, 4))
  if (id === 'aiff') for await (const chunk of iffChunksIn(view, at + 4, at + size)) await readIffChunk(target, chunk)
  else if (id !== 'riff') items.add('chunks', `application ${id} = ${await digestOfRange(view, at + 4, size - 4)}`)
  else for await (const chunk of chunksIn(view, at + 4, at + size)) await readChunk(target, chunk)
}
