/** Reads data elements of a data set (DICOM PS3.5, 7.1) in any of the three native encodings. */
import { message } from '../../i18n/message.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { MAX_DEPTH } from './tuning.ts'
import { implicitVr, KNOWN_VRS, LONG_VRS } from './vr.ts'

export interface Encoding {
  readonly explicit: boolean
  readonly littleEndian: boolean
}

export const EXPLICIT_LITTLE: Encoding = { explicit: true, littleEndian: true }
const IMPLICIT_LITTLE: Encoding = { explicit: false, littleEndian: true }

export interface Element {
  /** Group number in the upper 16 bits, element number in the lower 16. */
  readonly tag: number
  readonly vr: string
  readonly at: number
  readonly valueAt: number
  readonly undefinedLength: boolean
  /** Offset after the DICOM element, delimiters included. */
  readonly end: number
}

export const UNDEFINED_LENGTH = 0xffff_ffff
export const ITEM = 0xfffe_e000
export const ITEM_END = 0xfffe_e00d
export const SEQUENCE_END = 0xfffe_e0dd
export const PIXEL_DATA = 0x7fe0_0010

/** Thrown if an element continues after the window but may be complete in the file. `needed`: window size in bytes that would suffice. */
export class WindowTooShort extends Error {
  readonly needed: number
  constructor(needed: number) {
    super(`${needed} bytes are needed`)
    this.needed = needed
  }
}

/** Reads elements from the first bytes of a file, or from a part of it. `fileEnd` is the end of the file, or of the part. */
export class ElementReader {
  readonly bytes: Uint8Array
  readonly encoding: Encoding
  readonly #view: DataView
  readonly #fileEnd: number
  /** True if Pixel Representation is 1. Selects SS instead of US in implicit files. */
  signed = false

  constructor(bytes: Uint8Array, encoding: Encoding, fileEnd = bytes.length) {
    this.bytes = bytes
    this.encoding = encoding
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#fileEnd = fileEnd
  }

  uint16(at: number): number {
    return this.#view.getUint16(at, this.encoding.littleEndian)
  }

  uint32(at: number): number {
    return this.#view.getUint32(at, this.encoding.littleEndian)
  }

  tag(at: number): number {
    return ((this.uint16(at) << 16) | this.uint16(at + 2)) >>> 0
  }

  /**
   * Reads the element at `at`. The window holds its whole value, except for top-level pixel data of defined length.
   * @throws CodecError (malformed), CodecError (unsupported_feature), WindowTooShort
   */
  element(at: number, depth = 0): Element {
    this.#need(at, 8)
    const tag = this.tag(at)
    if (tag >>> 16 === 0xfffe) throw malformed('dicom', at, 'delimiter_where_element_was_expected')
    let vr: string
    let valueAt = at + 8
    let length: number
    if (this.encoding.explicit) {
      vr = String.fromCharCode(this.bytes[at + 4]!, this.bytes[at + 5]!)
      if (!KNOWN_VRS.has(vr)) throw unsupported(message('no_value_representation_at_byte', { at }))
      if (LONG_VRS.has(vr)) {
        this.#need(at, 12)
        length = this.uint32(at + 8)
        valueAt = at + 12
      } else {
        length = this.uint16(at + 6)
      }
    } else {
      vr = implicitVr(tag, this.signed)
      length = this.uint32(at + 4)
    }
    const undefinedLength = length === UNDEFINED_LENGTH
    if (!undefinedLength) {
      if (depth > 0 || tag !== PIXEL_DATA) this.#need(valueAt, length)
      else if (valueAt + length > this.#fileEnd) throw malformed('dicom', valueAt, message('pixel_data_of_bytes', { length }))
      if (tag === 0x0028_0103 && length === 2) this.signed = this.uint16(valueAt) === 1
      return { tag, vr, at, valueAt, undefinedLength, end: valueAt + length }
    }
    if (depth === 0 && tag === PIXEL_DATA) throw malformed('dicom', at, 'encapsulated_pixel_data_in_native_file')
    if (this.encoding.explicit && vr !== 'SQ' && vr !== 'UN') throw unsupported(message('value_of_undefined_length', { vr, at }))
    // UN of undefined length holds items in implicit little endian (PS3.5, 6.2.2, note 2).
    const inside = vr === 'UN' && this.encoding.explicit ? this.#as(IMPLICIT_LITTLE) : this
    return { tag, vr, at, valueAt, undefinedLength, end: inside.#sequenceEnd(valueAt, depth + 1) }
  }

  /** Yields the items of a DICOM sequence. */
  *items(sequence: Element): Generator<{ at: number; contentAt: number; contentEnd: number; end: number; undefinedLength: boolean }> {
    let at = sequence.valueAt
    while (at < sequence.end) {
      this.#need(at, 8)
      const tag = this.tag(at)
      if (tag === SEQUENCE_END && sequence.undefinedLength) return
      if (tag !== ITEM) throw malformed('dicom', at, 'expected_item')
      const length = this.uint32(at + 4)
      const contentAt = at + 8
      const undefinedLength = length === UNDEFINED_LENGTH
      const contentEnd = undefinedLength ? this.#itemEnd(contentAt, 1) : contentAt + length
      const end = undefinedLength ? contentEnd + 8 : contentEnd
      if (end > sequence.end) throw malformed('dicom', at, 'item_longer_than_sequence')
      yield { at, contentAt, contentEnd, end, undefinedLength }
      at = end
    }
  }

  #as(encoding: Encoding): ElementReader {
    return new ElementReader(this.bytes, encoding, this.#fileEnd)
  }

  #sequenceEnd(at: number, depth: number): number {
    if (depth > MAX_DEPTH) throw unsupported(message('sequences_nested_deeper', { limit: MAX_DEPTH }))
    for (;;) {
      this.#need(at, 8)
      const tag = this.tag(at)
      const length = this.uint32(at + 4)
      at += 8
      if (tag === SEQUENCE_END) return at
      if (tag !== ITEM) throw malformed('dicom', at - 8, 'expected_item')
      if (length === UNDEFINED_LENGTH) at = this.#itemEnd(at, depth) + 8
      else {
        this.#need(at, length)
        at += length
      }
    }
  }

  /** Offset of the delimiter that ends an item of undefined length. */
  #itemEnd(at: number, depth: number): number {
    for (;;) {
      this.#need(at, 8)
      if (this.tag(at) === ITEM_END) return at
      at = this.element(at, depth).end
    }
  }

  #need(at: number, length: number): void {
    if (at + length > this.#fileEnd) throw malformed('dicom', at, message('bytes_expected_file_ends', { length, fileEnd: this.#fileEnd }))
    if (at + length > this.bytes.length) throw new WindowTooShort(at + length)
  }
}
