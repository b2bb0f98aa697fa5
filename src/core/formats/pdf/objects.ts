/** Object model of PDF (ISO 32000-2, 7.3): JavaScript values where possible, small classes for the other types. */

import { type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import { CodecError } from '../../model/error.ts'

/** Error for PDF data that violates ISO 32000-2 in a form that PDF readers do not accept either. `offset` is a position in bytes. */
export class PdfSyntax extends CodecError {
  constructor(what: MessageOrCode, offset = 0) {
    super('malformed', message('malformed_at', { format: 'pdf', what: toMessage(what), offset }), offset)
  }
}

/**
 * Name object (ISO 32000-2, 7.3.5) with decoded `#xx` escapes, one character per byte. Equal names share one instance, up to 20,000
 * different names.
 */
export class Name {
  readonly value: string
  private constructor(value: string) {
    this.value = value
  }
  private static readonly pool = new Map<string, Name>()
  static of(value: string): Name {
    const known = Name.pool.get(value)
    if (known) return known
    const name = new Name(value)
    if (Name.pool.size < 20_000) Name.pool.set(value, name)
    return name
  }
}

/** Indirect reference (ISO 32000-2, 7.3.10). */
export class Ref {
  readonly number: number
  readonly generation: number
  constructor(number: number, generation: number) {
    this.number = number
    this.generation = generation
  }
}

/** Identifier of an indirect object (ISO 32000-2, 7.3.10). The key of an encrypted object is derived from it. */
export interface ObjectId {
  readonly number: number
  readonly generation: number
}

/** String object (ISO 32000-2, 7.3.4) without escapes. */
export class Str {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** Dictionary (ISO 32000-2, 7.3.7) that keeps the order of its entries. Keys have no leading slash. */
export class Dict extends Map<string, PdfObject> {}

/** Stream object (ISO 32000-2, 7.3.8): a dictionary and the file offset of the data. The data itself is not in memory. */
export class Stream {
  readonly dict: Dict
  readonly offset: number
  /** Object identifier, needed for decryption. `undefined` in files without encryption. */
  readonly id: ObjectId | undefined
  constructor(dict: Dict, offset: number, id?: ObjectId) {
    this.dict = dict
    this.offset = offset
    this.id = id
  }
}

/** Stream whose data is in memory. It stands for a stream of the file in another form. */
export class HeldStream extends Stream {
  readonly data: Uint8Array
  constructor(dict: Dict, data: Uint8Array) {
    super(dict, 0)
    this.data = data
  }
}

export type PdfObject = null | boolean | number | Name | Ref | Str | Dict | PdfObject[] | Stream

export const numberOr = (object: PdfObject | undefined, otherwise: number): number => (typeof object === 'number' ? object : otherwise)

/** Value of a name object; empty string for any other object. */
export const nameOf = (object: PdfObject | undefined): string => (object instanceof Name ? object.value : '')

const encoder = new TextEncoder()
export const ascii = (text: string): Uint8Array => encoder.encode(text)

export { latin1Bytes, latin1Of as latin1 } from '../../bytes/latin1.ts'

/** Decoded object stream (ISO 32000-2, 7.5.7). */
export interface ObjectStream {
  numbers: number[]
  offsets: number[]
  first: number
  data: Uint8Array
}
