/** Mutates PNG files: chunks with correct CRC, the header, and filtered rows inside IDAT. */
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { concat } from '../../../src/core/bytes/concat.ts'
import { fromLatin1, latin1, withDamage, withNumber, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

interface Chunk {
  readonly type: string
  readonly data: Uint8Array
}

const SIGNATURE_BYTES = 8
/** Types for a chunk whose type is changed; each has its own rules. */
const TYPES = [
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'gAMA',
  'cHRM',
  'iCCP',
  'sBIT',
  'bKGD',
  'acTL',
  'fcTL',
  'fdAT',
  'tEXt',
  'eXIf',
  'zzZz',
]

export function chunksOf(file: Uint8Array): Chunk[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const chunks: Chunk[] = []
  for (let at = SIGNATURE_BYTES; at + 12 <= file.length; ) {
    const length = Math.min(view.getUint32(at), file.length - at - 12)
    chunks.push({ type: latin1(file.subarray(at + 4, at + 8)), data: file.slice(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return chunks
}

export function pngOfChunks(signature: Uint8Array, chunks: readonly Chunk[]): Uint8Array {
  return concat([
    signature,
    ...chunks.flatMap(({ type, data }) => {
      const [length, named, sum] = [Buffer.alloc(4), concat([fromLatin1(type), data]), Buffer.alloc(4)]
      length.writeUInt32BE(data.length)
      sum.writeUInt32BE(crc32(named))
      return [length, named, sum]
    }),
  ])
}

/** Changes the decompressed rows of all IDAT chunks and compresses them again. */
function withRowsDamaged(chunks: readonly Chunk[], random: Random): Chunk[] {
  const rows = inflateSync(concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  const packed = deflateSync(withDamage(rows, random), { level: 1 })
  const first = chunks.findIndex(({ type }) => type === 'IDAT')
  return chunks.flatMap((chunk, i) => (i === first ? [{ type: 'IDAT', data: packed }] : chunk.type === 'IDAT' ? [] : [chunk]))
}

function changed(chunks: readonly Chunk[], random: Random): Chunk[] {
  const own = (type: string) => chunks.findIndex((chunk) => chunk.type === type)
  switch (random.below(6)) {
    case 0:
      return withRearrangedItems(chunks, random)
    case 1: {
      const at = own('IHDR')
      const fields = [
        [0, 4],
        [4, 4],
        [8, 1],
        [9, 1],
        [10, 1],
        [11, 1],
        [12, 1],
      ] as const
      const [offset, width] = random.pick(fields)
      return chunks.map((chunk, i) => (i === at ? { ...chunk, data: withNumber(chunk.data, offset, width, false, random) } : chunk))
    }
    case 2:
      return withRowsDamaged(chunks, random)
    case 3:
      return withOne(chunks, random, (chunk) => ({ ...chunk, type: random.pick(TYPES) }))
    case 4:
      return withRearrangedItems(
        [{ type: random.pick(TYPES), data: random.bytes(random.below(40)) }, ...chunks].reverse(),
        random,
      ).reverse()
    default:
      return withOne(chunks, random, (chunk) => ({ ...chunk, data: withDamage(chunk.data, random) }))
  }
}

export const PNG_MUTATOR: Mutator = {
  container: 'PNG',
  formats: ['png'],
  mutate: (file, random) => pngOfChunks(file.slice(0, SIGNATURE_BYTES), changed(chunksOf(file), random)),
}
