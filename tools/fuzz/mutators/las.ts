/** Mutates LAS and LAZ files: fields of the header and of variable length records, and points. */
import { withDamage, withNumber } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

/** Offset and width in bytes of header fields that readers depend on (LAS 1.4, 2.4): sizes, offsets, versions, formats, counts. */
const FIELDS = [
  [6, 2],
  [24, 1],
  [25, 1],
  [94, 2],
  [96, 4],
  [100, 4],
  [104, 1],
  [105, 2],
  [107, 4],
  [111, 4],
  [131, 8],
  [139, 8],
  [155, 8],
] as const
const NEW_FIELDS = [
  [227, 8],
  [235, 8],
  [243, 4],
  [247, 8],
  [255, 8],
] as const
const RECORD_BYTES = 54

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  if (file.length < 230) return withDamage(file, random)
  const [headerBytes, pointsAt] = [view.getUint16(94, true), view.getUint32(96, true)]
  switch (random.below(5)) {
    case 0:
    case 1: {
      const [at, width] = random.pick(headerBytes > 300 ? [...FIELDS, ...NEW_FIELDS] : FIELDS)
      return withNumber(file, at, width, true, random)
    }
    case 2:
      // Fields of the first variable length record: reserved, user id, record id, length, description. In LAZ, also the chunk settings.
      return withNumber(file, headerBytes + random.below(RECORD_BYTES + 60), random.pick([1, 2, 4, 8]), true, random)
    case 3:
      return withDamage(file, random, Math.min(pointsAt, file.length - 1))
    default:
      return withDamage(file, random)
  }
}

export const LAS_MUTATOR: Mutator = { container: 'LAS', formats: ['las', 'laz'], mutate }
