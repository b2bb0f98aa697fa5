/** Mutates entries of TIFF directories in place, and the data that they refer to. */
import { withDamage, withNumber } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

const ENTRY_BYTES = 12
const MOST_DIRECTORIES = 20
/** Tags that decoders depend on (TIFF 6.0 and GeoTIFF). */
const TAGS = [256, 257, 258, 259, 262, 266, 273, 277, 278, 279, 284, 317, 320, 322, 323, 324, 325, 330, 338, 339, 33_550, 34_735, 34_675]

/** Returns the offsets of the entries of all directories in the chain. */
export function entriesOf(file: Uint8Array): number[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const little = file[0] === 0x49
  const entries: number[] = []
  let at = file.length >= 8 ? view.getUint32(4, little) : 0
  for (let directories = 0; directories < MOST_DIRECTORIES && at >= 8 && at + 2 <= file.length; directories++) {
    const count = view.getUint16(at, little)
    const end = at + 2 + count * ENTRY_BYTES
    for (let entry = at + 2; entry + ENTRY_BYTES <= Math.min(end, file.length); entry += ENTRY_BYTES) entries.push(entry)
    at = end + 4 <= file.length ? view.getUint32(end, little) : 0
  }
  return entries
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const entries = entriesOf(file)
  if (entries.length === 0) return withDamage(file, random)
  const little = file[0] === 0x49
  const entry = random.pick(entries)
  const made = file.slice()
  const view = new DataView(made.buffer)
  switch (random.below(7)) {
    case 0:
      view.setUint16(entry, random.pick(TAGS), little)
      return made
    case 1:
      view.setUint16(entry + 2, 1 + random.below(13), little)
      return made
    case 2:
      return withNumber(made, entry + 4, 4, little, random)
    case 3:
      return withNumber(made, entry + 8, random.pick([2, 4]), little, random)
    case 4:
      return made.copyWithin(entry, random.pick(entries), random.pick(entries) + ENTRY_BYTES)
    case 5:
      return withNumber(made, view.getUint32(entry + 8, little) + 4 * random.below(view.getUint32(entry + 4, little)), 4, little, random)
    default:
      return withDamage(made, random, 8)
  }
}

export const TIFF_MUTATOR: Mutator = { container: 'TIFF', formats: ['tiff', 'geotiff'], mutate }
