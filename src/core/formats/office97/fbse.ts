/** Entries of the table of pictures: OfficeArtFBSE ([MS-ODRAW] 2.2.32). */
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { FBSE_TYPE } from './blip.ts'
import { HEADER_BYTES } from './record.ts'

/** Bytes of an entry without its header, its name and its picture. */
export const FBSE_BYTES = 36
/** Offset of an entry without a picture. */
export const NO_PLACE = 0xffffffff

export interface Fbse {
  /** Offset of its header. */
  readonly at: number
  /** Bytes of the picture's record. */
  readonly size: number
  readonly references: number
  /** Offset of the picture's record in the stream of pictures. */
  readonly place: number
  /** Bytes of its name. */
  readonly nameBytes: number
}

/** Reads an entry whose header lies at `at`. */
export function readFbse(bytes: Uint8Array, at: number): Fbse {
  const reader = new ByteReader(bytes, true)
  const start = at + HEADER_BYTES
  return {
    at,
    size: reader.u32(start + 20),
    references: reader.u32(start + 24),
    place: reader.u32(start + 28),
    nameBytes: reader.u8(start + 33),
  }
}

export interface FbseChange {
  /** Bytes of the picture's record. `undefined`: the old number stays. */
  readonly size: number | undefined
  readonly place: number
  /** Identifier and kind of a new picture. `undefined`: the same picture. */
  readonly fresh: { readonly uid: Uint8Array; readonly output: 'jpg' | 'png' } | undefined
  /** True if the picture had another kind. */
  readonly hasNewKind: boolean
}

/** Changes an entry in place. */
export function changeFbse(bytes: Uint8Array, at: number, { size, place, fresh, hasNewKind }: FbseChange): void {
  const out = new ByteWriter(bytes, true)
  const start = at + HEADER_BYTES
  if (fresh) {
    out.at(start + 2).bytes(fresh.uid)
    if (hasNewKind) {
      const type = FBSE_TYPE[fresh.output]
      out.at(start).u8(type).u8(type)
      const version = new ByteReader(bytes, true).u16(at) & 15
      out.at(at).u16((type << 4) | version)
    }
  }
  if (size !== undefined) out.at(start + 20).u32(size)
  out.at(start + 28).u32(place)
}
