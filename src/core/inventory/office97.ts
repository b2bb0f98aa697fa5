/** Inventory of binary Office documents: streams, storages, slides, sheets, texts, pictures, macros, objects and properties. */
import { CachedRanges } from './cached-ranges.ts'
import { ItemCollector } from './collector.ts'
import { Digest, digestOfStream } from './digest.ts'
import type { InventoryReader } from './inventory.ts'
import { ArtItems } from './office97/art.ts'
import { type CompoundStream, readCompound } from './office97/compound.ts'
import { objectsOf } from './office97/objects.ts'
import { chunksOf } from './office97/runs.ts'
import { addWorkbook } from './office97/workbook.ts'

const MACROS = /(?:^|\/)(?:_?VBA_PROJECT(?:_CUR)?|VBA|Macros)(?:\/|$)/i
const OBJECTS = /^(?:ObjectPool|MBD[0-9A-F]+|_\d+)(?:\/|$)/i

const office97Reader = (hasPictures: boolean): InventoryReader => ({
  async read(source, signal) {
    const items = new ItemCollector()
    const file = new CachedRanges(source, { format: 'office97', maxBlocks: 32 }, signal)
    const { streams, storages, end } = await readCompound(file)
    await addTail(file, end, items)
    for (const storage of storages) items.add('parts', `storage ${storage}`)
    for (const stream of streams) {
      signal.throwIfAborted()
      if (hasPictures && stream.path === 'PowerPoint Document') await addSlides(stream, streams, items)
      else await addStream(stream, hasPictures, items)
    }
    return items.build()
  },
})

/** Adds the data behind the last sector, unless all of it is zeros. */
async function addTail(file: CachedRanges, end: number, items: ItemCollector): Promise<void> {
  const digest = new Digest()
  let hasData = false
  for await (const piece of file.pieces(end, file.size - end)) {
    hasData ||= piece.some((byte) => byte !== 0)
    digest.update(piece)
  }
  if (hasData) items.add('trailing_bytes', `${file.size - end} bytes #${digest.finish()}`)
}

async function addSlides({ path, open }: CompoundStream, streams: readonly CompoundStream[], items: ItemCollector): Promise<void> {
  const data = open()
  const user = streams.find((stream) => stream.path === 'Current User')
  await new ArtItems(items).read(data, path, user && (await objectsOf(data, user.open())))
}

async function addStream({ path, open }: CompoundStream, hasPictures: boolean, items: ItemCollector): Promise<void> {
  const data = open()
  if (hasPictures && path === 'Pictures') return new ArtItems(items).read(data, path)
  if (hasPictures && path === 'Workbook') return addWorkbook(data, path, items)
  const kind = MACROS.test(path)
    ? 'macros'
    : OBJECTS.test(path)
      ? 'embedded_objects'
      : path.startsWith('\u0005')
        ? 'properties'
        : /signatures/i.test(path)
          ? 'signatures'
          : 'parts'
  items.add(kind, `${path.replace(/[^ -~]/g, '?')} = ${data.size} bytes #${await digestOfStream(chunksOf(data))}`)
}

export const DOC_READER = office97Reader(false)
export const PPT_READER = office97Reader(true)
export const XLS_READER = office97Reader(true)
