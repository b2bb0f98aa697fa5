/** Walks through the elements of a data set in order (PS3.5, 7.1 and 7.5). */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import type { ByteStream } from '../byte-stream.ts'
import { digestOfStream } from '../digest.ts'
import { type ElementItems, tagName } from './items.ts'
import { type Coding, hasLongLength, IMPLICIT_LITTLE } from './start.ts'
import { swapped, valueText, wordBytesOf } from './values.ts'

const ITEM = 0xfffe_e000
const ITEM_END = 0xfffe_e00d
const SEQUENCE_END = 0xfffe_e0dd
const PIXEL_DATA = 0x7fe0_0010
/** Extended Offset Table and its lengths (PS3.3, C.7.6.3.1.8): where compressed frames are. */
const FRAME_OFFSETS = [0x7fe0_0001, 0x7fe0_0002]
const UNDEFINED_LENGTH = 0xffff_ffff
/** Bytes of the longest header of an element. */
const MAX_HEADER_BYTES = 12
/** Longest value that is read at once. Longer values are read in chunks. */
const MAX_SHORT_BYTES = 4096
const MAX_DEPTH = 64

export interface ElementHeader {
  readonly tag: number
  /** Value representation. `undefined`: the encoding does not name it. */
  readonly vr: string | undefined
  /** Bytes of the value. `undefined`: a delimiter ends it. */
  readonly length: number | undefined
}

/** Elements inside a sequence item, or the whole data set. */
interface Scope {
  readonly coding: Coding
  /** Position after the last element. `undefined`: a delimiter follows it, or the data ends there. */
  readonly end: number | undefined
  readonly path: string
  readonly depth: number
}

/** VRs of values that may be items although the file does not say so. */
const mayHoldItems = (vr: string | undefined) => vr === undefined || vr === 'UN' || vr === 'OB' || vr === 'OW'

export class DataSetWalker {
  readonly #stream: ByteStream
  readonly #items: ElementItems
  readonly #failed: (position: number) => Error

  /** @param failed error for data that cannot be read at a position of the stream */
  constructor(stream: ByteStream, items: ElementItems, failed: (position: number) => Error) {
    this.#stream = stream
    this.#items = items
    this.#failed = failed
  }

  /** Reads all elements to the end of the data. */
  async dataSet(coding: Coding): Promise<void> {
    await this.#elements({ coding, end: undefined, path: '', depth: 0 })
  }

  /** Reads the header of an element. `undefined`: the data ends here. */
  async header(coding: Coding): Promise<ElementHeader | undefined> {
    if (!this.#stream.has(MAX_HEADER_BYTES)) await this.#stream.fill(MAX_HEADER_BYTES)
    return this.#header(coding)
  }

  #header({ explicit, littleEndian }: Coding): ElementHeader | undefined {
    if (!this.#stream.has(1)) return undefined
    const head = new ByteReader(this.#stream.take(8), littleEndian)
    const tag = head.u16(0) * 0x1_0000 + head.u16(2)
    // Items and delimiters have no VR (PS3.5, 7.5).
    if (!explicit || tag >>> 16 === 0xfffe) return { tag, vr: undefined, length: lengthOf(head.u32(4)) }
    const vr = String.fromCharCode(head.u8(4), head.u8(5))
    if (!/^[A-Z][A-Z]$/.test(vr)) throw this.#failed(this.#stream.position)
    if (!hasLongLength(vr)) return { tag, vr, length: head.u16(6) }
    return { tag, vr, length: lengthOf(new ByteReader(this.#stream.take(4), littleEndian).u32(0)) }
  }

  /** Reads the value of an element and adds its items. `undefined`: they are added already. */
  value(header: ElementHeader, { coding, path, depth }: Omit<Scope, 'end'>): Promise<void> | undefined {
    const { tag, vr, length } = header
    const name = path + tagName(tag)
    if ((tag & 0xffff) === 0 && length !== undefined) {
      this.#items.groupLength(name)
      return this.#stream.skip(length)
    }
    if (depth === 0 && (tag === PIXEL_DATA || FRAME_OFFSETS.includes(tag)))
      return length === undefined ? this.#fragments(coding) : this.#stream.skip(length)
    if (length === undefined && (vr === 'OB' || vr === 'OW')) {
      this.#items.element(name, vr, 'compressed')
      return this.#fragments(coding)
    }
    // A value of unknown representation has implicit little-endian items (PS3.5, 6.2.2, note 2).
    if (vr === 'SQ' || length === undefined) return this.#sequence(header, name, { coding: vr === 'SQ' ? coding : IMPLICIT_LITTLE, depth })
    const wordBytes = coding.littleEndian || vr === undefined ? 1 : wordBytesOf(vr)
    if (length <= MAX_SHORT_BYTES && this.#stream.has(length) && !(mayHoldItems(vr) && startsWithItem(this.#stream.peek(8), length))) {
      this.#items.element(name, vr, valueText(swapped(this.#stream.take(length), wordBytes)))
      return undefined
    }
    return this.#otherValue(header, name, wordBytes, depth)
  }

  /** Reads a value that is long, that is not in memory yet, or that may have items. */
  async #otherValue(header: ElementHeader, name: string, wordBytes: number, depth: number): Promise<void> {
    const { vr, length = 0 } = header
    if (mayHoldItems(vr) && length >= 8) {
      await this.#stream.fill(8)
      if (startsWithItem(this.#stream.peek(8), length)) return this.#sequence(header, name, { coding: IMPLICIT_LITTLE, depth })
    }
    if (length <= MAX_SHORT_BYTES) {
      await this.#stream.fill(length)
      this.#items.element(name, vr, valueText(swapped(this.#stream.take(length), wordBytes)))
      return
    }
    const digest = await digestOfStream(littleEndianChunks(this.#stream.chunks(length), wordBytes))
    this.#items.element(name, vr, `${length} bytes #${digest}`)
  }

  async #elements(scope: Scope): Promise<void> {
    const { coding, end, depth } = scope
    if (depth > MAX_DEPTH) throw this.#failed(this.#stream.position)
    for (;;) {
      if (end !== undefined && this.#stream.position >= end) {
        if (this.#stream.position > end) throw this.#failed(end)
        return
      }
      if (!this.#stream.has(MAX_HEADER_BYTES)) await this.#stream.fill(MAX_HEADER_BYTES)
      const header = this.#header(coding)
      if (!header && depth === 0) return
      if (header?.tag === ITEM_END && depth > 0 && end === undefined) return
      if (!header || header.tag >>> 16 === 0xfffe) throw this.#failed(this.#stream.position)
      if (depth === 0) this.#items.beginElement(header.tag)
      const reading = this.value(header, scope)
      if (reading) await reading
    }
  }

  /** Reads the items of a sequence (PS3.5, 7.5). */
  async #sequence({ vr, length }: ElementHeader, name: string, { coding, depth }: { coding: Coding; depth: number }): Promise<void> {
    const end = length === undefined ? undefined : this.#stream.position + length
    let count = 0
    while (end === undefined || this.#stream.position < end) {
      const { tag, bytes } = await this.#itemHeader(coding)
      if (tag === SEQUENCE_END && end === undefined) break
      const itemEnd = bytes === UNDEFINED_LENGTH ? undefined : this.#stream.position + bytes
      if (tag !== ITEM || (end !== undefined && itemEnd !== undefined && itemEnd > end)) throw this.#failed(this.#stream.position)
      await this.#elements({ coding, end: itemEnd, path: `${name}[${count++}].`, depth: depth + 1 })
    }
    this.#items.element(name, vr, count === 0 ? valueText(new Uint8Array(0)) : `sequence of ${count}`)
  }

  /** Skips compressed pixels: an offset table and fragments (PS3.5, A.4). */
  async #fragments(coding: Coding): Promise<void> {
    for (;;) {
      const { tag, bytes } = await this.#itemHeader(coding)
      if (tag === SEQUENCE_END) return
      if (tag !== ITEM) throw this.#failed(this.#stream.position)
      await this.#stream.skip(bytes)
    }
  }

  async #itemHeader({ littleEndian }: Coding): Promise<{ tag: number; bytes: number }> {
    if (!this.#stream.has(8)) await this.#stream.fill(8)
    const head = new ByteReader(this.#stream.take(8), littleEndian)
    return { tag: head.u16(0) * 0x1_0000 + head.u16(2), bytes: head.u32(4) }
  }
}

const lengthOf = (stored: number): number | undefined => (stored === UNDEFINED_LENGTH ? undefined : stored)

/** True if a value of `length` bytes starts with a little-endian item that fits into it. */
function startsWithItem(head: Uint8Array, length: number): boolean {
  if (length < 8 || head.length < 8 || latin1Of(head.subarray(0, 4)) !== '\xfe\xff\x00\xe0') return false
  const bytes = new ByteReader(head, true).u32(4)
  return bytes === UNDEFINED_LENGTH || bytes <= length - 8
}

async function* littleEndianChunks(chunks: AsyncIterable<Uint8Array>, wordBytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield swapped(chunk, wordBytes)
}
