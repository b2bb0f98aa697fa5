/** Inventory of AVI files (RIFF) and OpenDML files. Headers and indexes are read, but no media data. */
import { RIFF_FORMS, readIndex } from './avi/index-sums.ts'
import { describeStream, type Stream, streamOf } from './avi/streams.ts'
import type { InventoryReader } from './inventory.ts'
import { digestOfRange } from './media/digests.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { le16, le32, nameAt, textOf } from './media/numbers.ts'
import { type Chunk, chunksIn } from './riff/chunks.ts'
import { addTag, type ChunkTarget, readInfo } from './riff/content.ts'

export const avi: InventoryReader = mediaReader('avi', readFilm)

/** Chunks that describe how media is stored. */
const STORAGE = ['idx1', 'avih', 'strh', 'strf', 'indx', 'vprp', 'dmlh']
const MAX_FORMS = 4096
const MAX_STREAMS = 100
const MAX_TEXT_BYTES = 4096

interface Film {
  readonly streams: Stream[]
  index: Chunk | undefined
  /** Offset where the last form and its media end. */
  end: number
}

async function readFilm(reading: Reading): Promise<void> {
  const { view, items } = reading
  const film: Film = { streams: [], index: undefined, end: 0 }
  const target: ChunkTarget = { view, items, seen: new Set() }
  for (let form = 0; form < MAX_FORMS && film.end + 12 <= view.size; form++) {
    const head = (await view.bytesUpTo(film.end, 12)).slice()
    if (nameAt(head, 0) !== 'RIFF' || !RIFF_FORMS.includes(nameAt(head, 8))) break
    await readForm(target, film, film.end, le32(head, 4))
  }
  if (film.streams.length === 0) throw view.malformed(0)
  const units = await readIndex(reading, film.streams, film.index)
  const counts = new Map<string, number>()
  for (const [i, stream] of film.streams.entries()) {
    const number = counts.get(stream.kind) ?? 0
    counts.set(stream.kind, number + 1)
    describeStream(reading, stream, `${stream.kind} ${number}`, units[i])
  }
  if (film.end < view.size)
    items.add('trailing_bytes', `behind the RIFF form = ${await digestOfRange(view, film.end, view.size - film.end)}`)
}

async function readForm(target: ChunkTarget, film: Film, start: number, size: number): Promise<void> {
  const { view } = target
  const formEnd = Math.min(view.size, start + 8 + size)
  film.end = formEnd + (formEnd & 1)
  for await (const chunk of chunksIn(view, start + 12, formEnd)) {
    if (chunk.list === 'hdrl') await readHeaders(target, film, chunk)
    else if (chunk.id === 'idx1') film.index ??= chunk
    else if (chunk.list === 'movi') film.end = Math.max(film.end, Math.min(view.size, chunk.toldEnd))
    else await readOther(target, chunk, '')
  }
  film.end = Math.min(view.size, film.end)
}

/** `LIST hdrl`: main header, one `LIST strl` a stream, and other chunks. */
async function readHeaders(target: ChunkTarget, film: Film, hdrl: Chunk): Promise<void> {
  for await (const chunk of chunksIn(target.view, hdrl.body, hdrl.end)) {
    if (chunk.list !== 'strl') {
      if (chunk.list !== 'odml') await readOther(target, chunk, 'hdrl ')
      continue
    }
    if (film.streams.length >= MAX_STREAMS) throw target.view.malformed(chunk.start)
    const parts: Chunk[] = []
    for await (const part of chunksIn(target.view, chunk.body, chunk.end)) parts.push(part)
    const stream = await streamOf(target.view, parts)
    film.streams.push(stream)
    const name = `${stream.kind} ${film.streams.filter(({ kind }) => kind === stream.kind).length - 1} `
    for (const part of parts) {
      if (part.id === 'strn') addTag(target, `${name}title`, await textIn(target, part))
      else await readOther(target, part, name)
    }
  }
}

const textIn = async ({ view }: ChunkTarget, { body, end }: Chunk) =>
  textOf(await view.bytesUpTo(body, Math.min(end - body, MAX_TEXT_BYTES))).replace(/\0.*/s, '')

/** Chunks besides media and headers. */
async function readOther(target: ChunkTarget, chunk: Chunk, prefix: string): Promise<void> {
  const { view, items } = target
  const { id, list, body, end } = chunk
  if (STORAGE.includes(id)) return
  if (list === 'INFO') await readInfo(target, chunk)
  else if (id === 'IDIT') addTag(target, 'idit', (await textIn(target, chunk)).trim())
  else if (id !== 'JUNK' || !(await isFilling(target, chunk)))
    items.add('chunks', `${prefix}${(list || id).trim()} = ${await digestOfRange(view, body, end - body)}`)
}

/** True if a `JUNK` chunk has equal bytes, or the fields of an index for which FFmpeg left space. Cameras store notes in others. */
async function isFilling({ view }: ChunkTarget, { body, end }: Chunk): Promise<boolean> {
  const head = (await view.bytesUpTo(body, Math.min(12, end - body))).slice()
  if (nameAt(head, 0) === 'odml' || (le16(head, 0) === 4 && /^\d\d(?:dc|db|wb)$/.test(nameAt(head, 8)))) return true
  for await (const bytes of view.chunks(body, end - body)) if (bytes.some((byte) => byte !== head[0])) return false
  return true
}
