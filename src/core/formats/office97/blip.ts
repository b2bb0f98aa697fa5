/** Pictures in OfficeArtBlip records ([MS-ODRAW] 2.2.23 to 2.2.31). */
import { concat } from '../../bytes/concat.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { HEADER_BYTES } from './record.ts'

const UID_BYTES = 16
/** Bytes of OfficeArtMetafileHeader. */
const METAFILE_HEADER_BYTES = 34
const FILE_HEADER_BYTES = 14

export type BlipKind = 'jpg' | 'png' | 'dib' | 'metafile'

interface BlipType {
  readonly type: number
  readonly kind: BlipKind
  /** Instance of a record with one identifier. With two identifiers, it is one more. */
  readonly instances: readonly number[]
}

const TYPES: readonly BlipType[] = [
  { type: 0xf01a, kind: 'metafile', instances: [0x3d4] },
  { type: 0xf01b, kind: 'metafile', instances: [0x216] },
  { type: 0xf01c, kind: 'metafile', instances: [0x542] },
  { type: 0xf01d, kind: 'jpg', instances: [0x46a, 0x6e2] },
  { type: 0xf01e, kind: 'png', instances: [0x6e0] },
  { type: 0xf01f, kind: 'dib', instances: [0x7a8] },
]

/** Types of pictures in an FBSE ([MS-ODRAW] 2.4.1). */
export const FBSE_TYPE = { jpg: 5, png: 6 } as const
const NEW = { jpg: { type: 0xf01d, instance: 0x46a }, png: { type: 0xf01e, instance: 0x6e0 } } as const

/** True for the type of a record that holds a picture, also of a kind that is not known here. */
export const isBlipType = (type: number): boolean => type >= 0xf018 && type <= 0xf117

export interface Blip {
  readonly kind: BlipKind
  readonly uids: 1 | 2
  /** Offset of the picture in the record. */
  readonly dataAt: number
}

/** Reads the head of a record. `undefined`: another kind, or too short. */
export function readBlip(record: Uint8Array): Blip | undefined {
  if (record.length < HEADER_BYTES) return undefined
  const reader = new ByteReader(record, true)
  const [instance, type] = [reader.u16(0) >> 4, reader.u16(2)]
  const found = TYPES.find((each) => each.type === type)
  const base = found?.instances.find((each) => (instance & ~1) === each)
  if (!found || base === undefined) return undefined
  const uids = instance === base ? 1 : 2
  const dataAt = HEADER_BYTES + UID_BYTES * uids + (found.kind === 'metafile' ? METAFILE_HEADER_BYTES : 1)
  return dataAt < record.length ? { kind: found.kind, uids, dataAt } : undefined
}

/** Writes a record whose identifiers are `uid`. The colour model of a JPEG stays that of `old`. */
export function writeBlip(
  old: Uint8Array,
  { kind, uids, dataAt }: Blip,
  output: 'jpg' | 'png',
  data: Uint8Array,
  uid: Uint8Array,
): Uint8Array {
  const reader = new ByteReader(old, true)
  const sameKind = kind === output
  const { type, instance } = NEW[output]
  const length = UID_BYTES * uids + 1 + data.length
  const head = new ByteWriter(new Uint8Array(HEADER_BYTES), true)
    .u16(sameKind ? reader.u16(0) : (instance + uids - 1) << 4)
    .u16(type)
    .u32(length)
    .finish()
  return concat([head, ...Array.from({ length: uids }, () => uid), old.subarray(dataAt - 1, dataAt), data])
}

/** Header of a metafile ([MS-ODRAW] 2.2.31). */
export interface Metafile {
  readonly at: number
  /** Bytes after decompression. */
  readonly size: number
  /** Bytes of the stored data. */
  readonly saved: number
  readonly isDeflated: boolean
}

/** Reads the header of a metafile. `undefined`: its data has another size than the record. */
export function readMetafile(record: Uint8Array, { dataAt }: Blip): Metafile | undefined {
  const at = dataAt - METAFILE_HEADER_BYTES
  const reader = new ByteReader(record, true)
  const [size, saved, compression] = [reader.u32(at), reader.u32(at + 28), record[at + 32]]
  const isKnown = compression === 0 || compression === 0xfe
  return isKnown && saved === record.length - dataAt ? { at, size, saved, isDeflated: compression === 0 } : undefined
}

/** Writes a metafile with other compressed data. */
export function writeMetafile(old: Uint8Array, { dataAt }: Blip, { at }: Metafile, data: Uint8Array): Uint8Array {
  const head = old.slice(0, dataAt)
  const out = new ByteWriter(head, true)
  out.at(4).u32(dataAt - HEADER_BYTES + data.length)
  out
    .at(at + 28)
    .u32(data.length)
    .u8(0)
  return concat([head, data])
}

/** Returns a DIB as a BMP file. `undefined`: its header is not understood. */
export function bmpOf(dib: Uint8Array): Uint8Array | undefined {
  if (dib.length < 40) return undefined
  const reader = new ByteReader(dib, true)
  const [headerBytes, bits, compression, used] = [reader.u32(0), reader.u16(14), reader.u32(16), reader.u32(32)]
  if (headerBytes < 40 || headerBytes > dib.length || used > 256) return undefined
  const colours = bits <= 8 ? used || 1 << bits : used
  const start = FILE_HEADER_BYTES + headerBytes + (headerBytes === 40 && compression === 3 ? 12 : 0) + 4 * colours
  const head = new ByteWriter(new Uint8Array(FILE_HEADER_BYTES), true).ascii('BM').u32(FILE_HEADER_BYTES + dib.length)
  return concat([head.at(10).u32(start).finish(), dib])
}
