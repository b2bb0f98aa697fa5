/**
 * Mutates ZIP packages: entries, names and contents (by the mutator of their type). Sizes and CRC are recomputed, unless they are what is
 * mutated.
 */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { concat } from '../../../src/core/bytes/concat.ts'
import { fromLatin1, latin1, withDamage, withNumber, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import { JPEG_MUTATOR } from './jpeg.ts'
import { mutateMarkup } from './markup.ts'
import type { Mutator } from './mutator.ts'
import { PNG_MUTATOR } from './png.ts'

interface Entry {
  readonly name: Uint8Array
  readonly method: number
  readonly flags: number
  readonly content: Uint8Array
}

const [STORED, DEFLATED] = [0, 8]
const END_BYTES = 22
const NAMES = [
  '../a',
  '/a',
  'a\\b',
  '',
  'a',
  '[Content_Types].xml',
  'mimetype',
  'META-INF/manifest.xml',
  'word/media/image1.jpeg',
  'a/',
  'é',
]

/**
 * Parses the entries from the central directory.
 * @throws if an entry cannot be inflated
 */
export function entriesOf(file: Uint8Array): Entry[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const end = file.length - END_BYTES
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) return []
  const entries: Entry[] = []
  for (let at = view.getUint32(end + 16, true); at + 46 <= end && view.getUint32(at, true) === 0x02014b50; ) {
    // Bit 3 (sizes after the data) is cleared, because the serialiser writes sizes before the data.
    const [flags, method, size] = [view.getUint16(at + 8, true) & ~8, view.getUint16(at + 10, true), view.getUint32(at + 20, true)]
    const [nameBytes, more] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true) + view.getUint16(at + 32, true)]
    const local = view.getUint32(at + 42, true)
    if (local + 30 > file.length) break
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    const packed = file.subarray(start, start + size)
    entries.push({
      name: file.slice(at + 46, at + 46 + nameBytes),
      flags,
      method,
      content: method === DEFLATED ? new Uint8Array(inflateRawSync(packed)) : packed.slice(),
    })
    at += 46 + nameBytes + more
  }
  return entries
}

/** Serialises the local header with data, and the entry of the central directory. */
function written({ name, method, flags, content }: Entry, offset: number): { local: Uint8Array; line: Uint8Array } {
  const packed = method === DEFLATED ? deflateRawSync(content, { level: 1 }) : content
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(20, 0)
  facts.writeUInt16LE(flags, 2)
  facts.writeUInt16LE(method, 4)
  facts.writeUInt32LE(0x21 << 16, 6)
  facts.writeUInt32LE(crc32(content), 10)
  facts.writeUInt32LE(packed.length, 14)
  facts.writeUInt32LE(content.length, 18)
  facts.writeUInt16LE(name.length, 22)
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(offset, 10)
  const local = concat([fromLatin1('PK\x03\x04'), facts, name, packed])
  return { local, line: concat([fromLatin1('PK\x01\x02\x14\0'), facts, rest, name]) }
}

export function zipOfEntries(entries: readonly Entry[]): Uint8Array {
  const locals: Uint8Array[] = []
  const lines: Uint8Array[] = []
  let offset = 0
  for (const entry of entries) {
    const { local, line } = written(entry, offset)
    locals.push(local)
    lines.push(line)
    offset += local.length
  }
  const directory = concat(lines)
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entries.length, 65_535), 8)
  end.writeUInt16LE(Math.min(entries.length, 65_535), 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return concat([...locals, directory, end])
}

function changedContent(entry: Entry, random: Random): Uint8Array {
  const name = latin1(entry.name)
  if (/\.jpe?g$/i.test(name)) return JPEG_MUTATOR.mutate(entry.content, random)
  if (/\.png$/i.test(name)) return PNG_MUTATOR.mutate(entry.content, random)
  return entry.content[0] === 0x3c ? mutateMarkup(entry.content, random) : withDamage(entry.content, random)
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const entries = entriesOf(file)
  if (entries.length === 0) return withDamage(file, random)
  switch (random.below(8)) {
    case 0:
      return zipOfEntries(withRearrangedItems(entries, random))
    case 1:
      return zipOfEntries(withOne(entries, random, (entry) => ({ ...entry, name: fromLatin1(random.pick(NAMES)) })))
    case 2:
      return zipOfEntries(withOne(entries, random, (entry) => ({ ...entry, method: entry.method === STORED ? DEFLATED : STORED })))
    case 3:
      return zipOfEntries(withOne(entries, random, (entry) => ({ ...entry, flags: random.field(2, entry.flags) })))
    case 4: {
      // Makes headers inconsistent: changes a field of the central directory or of the end record.
      const made = zipOfEntries(entries)
      const start = new DataView(made.buffer).getUint32(made.length - END_BYTES + 16, true)
      return withNumber(made, start + random.below(made.length - start), random.pick([2, 4]), true, random)
    }
    default:
      return zipOfEntries(withOne(entries, random, (entry) => ({ ...entry, content: changedContent(entry, random) })))
  }
}

export const ZIP_MUTATOR: Mutator = {
  container: 'ZIP',
  formats: ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'odg', 'ofd', 'epub', 'kmz', 'shapefile', 'zip'],
  mutate,
}
