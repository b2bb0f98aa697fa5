/** Fields of the LAS header (LAS 1.4 R15, table 3; LAS 1.5) and of extra dimensions (table 24) as items. */
import { hex } from '../../bytes/hex.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import type { ByteReader } from '../../bytes/reader.ts'
import type { InventoryBuilder } from '../inventory.ts'

export interface LasHeader {
  readonly minor: number
  readonly headerBytes: number
  readonly points: number
  readonly pointOffset: number
  readonly recordCount: number
  /** Offset of the waveform data. 0: none. */
  readonly waveformsAt: number
  /** Offset of the extended records. 0: none. */
  readonly extendedAt: number
  readonly extendedCount: number
}

const WIDE_HEADER_BYTES = 375
const POINTS_PACKED = 0x80
const DIMENSION_BYTES = 192

/** Adds the fields that describe the points. Offsets and the number of records are no items: they describe the file. */
export function addHeaderFields(reader: ByteReader, minor: number, to: InventoryBuilder): void {
  const text = (from: number, end: number) => latin1Of(reader.bytes.subarray(from, end)).replace(/\0+$/, '')
  const list = (count: number, read: (index: number) => number | bigint) =>
    Array.from({ length: count }, (_, i) => String(read(i))).join(' ')
  const doubles = (at: number, count: number) => list(count, (i) => reader.f64(at + 8 * i))
  const fields: { readonly [name: string]: string | number } = {
    'source id': reader.u16(4),
    'global encoding': reader.u16(6),
    GUID: hex(reader.bytes.subarray(8, 24)),
    version: `${reader.u8(24)}.${minor}`,
    system: text(26, 58),
    software: text(58, 90),
    day: `${reader.u16(90)} of ${reader.u16(92)}`,
    'point format': reader.u8(104) & ~POINTS_PACKED & 0x3f,
    'point length': reader.u16(105),
    points: reader.u32(107),
    'by return': list(5, (i) => reader.u32(111 + 4 * i)),
    scale: doubles(131, 3),
    offset: doubles(155, 3),
    bounds: doubles(179, 6),
  }
  for (const [name, value] of Object.entries(fields)) to.add('header', `${name} = ${value}`)
  const isWide = minor >= 4 && reader.length >= WIDE_HEADER_BYTES
  if (isWide) {
    to.add('header', `points (64 bits) = ${reader.bigU64(247)}`)
    to.add('header', `by return (64 bits) = ${list(15, (i) => reader.bigU64(255 + 8 * i))}`)
  }
  const known = isWide ? WIDE_HEADER_BYTES : minor >= 3 ? 235 : 227
  if (reader.length > known) to.addBytes('header', 'bytes after it', reader.bytes.subarray(known))
}

/** Adds the dimensions that a file defines besides those of its point format. */
export function addExtraDimensions(content: Uint8Array, to: InventoryBuilder): void {
  for (let at = 0; at + DIMENSION_BYTES <= content.length; at += DIMENSION_BYTES) {
    const name = latin1Of(content.subarray(at + 4, at + 36)).replace(/\0+$/, '')
    to.add('dimensions', `${name} = type ${content[at + 2]}`)
  }
}
