/** Mutates binary Office documents: tables of the compound file, its directory, and records of its streams. */
import { withDamage, withNumber } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

const SECTOR_BYTES = 512
/** Offsets of the header with numbers: shifts, counts and first sectors of tables. */
const HEADER_FIELDS = [24, 26, 30, 32, 44, 48, 56, 60, 64, 68, 72, 76, 80] as const
/** Offsets of a directory entry: length of the name, type, siblings, child, first sector, size. */
const ENTRY_FIELDS = [64, 66, 68, 72, 76, 116, 120] as const
/** Offsets of a record's header: version and type, length. */
const RECORD_FIELDS = [0, 2, 4] as const
/** Types of records that lead to pictures. */
const RECORD_TYPES = [0x03e8, 0x0ff5, 0x1772, 0xf000, 0xf001, 0xf007, 0xf01a, 0xf01d, 0x0085, 0x00eb, 0x00ff, 0x020b]

function placeOf(file: Uint8Array, random: Random): number {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const directory = (view.getUint32(48, true) + 1) * SECTOR_BYTES
  const tables = (view.getUint32(76, true) + 1) * SECTOR_BYTES
  switch (random.below(4)) {
    case 0:
      return random.pick(HEADER_FIELDS)
    case 1:
      return directory + 128 * random.below(8) + random.pick(ENTRY_FIELDS)
    case 2:
      return tables + 4 * random.below(128)
    default: {
      const type = random.pick(RECORD_TYPES)
      const at = Buffer.from(file.buffer, file.byteOffset, file.length).indexOf(Buffer.from([type & 255, type >> 8]), SECTOR_BYTES)
      return Math.max(0, at - 2) + random.pick(RECORD_FIELDS)
    }
  }
}

export const OFFICE97_MUTATOR: Mutator = {
  container: 'compound file',
  formats: ['doc', 'xls', 'ppt'],
  mutate(file, random) {
    if (random.chance(0.2)) return withDamage(file, random)
    const at = placeOf(file, random)
    return at + 4 <= file.length ? withNumber(file, at, random.pick([2, 4]), true, random) : withDamage(file, random)
  },
}
