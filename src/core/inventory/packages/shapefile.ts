/** Records, fields and extent of a Shapefile (ESRI Shapefile Technical Description, July 1998) and its dBASE table. */
import { latin1Of } from '../../bytes/latin1.ts'
import { viewOf, type ZipMember } from '../zip.ts'
import type { Package } from './package.ts'

const TABLE_HEADER_BYTES = 32
const FIELD_BYTES = 32
/** Byte that ends the list of fields. */
const FIELDS_END = 0x0d
const MAX_FIELDS = 2048
const SHAPES_HEADER_BYTES = 100
const SHAPES_SIGNATURE = 9994

/** Adds the number of records of a dBASE table, and its fields. */
export async function addDatabase(archive: Package, member: ZipMember): Promise<void> {
  const head = await archive.start(member, TABLE_HEADER_BYTES + FIELD_BYTES * MAX_FIELDS)
  if (head.length < TABLE_HEADER_BYTES) return
  const header = viewOf(head)
  const [records, headerBytes, recordBytes] = [header.getUint32(4, true), header.getUint16(8, true), header.getUint16(10, true)]
  if (headerBytes + records * recordBytes <= member.bytes) archive.add('records', `record of ${member.name}`, records)
  for (let at = TABLE_HEADER_BYTES; at + FIELD_BYTES <= head.length && head[at] !== FIELDS_END; at += FIELD_BYTES) {
    const name = latin1Of(head.subarray(at, at + 11)).split('\0')[0]!
    const [type, length, decimals] = [String.fromCharCode(head[at + 11]!), head[at + 16], head[at + 17]]
    archive.add('fields', `${member.name}: ${name} = ${type} ${length}.${decimals}`)
  }
}

/** Adds the kind of shapes and the extent that the header of a .shp file gives. */
export async function addShapes(archive: Package, member: ZipMember): Promise<void> {
  const head = await archive.start(member, SHAPES_HEADER_BYTES)
  if (head.length < SHAPES_HEADER_BYTES) return
  const view = viewOf(head)
  if (view.getInt32(0) !== SHAPES_SIGNATURE) return
  const extent = [36, 44, 52, 60].map((at) => view.getFloat64(at, true)).join(' ')
  archive.add('geography', `${member.name} = shapes of type ${view.getInt32(32, true)}, extent ${extent}`)
}
