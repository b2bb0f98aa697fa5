/** Values of a PDF (ISO 32000-2, 7.3): JavaScript values where possible, small classes for the other types. */
import { message } from '../../i18n/message.ts'
import { type CodecError, malformed } from '../../model/error.ts'

/** Name (ISO 32000-2, 7.3.5) without its slash, with decoded `#xx` escapes, one character per byte. */
export class PdfName {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** String (ISO 32000-2, 7.3.4), one byte per character, without escapes. */
export class PdfString {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** Indirect reference (ISO 32000-2, 7.3.10). */
export class PdfReference {
  readonly number: number
  constructor(number: number) {
    this.number = number
  }
}

/** Dictionary (ISO 32000-2, 7.3.7). Keys have no slash. If a key occurs twice, the last value counts. */
export class PdfDictionary extends Map<string, PdfValue> {}

/** Stream (ISO 32000-2, 7.3.8): its dictionary and the file offset of its data. */
export class PdfStream {
  readonly dictionary: PdfDictionary
  readonly dataAt: number
  /** Number and generation of the object, from which the key of an encrypted stream is derived. */
  readonly id: ObjectId
  constructor(dictionary: PdfDictionary, dataAt: number, id: ObjectId) {
    this.dictionary = dictionary
    this.dataAt = dataAt
    this.id = id
  }
}

export interface ObjectId {
  readonly number: number
  readonly generation: number
}

export type PdfValue = null | boolean | number | PdfName | PdfString | PdfReference | PdfDictionary | PdfValue[] | PdfStream

/** Text of a name. Empty: the value is no name. */
export const nameText = (value: PdfValue | undefined): string => (value instanceof PdfName ? value.text : '')

/** Returns the error for a structure at offset `at` that cannot be read. */
export const damaged = (at: number): CodecError => malformed('pdf', at, message('inventory_cannot_read'))
