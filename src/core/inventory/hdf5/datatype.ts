/** Datatypes (HDF5 File Format Specification 4.0, IV.A.2.d). */
import { hex } from '../../bytes/hex.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { bytesFor, type Cursor } from './cursor.ts'

/** Parts of values that are more than their bytes: they refer to other places of the file, which differ between files. */
type Parts =
  | { readonly kind: 'bytes' | 'text' | 'object' | 'region' }
  | { readonly kind: 'sequence'; readonly of: Datatype }
  | { readonly kind: 'array'; readonly count: number; readonly of: Datatype }
  | { readonly kind: 'compound'; readonly members: readonly { readonly at: number; readonly type: Datatype }[] }

export type Datatype = Parts & {
  /** Bytes of a value. */
  readonly bytes: number
  /** Description, for items. */
  readonly text: string
}

const CLASS = {
  integer: 0,
  float: 1,
  time: 2,
  text: 3,
  bits: 4,
  opaque: 5,
  compound: 6,
  reference: 7,
  enumeration: 8,
  sequence: 9,
  array: 10,
}
const MAX_DEPTH = 100
const MAX_MEMBERS = 65_535
/** Sizes in bits of IEEE 754 numbers by their properties: first bit, bits, place and size of the exponent and of the mantissa, bias. */
const IEEE = new Map([
  ['0 16 10 5 0 10 15', 16],
  ['0 32 23 8 0 23 127', 32],
  ['0 64 52 11 0 52 1023', 64],
])

/** Parses a datatype message. */
export function datatypeOf(content: Cursor, depth = 0): Datatype {
  if (depth > MAX_DEPTH) throw new RangeError(`datatypes are nested deeper than ${MAX_DEPTH}`)
  const head = content.u8()
  const [version, kind] = [head >> 4, head & 15]
  const [flags, bytes] = [content.unsigned(3), content.u32()]
  // Values without bytes would cost time and say nothing.
  if (bytes === 0) throw new RangeError('a datatype of 0 bytes')
  const parts = { content, version, flags, bytes, depth }
  switch (kind) {
    case CLASS.integer:
    case CLASS.bits:
      return plain(bytes, integerText(kind === CLASS.bits, parts))
    case CLASS.float:
      return plain(bytes, floatText(parts))
    case CLASS.time:
      return plain(bytes, `time ${bytes} ${flags} ${content.u16()}`)
    case CLASS.text:
      return plain(bytes, `string of ${bytes} bytes${textFlags(flags)}`)
    case CLASS.opaque:
      return plain(bytes, `opaque ${bytes} ${latin1Of(content.take(Math.ceil((flags & 0xff) / 8) * 8)).replace(/\0+$/, '')}`)
    case CLASS.compound:
      return compound(parts)
    case CLASS.reference:
      return { kind: (flags & 15) === 1 ? 'region' : 'object', bytes, text: (flags & 15) === 1 ? 'region reference' : 'object reference' }
    case CLASS.enumeration:
      return enumeration(parts)
    case CLASS.sequence: {
      const of = datatypeOf(content, depth + 1)
      if ((flags & 15) === 1) return { kind: 'text', bytes, text: `string${textFlags(flags >> 4)}` }
      return { kind: 'sequence', of, bytes, text: `sequence of ${of.text}` }
    }
    case CLASS.array:
      return array(parts)
    default:
      throw new RangeError(`unknown class ${kind} of a datatype`)
  }
}

interface Head {
  readonly content: Cursor
  readonly version: number
  readonly flags: number
  readonly bytes: number
  readonly depth: number
}

const plain = (bytes: number, text: string): Datatype => ({ kind: 'bytes', bytes, text })
const orderText = (flags: number, bytes: number) => (bytes > 1 && flags & 1 ? ' big-endian' : '')

function integerText(isBits: boolean, { content, flags, bytes }: Head): string {
  const [offset, precision] = [content.u16(), content.u16()]
  const name = isBits ? 'bitfield' : flags & 8 ? 'int' : 'uint'
  const part = offset === 0 && precision === 8 * bytes ? '' : ` ${precision} bits at ${offset}, padding ${(flags >> 1) & 3}`
  return `${name}${8 * bytes}${orderText(flags, bytes)}${part}`
}

function floatText({ content, flags, bytes }: Head): string {
  const properties = [2, 2, 1, 1, 1, 1, 4].map((length) => content.unsigned(length)).join(' ')
  // Bit 6 and bit 0 are the byte order. Bits 4 and 5 say that the first bit of the mantissa is implied, bits 8 to 15 where the sign is.
  const isIeee = IEEE.get(properties) === 8 * bytes && (flags & 0xff_fe) === (((8 * bytes - 1) << 8) | 0x20)
  return `float${8 * bytes}${orderText(flags, bytes)}${isIeee ? '' : ` ${properties} ${flags}`}`
}

/** Padding (zero bytes, spaces) and encoding of a text. */
const textFlags = (flags: number) =>
  `${['', ' padded with zeros', ' padded with spaces'][flags & 15] ?? ''}${(flags >> 4) & 15 ? ' in UTF-8' : ''}`

/** Reads a name, which versions 1 and 2 pad to a multiple of eight bytes. */
function nameIn(content: Cursor, version: number): string {
  const start = content.at
  const name = content.text()
  if (version < 3) content.skip(Math.ceil((content.at - start) / 8) * 8 - (content.at - start))
  return name
}

function compound({ content, version, flags, bytes, depth }: Head): Datatype {
  const members: { at: number; name: string; type: Datatype }[] = []
  for (let i = 0; i < (flags & MAX_MEMBERS); i++) {
    const name = nameIn(content, version)
    const at = content.unsigned(version < 3 ? 4 : bytesFor(bytes))
    const dimensions = version === 1 ? oldDimensions(content) : []
    const type = datatypeOf(content, depth + 1)
    members.push({ at, name, type: dimensions.length > 0 ? arrayOf(dimensions, type) : type })
  }
  members.sort((a, b) => a.at - b.at)
  const text = `compound of ${bytes} bytes {${members.map(({ at, name, type }) => `${name} at ${at}: ${type.text}`).join(', ')}}`
  const isPlain = members.every(({ type }) => type.kind === 'bytes')
  return isPlain ? plain(bytes, text) : { kind: 'compound', members, bytes, text }
}

/** Reads the dimensions of a member in version 1. */
function oldDimensions(content: Cursor): number[] {
  const rank = content.u8()
  content.skip(11)
  const dimensions = [content.u32(), content.u32(), content.u32(), content.u32()]
  return dimensions.slice(0, rank)
}

function enumeration({ content, version, flags, bytes, depth }: Head): Datatype {
  const base = datatypeOf(content, depth + 1)
  const names = Array.from({ length: flags & MAX_MEMBERS }, () => nameIn(content, version))
  const values = names.map((name) => `${hex(content.take(base.bytes))} ${name}`)
  return plain(bytes, `enumeration of ${base.text} {${values.sort().join(', ')}}`)
}

function array({ content, version, depth }: Head): Datatype {
  const rank = content.u8()
  if (version < 3) content.skip(3)
  const dimensions = Array.from({ length: rank }, () => content.u32())
  if (version < 3) content.skip(4 * rank)
  return arrayOf(dimensions, datatypeOf(content, depth + 1))
}

function arrayOf(dimensions: readonly number[], of: Datatype): Datatype {
  const count = dimensions.reduce((product, size) => product * size, 1)
  const text = `array (${dimensions.join(', ')}) of ${of.text}`
  return of.kind === 'bytes' ? plain(count * of.bytes, text) : { kind: 'array', count, of, bytes: count * of.bytes, text }
}
