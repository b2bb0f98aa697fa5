/** Boxes of a HEIF file in memory (ISO/IEC 14496-12, 4.2). Every box must fit into its parent. */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { MAX_BOXES } from './tuning.ts'

export interface HeifBox {
  readonly type: string
  /** Content without the header. */
  readonly content: HeifFields
}

/** Fields of a box. Reading outside of it throws a `RangeError`, which `readMeta` turns into a CodecError. */
export class HeifFields extends ByteReader {
  /** File offset of the first byte, for error messages. */
  readonly fileOffset: number

  constructor(bytes: Uint8Array, fileOffset: number) {
    super(bytes, false)
    this.fileOffset = fileOffset
  }

  /** Big-endian number of 0 to 8 bytes; no bytes are 0. */
  unsigned(at: number, bytes: number): number {
    let value = 0
    for (let i = 0; i < bytes; i++) value = value * 256 + this.u8(at + i)
    return value
  }

  text(from: number, to = this.length): string {
    return latin1Of(this.bytes.subarray(from, to))
  }

  /** Text up to a zero byte, or up to the end. */
  textUntilZero(from: number): string {
    const end = this.bytes.indexOf(0, from)
    return this.text(from, end < 0 ? this.length : end)
  }

  part(from: number, to = this.length): HeifFields {
    if (from > to || to > this.length) throw new RangeError('a part lies outside of its box')
    return new HeifFields(this.bytes.subarray(from, to), this.fileOffset + from)
  }
}

/** Lists the boxes that fill `fields`. @throws CodecError (malformed) if one leaves it, (over_budget) if there are too many */
export function boxesIn(fields: HeifFields): HeifBox[] {
  const found: HeifBox[] = []
  for (let at = 0; at < fields.length; ) {
    if (found.length >= MAX_BOXES) throw overBudget('too_many_boxes')
    const left = fields.length - at
    const type = left >= 8 ? fields.text(at + 4, at + 8) : ''
    const short = left >= 8 ? fields.u32(at) : 0
    const isWide = short === 1 && left >= 16
    const size = isWide ? fields.u64(at + 8) : short
    if (size < (isWide ? 16 : 8) || size > left)
      throw malformed('heif', fields.fileOffset + at, message('heif_box_does_not_fit', { type, size, left }))
    found.push({ type, content: fields.part(at + (isWide ? 16 : 8), at + size) })
    at += size
  }
  return found
}
