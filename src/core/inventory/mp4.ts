/** Inventory of MP4 and QuickTime films, and of their sound-only forms. Boxes are walked by ranges; media data is not read. */
import { message } from '../i18n/message.ts'
import { overBudget } from '../model/error.ts'
import { memorySource } from '../model/source.ts'
import { FileView } from './file-view.ts'
import { INFLATE_LIBRARY, inflateAll } from './inflate.ts'
import type { InventoryReader } from './inventory.ts'
import { digestOfRange } from './media/digests.ts'
import { mediaReader, type Reading } from './media/media-reader.ts'
import { be32, be64, nameAt } from './media/numbers.ts'
import { type Box, bodyOf, childrenByType } from './mp4/boxes.ts'
import { describeMovie, type Movie, readMovie } from './mp4/movie.ts'
import { addFragment } from './mp4/times.ts'

export const mp4: InventoryReader = mediaReader('mp4', readFilm, INFLATE_LIBRARY)

const MAX_TOP_BOXES = 200_000
/** Bytes of the index that are read at once, so that an index of usual size costs one read. */
const INDEX_WINDOW_BYTES = 8 * 1024 * 1024
/** Most bytes of an index that is stored compressed. */
const MAX_INFLATED_BYTES = 8 * 1024 * 1024
/** Outer boxes that describe storage, fill space or repeat times of the index. */
const STORAGE = ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'sidx', 'ssix', 'styp', 'moof', 'mfra', 'prft', 'pdin', 'mvex']

async function readFilm(reading: Reading): Promise<void> {
  const { view, items } = reading
  const early: Box[] = []
  let movie: (Movie & { readonly reading: Reading }) | undefined
  let at = 0
  for (let count = 0; ; count++) {
    const box = await topBox(view, at)
    if (!box) break
    if (count > MAX_TOP_BOXES) throw overBudget(message('inventory_too_large', { items: MAX_TOP_BOXES }))
    if (box.type === 'moov') {
      if (movie) throw view.malformed(at)
      movie = await readIndex(reading, box)
    } else if (box.type === 'moof') {
      if (movie) await addFragment(view, box, movie.times, movie.fragmentDefaults)
      else early.push(box)
    } else if (!STORAGE.includes(box.type))
      items.add('outer_boxes', `${box.type} = ${await digestOfRange(view, box.body, box.end - box.body)}`)
    at = box.end
  }
  if (!movie) throw view.malformed(0)
  for (const box of early) await addFragment(view, box, movie.times, movie.fragmentDefaults)
  if (at < view.size && !(await hasMediaBehind(movie.reading.view, movie, at)))
    items.add('trailing_bytes', `behind the last box = ${await digestOfRange(view, at, view.size - at)}`)
  await describeMovie(movie.reading, movie)
}

/** Returns the box at `at` at the top level. `undefined`: the file ends, or other bytes follow. */
async function topBox(view: FileView, at: number): Promise<Box | undefined> {
  const header = await view.bytesUpTo(at, 16)
  if (header.length < 8) return undefined
  const type = nameAt(header, 4)
  const wide = be32(header, 0) === 1 && header.length === 16
  const size = wide ? be64(header, 8) : be32(header, 0) || view.size - at
  if (size < (wide ? 16 : 8) || !/^[ -~©]{4}$/.test(type)) return undefined
  const end = at + size
  if (end > view.size && (type === 'moov' || type === 'moof')) throw view.malformed(at)
  // A film whose last media data is cut off has no other bytes behind it.
  if (end > view.size && type !== 'mdat') return undefined
  return { type, start: at, body: at + (wide ? 16 : 8), end: Math.min(end, view.size) }
}

async function readIndex(reading: Reading, moov: Box): Promise<Movie & { readonly reading: Reading }> {
  const { view, signal } = reading
  await view.bytesUpTo(moov.start, Math.min(moov.end - moov.start, INDEX_WINDOW_BYTES))
  const cmov = (await childrenByType(view, moov, 'exact')).get('cmov')
  if (!cmov) return { ...(await readMovie(view, moov)), reading }
  const bytes = await inflatedIndex(view, cmov)
  const inner = { ...reading, view: new FileView(memorySource(bytes, 'moov'), 'mp4', signal) }
  const box = await topBox(inner.view, 0)
  if (box?.type !== 'moov') throw view.malformed(cmov.start)
  return { ...(await readMovie(inner.view, box)), reading: inner }
}

/** Inflates a compressed index (QuickTime File Format, "Compressed Movie Resources"). @throws CodecError */
async function inflatedIndex(view: FileView, cmov: Box): Promise<Uint8Array> {
  const parts = await childrenByType(view, cmov, 'exact')
  const [method, data] = [parts.get('dcom'), parts.get('cmvd')]
  if (!method || !data || nameAt(await view.bytesUpTo(method.body, 4), 0) !== 'zlib') throw view.malformed(cmov.start)
  try {
    return await inflateAll((await bodyOf(view, data, MAX_INFLATED_BYTES)).subarray(4), { wrapper: 'zlib', maxBytes: MAX_INFLATED_BYTES })
  } catch (error) {
    if (error instanceof RangeError) throw overBudget(message('inventory_cannot_read'))
    throw view.malformed(data.start)
  }
}

/** True if a chunk of a track begins behind the last box, where damaged box sizes leave media data. */
async function hasMediaBehind(view: FileView, { tracks }: Movie, end: number): Promise<boolean> {
  for (const { stbl } of tracks) {
    const wide = stbl.has('co64')
    const table = stbl.get(wide ? 'co64' : 'stco')
    const body = table ? await bodyOf(view, table, INDEX_WINDOW_BYTES) : new Uint8Array()
    for (let at = 8; at < body.length; at += wide ? 8 : 4) if ((wide ? be64(body, at) : be32(body, at)) >= end) return true
  }
  return false
}
