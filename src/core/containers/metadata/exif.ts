/** Reduces EXIF blocks to the tags that the option `metadata` keeps. */
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { EXIF_TAGS_KEPT, type RemovingMode } from '../../catalog/metadata.ts'
import { TYPE_BYTES } from '../tiff/directory.ts'
import { entryCount, type IfdField, ifdLayout, readField, readHeader } from '../tiff/ifd.ts'

/** Longest value that is kept, in bytes. */
const MAX_VALUE_BYTES = 4096

/**
 * Returns an EXIF block (TIFF header and IFD0, without `Exif\0\0`) with only the tags that `mode` keeps. `undefined`: none of them
 * exists, or the block cannot be read.
 */
export function reducedExif(block: Uint8Array, mode: RemovingMode): Uint8Array | undefined {
  const header = readHeader(block)
  if (!header || header.big) return undefined
  const reader = new ByteReader(block, header.littleEndian)
  const kept = fieldsOf(reader, header.firstAt).filter(({ tag }) => EXIF_TAGS_KEPT[mode].has(tag))
  const values = kept.flatMap((field) => keptValue(reader, field) ?? [])
  return values.length > 0 ? exifBlock(header.littleEndian, values) : undefined
}

interface KeptValue {
  readonly tag: number
  readonly type: number
  readonly count: number
  readonly bytes: Uint8Array
}

function fieldsOf(reader: ByteReader, at: number): IfdField[] {
  const layout = ifdLayout({ big: false })
  if (at + layout.countBytes > reader.length) return []
  const count = entryCount(reader, { big: false }, at)
  const fields: IfdField[] = []
  for (let i = 0; i < count; i++) {
    const entryAt = at + layout.countBytes + i * layout.entryBytes
    if (entryAt + layout.entryBytes > reader.length) break
    fields.push(readField(reader, { big: false }, entryAt))
  }
  return fields
}

function keptValue(reader: ByteReader, { tag, type, count, valueAt }: IfdField): KeptValue | undefined {
  const bytes = (TYPE_BYTES[type] ?? 0) * count
  if (bytes === 0 || bytes > MAX_VALUE_BYTES) return undefined
  const at = bytes <= 4 ? valueAt : reader.u32(valueAt)
  return at + bytes > reader.length ? undefined : { tag, type, count, bytes: reader.bytes.subarray(at, at + bytes) }
}

/** Writes a TIFF header, one directory and its values, in the byte order of the original. */
function exifBlock(littleEndian: boolean, values: readonly KeptValue[]): Uint8Array {
  const directoryBytes = 2 + 12 * values.length + 4
  const long = values.filter(({ bytes }) => bytes.length > 4)
  const total = 8 + directoryBytes + long.reduce((sum, { bytes }) => sum + bytes.length + (bytes.length & 1), 0)
  const block = new Uint8Array(total)
  const writer = new ByteWriter(block, littleEndian)
  writer
    .ascii(littleEndian ? 'II' : 'MM')
    .u16(42)
    .u32(8)
    .u16(values.length)
  let valueAt = 8 + directoryBytes
  for (const [index, { tag, type, count, bytes }] of values.entries()) {
    const entryAt = 10 + 12 * index
    writer.at(entryAt).u16(tag).u16(type).u32(count)
    if (bytes.length <= 4) block.set(bytes, entryAt + 8)
    else {
      writer.at(entryAt + 8).u32(valueAt)
      block.set(bytes, valueAt)
      valueAt += bytes.length + (bytes.length & 1)
    }
  }
  return block
}
