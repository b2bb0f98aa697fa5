/** Reads the inventory of WebP files (RFC 9649). */
import { latin1Of } from '../bytes/latin1.ts'
import { message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { overBudget } from '../model/error.ts'
import { digestOfStream } from './digest.ts'
import { addExif } from './exif.ts'
import { Fields } from './fields.ts'
import { FileView } from './file-view.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addFrame, addLoop, addProfile } from './picture-items.ts'
import { partOf } from './ranges.ts'
import { addTrailingBytes } from './trailing.ts'
import { XML_LIBRARY } from './xml-library.ts'
import { addXmp } from './xmp.ts'

const MOST_CONTENT_BYTES = 4 * 1024 * 1024
/** Chunks with pixels, and the header. */
const PIXEL_CHUNKS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH'])
/** Most chunks of a file. More cannot be compared in bounded time. */
const MOST_CHUNKS = 70_000
/** Bits of the header that announce metadata (RFC 9649, 2.7). Readers look for a chunk only if its bit is set. */
const ANNOUNCED: { readonly [type: string]: number } = { ICCP: 0x20, EXIF: 0x08, 'XMP ': 0x04, ANIM: 0x02 }
/** EXIF may have this prefix, which only JPEG needs. */
const JPEG_PREFIX = 'Exif\0\0'

interface Chunk {
  readonly type: string
  readonly at: number
  readonly length: number
}

/** Reads all chunks. `isResult`: a header that announces a missing chunk is an error. */
async function readWebp(view: FileView, isResult: boolean): Promise<Inventory> {
  const builder = new InventoryBuilder()
  const head = Fields.little(await view.bytes(0, 12))
  const end = 8 + head.u32(4)
  if (head.text(0, 4) !== 'RIFF' || head.text(8) !== 'WEBP' || end > view.size) throw view.malformed(0)
  const kinds: string[] = []
  let [flags, frames] = [0, 0]
  for await (const chunk of chunksOf(view, 12, end)) {
    kinds.push(chunk.type)
    if (chunk.type === 'VP8X') flags = (await view.bytes(chunk.at, 1))[0]!
    if (chunk.type === 'ANMF') frames = await addAnimationFrame(builder, view, chunk, frames)
    else await addChunk(builder, view, chunk, flags)
  }
  const isMissing = ([type, bit]: readonly [string, number]) => (flags & bit) !== 0 && !kinds.includes(type)
  if (isResult && Object.entries(ANNOUNCED).some(isMissing)) throw view.malformed(12)
  if (!kinds.some((type) => type === 'VP8 ' || type === 'VP8L' || type === 'ANMF')) throw view.malformed(12)
  await addTrailingBytes(builder, view, end)
  return builder.build()
}

async function* chunksOf(view: FileView, from: number, end: number): AsyncGenerator<Chunk> {
  let count = 0
  for (let at = from; at < end; ) {
    if (++count > MOST_CHUNKS) throw overBudget(message('inventory_too_large', { items: MOST_CHUNKS }))
    if (at + 8 > end) throw view.malformed(at)
    const head = Fields.little(await view.bytes(at, 8))
    const chunk = { type: head.text(0, 4), at: at + 8, length: head.u32(4) }
    if (chunk.at + chunk.length > end) throw view.malformed(at)
    yield chunk
    at = chunk.at + chunk.length + (chunk.length & 1)
  }
}

/**
 * Adds a frame (RFC 9649, 2.7.1.2), whose duration is a 24-bit number of milliseconds, and the unknown chunks in it. Returns the number of
 * frames.
 */
async function addAnimationFrame(builder: InventoryBuilder, view: FileView, { at, length }: Chunk, frames: number): Promise<number> {
  if (length < 16) throw view.malformed(at)
  const [low = 0, middle = 0, high = 0] = await view.bytes(at + 12, 3)
  addFrame(builder, frames, low | (middle << 8) | (high << 16))
  for await (const chunk of chunksOf(view, at + 16, at + length)) if (!PIXEL_CHUNKS.has(chunk.type)) await addUnknown(builder, view, chunk)
  return frames + 1
}

/** Adds a chunk of the file. Metadata that the header does not announce counts as unknown, because readers skip it. */
async function addChunk(builder: InventoryBuilder, view: FileView, chunk: Chunk, flags: number): Promise<void> {
  const { type, at, length } = chunk
  if (PIXEL_CHUNKS.has(type)) return
  const isAnnounced = (flags & (ANNOUNCED[type] ?? 0)) !== 0
  if (type === 'EXIF' && isAnnounced) return addExif(builder, await withoutPrefix(view, at, length))
  if (length > MOST_CONTENT_BYTES || !isAnnounced) return await addUnknown(builder, view, chunk)
  const content = (await view.bytes(at, length)).slice()
  if (type === 'ICCP') addProfile(builder, content)
  else if (type === 'XMP ') addXmp(builder, content)
  else if (content.length >= 6) addLoop(builder, content[4]! | (content[5]! << 8))
}

/** The item begins with `RIFF chunk`, because only WebP stores it. */
async function addUnknown(builder: InventoryBuilder, view: FileView, { type, at, length }: Chunk): Promise<void> {
  builder.add('chunks', `RIFF chunk ${type} #${await digestOfStream(view.chunks(at, length))}`)
}

async function withoutPrefix(view: FileView, at: number, length: number) {
  const start = latin1Of(await view.bytes(at, Math.min(length, JPEG_PREFIX.length)))
  return start === JPEG_PREFIX ? partOf(view, at + 6, length - 6) : partOf(view, at, length)
}

export const WEBP_READER: InventoryReader = {
  library: XML_LIBRARY,
  read: (source: Source, signal: AbortSignal, isResult = false) => readWebp(new FileView(source, 'webp', signal), isResult),
}
