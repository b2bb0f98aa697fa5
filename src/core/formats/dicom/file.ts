/** Reads a DICOM file in parts (PS3.10, 7.1): preamble, file meta information, and the data set before and after the pixel data. */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, noGain, overBudget, unsupported } from '../../model/error.ts'
import { type Element, ElementReader, type Encoding, EXPLICIT_LITTLE, PIXEL_DATA, WindowTooShort } from './elements.ts'
import { explicitHeader, isGroupLength, toExplicit } from './to-explicit.ts'
import { FIRST_WINDOW_BYTES, MAX_AROUND_BYTES, MAX_META_BYTES } from './tuning.ts'

export const SYNTAX = {
  implicitLittle: '1.2.840.10008.1.2',
  explicitLittle: '1.2.840.10008.1.2.1',
  explicitBig: '1.2.840.10008.1.2.2',
  deflated: '1.2.840.10008.1.2.1.99',
  jpegLsLossless: '1.2.840.10008.1.2.4.80',
} as const

const NATIVE: { readonly [syntax: string]: Encoding } = {
  [SYNTAX.implicitLittle]: { explicit: false, littleEndian: true },
  [SYNTAX.explicitLittle]: EXPLICIT_LITTLE,
  [SYNTAX.explicitBig]: { explicit: true, littleEndian: false },
}

const META_AT = 132

const TRANSFER_SYNTAX = 0x0002_0010
const PIXEL_GROUP_LENGTH = 0x7fe0_0000
/**
 * Tags of digital signatures: MAC parameters, signatures, and original attributes (a log of changes). Any change of the file would
 * invalidate them.
 */
const SIGNATURES = [0x4ffe_0001, 0xfffa_fffa, 0x0400_0561]
export const isSignature = (tag: number): boolean => SIGNATURES.includes(tag)

export interface DicomFile {
  readonly encoding: Encoding
  /** Preamble, "DICM" and group 0002 with another transfer syntax. */
  start(syntax: string): Uint8Array
  /** Elements before the pixel data, as explicit little endian. Without pixel data: all elements. */
  readonly before: Uint8Array
  readonly pixels: { readonly at: number; readonly bytes: number; readonly vr: string } | undefined
  /** Elements after the pixel data, as explicit little endian. */
  readonly after: Uint8Array
  readonly signed: boolean
  /** Bytes of the source file before and after the pixel data, in their original encoding. */
  readonly stored: readonly [before: Uint8Array, after: Uint8Array]
  /** First value of a top-level element before the pixel data: `number` reads a US, `text` any other VR. `undefined`: missing. */
  number(tag: number): number | undefined
  text(tag: number): string | undefined
  /** Offset of a top-level element's value in `before`. `undefined`: missing. */
  valueAt(tag: number): number | undefined
  /** Offset of Pixel Data's group length in `before`. `undefined`: the file has none. */
  readonly pixelGroupLengthAt: number | undefined
  /** Bytes of the elements after Pixel Data that belong to its group. */
  readonly restOfPixelGroup: number
}

/** Returns `before` with the group length for a Pixel Data element of `bytes` bytes, header included. */
export function beforePixels(dicom: DicomFile, bytes: number): Uint8Array {
  const at = dicom.pixelGroupLengthAt
  if (at === undefined) return dicom.before
  const before = dicom.before.slice()
  new ByteWriter(before.subarray(at), true).u32(bytes + dicom.restOfPixelGroup)
  return before
}

/**
 * Reads a file, except for the pixel data. @throws CodecError (malformed, unsupported_feature, over_budget), CodecError (no_gain) for
 * compressed transfer syntaxes
 */
export async function readDicom(source: Source): Promise<DicomFile> {
  let window = await source.read(0, FIRST_WINDOW_BYTES)
  for (;;) {
    try {
      return await read(source, window)
    } catch (error) {
      if (!(error instanceof WindowTooShort)) throw error
      const needed = Math.min(source.size, Math.max(error.needed, window.length * 2))
      if (error.needed > MAX_AROUND_BYTES) throw overBudget(message('bytes_besides_pixel_data', { needed: error.needed }))
      window = await source.read(0, Math.min(needed, MAX_AROUND_BYTES))
    }
  }
}

async function read(source: Source, window: Uint8Array): Promise<DicomFile> {
  if (latin1Of(window.subarray(128, META_AT)) !== 'DICM') throw unsupported('no_preamble')
  const meta = readMeta(new ElementReader(window, EXPLICIT_LITTLE, source.size))
  const encoding = NATIVE[meta.syntax]
  if (!encoding) throw noGain(message('compressed_already_transfer_syntax', { syntax: meta.syntax }))

  const reader = new ElementReader(window, encoding, source.size)
  const { elements, pixels, end } = readToPixels(reader, meta.end, source.size)
  const signed = reader.signed
  const tail = await readTail(source, pixels ? pixels.end : end)
  const tags = [...elements.map(({ tag }) => tag), ...tagsOf(tail, encoding, signed)]
  const head = window.slice(meta.end, end)
  const before = converted(head, encoding)
  const after = converted(tail, encoding, signed)
  return {
    encoding,
    start: meta.start,
    before,
    pixels: pixels && { at: pixels.valueAt, bytes: pixels.end - pixels.valueAt, vr: pixels.vr },
    after,
    signed: tags.some(isSignature),
    stored: [head, tail],
    ...lookUp(before),
    restOfPixelGroup: pixelGroupOf(after),
  }
}

/** Reads elements from `start` to the pixel data, or to the end of the file. */
function readToPixels(reader: ElementReader, start: number, size: number) {
  const elements: Element[] = []
  let end = start
  while (end < size) {
    const element = reader.element(end)
    if (element.tag === PIXEL_DATA) return { elements, pixels: element, end }
    if (element.tag >>> 16 === 4) throw unsupported('directory_points_at_own_bytes')
    elements.push(element)
    end = element.end
  }
  return { elements, pixels: undefined, end }
}

async function readTail(source: Source, at: number): Promise<Uint8Array> {
  const bytes = source.size - at
  if (bytes > MAX_AROUND_BYTES) throw overBudget(message('bytes_behind_pixel_data', { bytes }))
  return source.read(at, bytes)
}

/** Tags of the top-level DICOM elements after the pixel data. */
function tagsOf(tail: Uint8Array, encoding: Encoding, signed: boolean): number[] {
  const reader = new ElementReader(tail, encoding)
  reader.signed = signed
  const tags: number[] = []
  for (let at = 0; at < tail.length; ) {
    const element = reader.element(at, 1)
    tags.push(element.tag)
    at = element.end
  }
  return tags
}

/** Looks up values by tag in an explicit little-endian data set. Uses the first element with a tag. */
function lookUp(bytes: Uint8Array): Pick<DicomFile, 'number' | 'text' | 'valueAt' | 'pixelGroupLengthAt'> {
  const reader = new ElementReader(bytes, EXPLICIT_LITTLE)
  const values = new Map<number, Element>()
  for (let at = 0; at < bytes.length; ) {
    const element = reader.element(at, 1)
    if (!values.has(element.tag)) values.set(element.tag, element)
    at = element.end
  }
  const pixelGroupLength = values.get(PIXEL_GROUP_LENGTH)
  return {
    pixelGroupLengthAt: pixelGroupLength && isGroupLength(pixelGroupLength) ? pixelGroupLength.valueAt : undefined,
    number(tag) {
      const element = values.get(tag)
      return element && element.vr === 'US' && element.end - element.valueAt >= 2 ? reader.uint16(element.valueAt) : undefined
    },
    text(tag) {
      const element = values.get(tag)
      if (!element) return undefined
      const text = new TextDecoder('latin1').decode(bytes.subarray(element.valueAt, element.end))
      return text.replace(/[\0 ]+$/, '').trim()
    },
    valueAt: (tag) => values.get(tag)?.valueAt,
  }
}

/** Bytes at the start of `after` that belong to the group of Pixel Data. */
function pixelGroupOf(after: Uint8Array): number {
  const reader = new ElementReader(after, EXPLICIT_LITTLE)
  let at = 0
  while (at < after.length && reader.tag(at) >>> 16 === PIXEL_DATA >>> 16) at = reader.element(at, 1).end
  return at
}

/** Converts the elements before or after the pixel data to explicit little endian. */
function converted(bytes: Uint8Array, encoding: Encoding, signed = false): Uint8Array {
  if (encoding.explicit && encoding.littleEndian) return bytes
  const reader = new ElementReader(bytes, encoding)
  reader.signed = signed
  return toExplicit(reader, 0, bytes.length)
}

/** Reads group 0002, which is always explicit little endian (PS3.10, 7.1). */
export function readMeta(reader: ElementReader) {
  const kept: { tag: number; bytes: Uint8Array }[] = []
  let syntax: string | undefined
  let at = META_AT
  while (at + 8 <= reader.bytes.length && reader.uint16(at) === 2) {
    const element = reader.element(at, 1)
    const value = reader.bytes.subarray(element.valueAt, element.end)
    if (element.tag === TRANSFER_SYNTAX) syntax = latin1Of(value.subarray(0, 64)).replace(/[\0 ]+$/, '')
    if ((element.tag & 0xffff) !== 0) kept.push({ tag: element.tag, bytes: reader.bytes.slice(at, element.end) })
    at = element.end
    if (at > MAX_META_BYTES) throw unsupported('meta_information_too_long')
  }
  if (syntax === undefined) throw malformed('dicom', at, 'no_transfer_syntax')
  const preamble = reader.bytes.slice(0, META_AT)
  const start = (newSyntax: string) => {
    const uid = new TextEncoder().encode(newSyntax.length % 2 ? `${newSyntax}\0` : newSyntax)
    const elements = concat(
      kept.flatMap(({ tag, bytes }) => (tag === TRANSFER_SYNTAX ? [explicitHeader(tag, 'UI', uid.length), uid] : [bytes])),
    )
    const length = new ByteWriter(new Uint8Array(4), true).u32(elements.length).finish()
    return concat([preamble, explicitHeader(0x0002_0000, 'UL', 4), length, elements])
  }
  return { syntax, end: at, start }
}
