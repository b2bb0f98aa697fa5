/** Mutates fields and addresses of HDF5 structures in place, and recomputes the checksums of superblocks and object headers. */
import { withDamage, withNumber } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

const STRUCTURES = ['TREE', 'SNOD', 'HEAP', 'OHDR', 'OCHK', 'GCOL', 'FRHP', 'FHDB', 'BTHD', 'BTLF', 'FSHD', 'FAHD', 'EAHD', 'SMTB']
const SIGNATURES = new Set(STRUCTURES.map((name) => Buffer.from(name).readUInt32LE()))
const MOST_PLACES = 500
/** Bytes after the signature of a structure that are treated as its fields. */
const FIELDS_BYTES = 600
const SUPERBLOCK_BYTES = 44

const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by))

/** Jenkins' lookup3 hash with initial value 0, HDF5's checksum of structures (format specification III, H5_checksum_lookup3). */
export function lookup3(bytes: Uint8Array): number {
  let a = (0xdeadbeef + bytes.length) | 0
  let [b, c] = [a, a]
  const word = (at: number) => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
  let at = 0
  for (; bytes.length - at > 12; at += 12) {
    a = (a + word(at)) | 0
    b = (b + word(at + 4)) | 0
    c = (c + word(at + 8)) | 0
    for (const by of [4, 6, 8, 16, 19, 4]) {
      a = ((a - c) ^ rotate(c, by)) | 0
      c = (c + b) | 0
      ;[a, b, c] = [b, c, a]
    }
  }
  if (bytes.length === at) return c >>> 0
  a = (a + word(at)) | 0
  b = (b + word(at + 4)) | 0
  c = (c + word(at + 8)) | 0
  for (const by of [14, 11, 25, 16, 4, 14, 24]) {
    c = ((c ^ b) - rotate(b, by)) | 0
    ;[a, b, c] = [b, c, a]
  }
  // After seven rotations of the variables, the final `c` is in `b`.
  return b >>> 0
}

/** Recomputes the checksums of all superblocks and object headers that have one. */
export function summed(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes)
  if ((file[8] ?? 0) >= 2 && file.length > SUPERBLOCK_BYTES + 4)
    file.writeUInt32LE(lookup3(file.subarray(0, SUPERBLOCK_BYTES)), SUPERBLOCK_BYTES)
  for (let at = file.indexOf('OHDR'); at >= 0; at = file.indexOf('OHDR', at + 4)) {
    const flags = file[at + 5] ?? 0
    const width = 1 << (flags & 3)
    const sizeAt = at + 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0)
    if (sizeAt + width > file.length || width === 8) continue
    const end = sizeAt + width + file.readUIntLE(sizeAt, width)
    if (end + 4 <= file.length) file.writeUInt32LE(lookup3(file.subarray(at, end)), end)
  }
  return new Uint8Array(file)
}

/** Returns the offsets of the superblock and of all structures with a signature. */
function structuresOf(file: Uint8Array): number[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const places = [0]
  for (let at = 0; at + 4 <= file.length && places.length < MOST_PLACES; at += 4)
    if (SIGNATURES.has(view.getUint32(at, true))) places.push(at)
  return places
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const places = structuresOf(file)
  const field = random.pick(places) + 4 + random.below(FIELDS_BYTES)
  switch (random.below(5)) {
    case 0:
      return summed(withDamage(file, random, 8))
    case 1: {
      // An address is replaced by that of another structure: a loop, or a structure of the wrong type.
      const made = file.slice()
      const at = field - (field % 8)
      if (at + 8 <= made.length) new DataView(made.buffer).setBigUint64(at, BigInt(random.pick(places)), true)
      return summed(made)
    }
    default:
      return summed(withNumber(file, field, random.pick([1, 2, 4, 8]), true, random))
  }
}

export const HDF5_MUTATOR: Mutator = { container: 'HDF5', formats: ['hdf5', 'netcdf'], mutate }
