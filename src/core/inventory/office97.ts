/** Inventory of binary Office documents: streams, storages, slides, sheets, texts, pictures, macros, objects and properties. */
import { CachedRanges } from './cached-ranges.ts'
import { ItemCollector } from './collector.ts'
import { digestOfStream } from './digest.ts'
import type { InventoryReader } from './inventory.ts'
import { ArtItems } from './office97/art.ts'
import { type CompoundStream, readCompound } from './office97/compound.ts'
import { chunksOf } from './office97/runs.ts'
import { addWorkbook } from './office97/workbook.ts'

const MACROS = /(?:^|\/)(?:_?VBA_PROJECT(?:_CUR)?|VBA|Macros)(?:\/|$)/i
const OBJECTS = /^(?:ObjectPool|MBD[0-9A-F]+|_\d+)(?:\/|$)/i

const office97Reader = (hasPictures: boolean): InventoryReader => ({
  async read(source, signal) {
    const items = new ItemCollector()
    const { streams, storages } = await readCompound(new CachedRanges(source, { format: 'office97', maxBlocks: 32 }, signal))
    for (const storage of storages) items.add('parts', `storage ${storage}`)
    for (const stream of streams) {
      signal.throwIfAborted()
      await addStream(stream, hasPictures, items)
    }
    return items.build()
  },
})

async function addStream({ path, data }: CompoundStream, hasPictures: boolean, items: ItemCollector): Promise<void> {
  if (hasPictures && (path === 'PowerPoint Document' || path === 'Pictures')) return new ArtItems(items).read(data, path)
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
