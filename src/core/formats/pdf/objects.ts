/** The object model of ISO 32000-2, 7.3: plain values where possible, small classes where a tag is needed. */

import { latin1Of } from '../../bytes/latin1.ts'
import { message, messageOf, type Said } from '../../i18n/message.ts'
import { CodecError } from '../../model/error.ts'

/** What stands in the file is not what the standard (or any reader) expects. */
export class PdfSyntax extends CodecError {
  constructor(what: Said, offset = 0) {
    super('malformed', message('malformed_at', { format: 'pdf', what: messageOf(what), offset }), offset)
  }
}

/** A name object (7.3.5), `#xx` already decoded; one character per byte. Equal names are the same instance while the pool lasts. */
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

/** An indirect reference (7.3.10). */
export class Ref {
  readonly number: number
  readonly generation: number
  constructor(number: number, generation: number) {
    this.number = number
    this.generation = generation
  }
}

/** What an indirect object is called in its file (7.3.10); the keys of encrypted ones come from it. */
export interface ObjectId {
  readonly number: number
  readonly generation: number
}

/** A string object (7.3.4), unescaped. */
export class Str {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** A dictionary (7.3.7). Order is kept; keys are without the slash. */
export class Dict extends Map<string, PdfObject> {}

/** A stream (7.3.8) is never in memory: a dictionary and the place of its bytes in the file. */
export class Stream {
  readonly dict: Dict
  readonly offset: number
  /** Only in encrypted files. */
  readonly id: ObjectId | undefined
  constructor(dict: Dict, offset: number, id?: ObjectId) {
    this.dict = dict
    this.offset = offset
    this.id = id
  }
}

export type PdfObject = null | boolean | number | Name | Ref | Str | Dict | PdfObject[] | Stream

export const numberOr = (object: PdfObject | undefined, otherwise: number): number => (typeof object === 'number' ? object : otherwise)

/** The value of a name object, '' for anything else. */
export const nameOf = (object: PdfObject | undefined): string => (object instanceof Name ? object.value : '')

const encoder = new TextEncoder()
export const ascii = (text: string): Uint8Array => encoder.encode(text)

/** One character per byte. */
export const latin1 = latin1Of

export function latin1Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
