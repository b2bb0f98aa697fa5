/** Items of a workbook's records ([MS-XLS] 2.4). */
import type { ItemCollector } from '../collector.ts'
import { Digest } from '../digest.ts'
import { Fields } from '../fields.ts'
import type { Ranges } from '../ranges.ts'
import { ArtItems } from './art.ts'
import { chunksOf, type Run, RunRanges } from './runs.ts'

const TYPE = {
  formula: 0x06,
  eof: 0x0a,
  name: 0x18,
  note: 0x1c,
  continue: 0x3c,
  sheet: 0x85,
  group: 0xeb,
  texts: 0xfc,
  textIndex: 0xff,
  link: 0x1b8,
  index: 0x20b,
} as const
const HEADER_BYTES = 4
/** Pieces of a drawing group that are read. */
const MAX_PIECES = 100_000

export async function addWorkbook(data: Ranges, path: string, items: ItemCollector): Promise<void> {
  const structure = new Digest()
  const group: Run[] = []
  let [at, records, isGroup] = [0, 0, false]
  while (at + HEADER_BYTES <= data.size) {
    const head = Fields.little(await data.bytes(at, HEADER_BYTES))
    const [type, length, start] = [head.u16(0), head.u16(2), at + HEADER_BYTES]
    if (start + length > data.size) break
    at = start + length
    isGroup = type === TYPE.group || (isGroup && type === TYPE.continue)
    if (isGroup && group.length < MAX_PIECES) {
      group.push({ at: start, length })
      continue
    }
    records++
    count(type, items)
    const bytes = (await data.bytes(start, length)).slice()
    if (type === TYPE.sheet) items.add('sheets_and_slides', sheetName(bytes))
    if (type === TYPE.texts) items.addBytes('texts', 'table of texts', bytes)
    // Offsets into the stream change with the pictures.
    structure.update(`${type} ${length};`).update(withoutOffsets(type, bytes))
  }
  for await (const chunk of chunksOf(data, at)) structure.update(chunk)
  items.add('features', `records of ${path} = ${records} #${structure.finish()}`)
  if (group.length > 0) await new ArtItems(items).read(new RunRanges(data, group, Number.POSITIVE_INFINITY), 'drawing group')
}

function count(type: number, items: ItemCollector): void {
  if (type === TYPE.formula) items.add('formulas', 'formula')
  else if (type === TYPE.name) items.add('defined_names', 'name')
  else if (type === TYPE.note) items.add('comments', 'note')
  else if (type === TYPE.link) items.add('links', 'link')
}

/** Name of a sheet ([MS-XLS] 2.4.28): its length, a flag for UTF-16, and the letters. */
function sheetName(bytes: Uint8Array): string {
  const isWide = ((bytes[7] ?? 0) & 1) === 1
  const length = (bytes[6] ?? 0) * (isWide ? 2 : 1)
  return `sheet ${new TextDecoder(isWide ? 'utf-16le' : 'latin1').decode(bytes.subarray(8, 8 + length))}`
}

function withoutOffsets(type: number, bytes: Uint8Array): Uint8Array {
  if (type === TYPE.sheet) bytes.fill(0, 0, 4)
  else if (type === TYPE.index) bytes.fill(0, 12)
  else if (type === TYPE.textIndex) for (let at = 2; at + 8 <= bytes.length; at += 8) bytes.fill(0, at, at + 4)
  return bytes
}
