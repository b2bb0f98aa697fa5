/** The parts of a picture's group that change when its data changes, and their new text. */
import { hex } from '../../bytes/hex.ts'
import { latin1Bytes } from '../../bytes/latin1.ts'
import { md4 } from '../../bytes/md4.ts'
import { type HexLayout, writeHex } from './hex.ts'
import { KEYWORDS, type Range, type RtfPicture, type RtfPictureKind } from './picture.ts'

export type Role = 'keyword' | 'uid' | 'length' | 'data'

/** Parts that change, in file order. */
export function partsOf({ keyword, uid, length, data }: RtfPicture): { readonly role: Role; readonly range: Range }[] {
  return [
    { role: 'keyword' as const, range: keyword },
    ...(uid ? [{ role: 'uid' as const, range: uid }] : []),
    ...(length ? [{ role: 'length' as const, range: length }] : []),
    { role: 'data' as const, range: data },
  ].toSorted((a, b) => a.range.start - b.range.start)
}

export interface NewPicture {
  readonly kind: RtfPictureKind
  readonly bytes: Uint8Array
  /** Layout of hexadecimal data. `undefined`: the data follows `\bin`. */
  readonly layout: HexLayout | undefined
}

/** Yields the new text of a part. */
export function* textOf(role: Role, { kind, bytes, layout }: NewPicture): Generator<Uint8Array> {
  if (role === 'keyword') yield latin1Bytes(KEYWORDS[kind])
  // Readers may take pictures with the same identifier for the same picture ([MS-ODRAW] 2.2.27).
  else if (role === 'uid') yield latin1Bytes(hex(md4(bytes)))
  else if (role === 'length') yield latin1Bytes(String(bytes.length))
  else if (layout) yield* writeHex(bytes, layout)
  else yield bytes.slice()
}
