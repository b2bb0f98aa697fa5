/** Walks through the elements of a data set in order (PS3.5, 7.1 and 7.5). */

import { latin1Of } from '../../bytes/latin1.ts'
import type { ByteReader } from '../../bytes/reader.ts'
import { type ByteStream, chunksOf, take, takeNumbers } from '../byte-stream.ts'
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

const isSequence = (vr: string | undefined) => vr === 'SQ'
/** VRs of values that may be items although the file does not say so. */
const mayHoldItems = (vr: string | undefined) => vr === undefined || vr === 'UN' || vr === 'OB' || vr === 'OW'
const tagAt = (reader: ByteReader, at: number) => reader.u16(at) * 0x1_0000 + reader.u16(at + 2)

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
  async header({ explicit, littleEndian }: Coding): Promise<ElementHeader | undefined> {
    if ((await this.#stream.peek(1)).length === 0) return undefined
    const head = await this.#numbers(8, littleEndian)
    const tag = tagAt(head, 0)
    // Items and delimiters have no VR (PS3.5, 7.5).
    if (!explicit || tag >>> 16 === 0xfffe) return { tag, vr: undefined, length: lengthOf(head.u32(4)) }
    const vr = latin1Of(head.bytes.subarray(4, 6))
    if (!/^[A-Z][A-Z]$/.test(vr)) throw this.#failed(this.#stream.position)
    const length = hasLongLength(vr) ? (await this.#numbers(4, littleEndian)).u32(0) : head.u16(6)
    return { tag, vr, length: hasLongLength(vr) ? lengthOf(length) : length }
  }

  /** Reads the value of an element and adds its items. */
  async value(header: ElementHeader, { coding, path, depth }: Omit<Scope, 'end'>): Promise<void> {
    const { tag, vr, length } = header
    const name = path + tagName(tag)
    if ((tag & 0xffff) === 0 && length !== undefined) {
      await this.#skip(length)
      this.#items.groupLength(name)
    } else if (depth === 0 && (tag === PIXEL_DATA || FRAME_OFFSETS.includes(tag))) {
      if (length === undefined) await this.#fragments(coding)
      else await this.#skip(length)
    } else if (length === undefined && (vr === 'OB' || vr === 'OW')) {
      this.#items.element(name, vr, `${await this.#fragments(coding)} fragments`)
    } else if (isSequence(vr) || length === undefined || (mayHoldItems(vr) && (await this.#startsWithItem(length)))) {
      // A value of unknown representation has implicit little-endian items (PS3.5, 6.2.2, note 2).
      await this.#sequence({ name, vr, length }, { coding: isSequence(vr) ? coding : IMPLICIT_LITTLE, depth })
    } else {
      this.#items.element(name, vr, await this.#text(length, coding.littleEndian || vr === undefined ? 1 : wordBytesOf(vr)))
    }
  }

  async #elements(scope: Scope): Promise<void> {
    if (scope.depth > MAX_DEPTH) throw this.#failed(this.#stream.position)
    for (;;) {
      if (scope.end !== undefined && this.#stream.position >= scope.end) {
        if (this.#stream.position > scope.end) throw this.#failed(scope.end)
        return
      }
      const header = await this.header(scope.coding)
      if (!header && scope.depth === 0) return
      if (header?.tag === ITEM_END && scope.depth > 0 && scope.end === undefined) return
      if (!header || header.tag >>> 16 === 0xfffe) throw this.#failed(this.#stream.position)
      await this.value(header, scope)
      if (scope.depth === 0) this.#items.endOfElement(header.tag)
    }
  }

  /** Reads the items of a sequence (PS3.5, 7.5). */
  async #sequence(
    { name, vr, length }: { name: string; vr: string | undefined; length: number | undefined },
    { coding, depth }: { coding: Coding; depth: number },
  ): Promise<void> {
    const end = length === undefined ? undefined : this.#stream.position + length
    let count = 0
    while (end === undefined || this.#stream.position < end) {
      const head = await this.#numbers(8, coding.littleEndian)
      const tag = tagAt(head, 0)
      if (tag === SEQUENCE_END && end === undefined) break
      const bytes = lengthOf(head.u32(4))
      const itemEnd = bytes === undefined ? undefined : this.#stream.position + bytes
      if (tag !== ITEM || (end !== undefined && itemEnd !== undefined && itemEnd > end)) throw this.#failed(this.#stream.position)
      await this.#elements({ coding, end: itemEnd, path: `${name}[${count++}].`, depth: depth + 1 })
    }
    this.#items.element(name, vr, count === 0 ? valueText(new Uint8Array(0)) : `sequence of ${count}`)
  }

  /** Skips compressed pixels (PS3.5, A.4). Returns the number of fragments, the offset table included. */
  async #fragments({ littleEndian }: Coding): Promise<number> {
    for (let count = 0; ; count++) {
      const head = await this.#numbers(8, littleEndian)
      if (tagAt(head, 0) === SEQUENCE_END) return count
      if (tagAt(head, 0) !== ITEM) throw this.#failed(this.#stream.position)
      await this.#skip(head.u32(4))
    }
  }

  async #startsWithItem(length: number): Promise<boolean> {
    if (length < 8) return false
    const head = await this.#stream.peek(8)
    if (head.length < 8 || head[0] !== 0xfe || head[1] !== 0xff || head[2] !== 0 || head[3] !== 0xe0) return false
    const bytes = head[4]! + head[5]! * 0x100 + head[6]! * 0x1_0000 + head[7]! * 0x100_0000
    return bytes === UNDEFINED_LENGTH || bytes <= length - 8
  }

  async #text(length: number, wordBytes: number): Promise<string> {
    if (length <= MAX_SHORT_BYTES) {
      const bytes = await take(this.#stream, length)
      if (!bytes) throw this.#failed(this.#stream.position)
      return valueText(wordBytes === 1 ? bytes : swapped(bytes, wordBytes))
    }
    const end = this.#stream.position + length
    const digest = await digestOfStream(littleEndianChunks(chunksOf(this.#stream, length), wordBytes))
    if (this.#stream.position !== end) throw this.#failed(this.#stream.position)
    return `${length} bytes #${digest}`
  }

  async #numbers(length: number, littleEndian: boolean): Promise<ByteReader> {
    const reader = await takeNumbers(this.#stream, length, littleEndian)
    if (!reader) throw this.#failed(this.#stream.position)
    return reader
  }

  async #skip(length: number): Promise<void> {
    await this.#stream.skip(length)
  }
}

const lengthOf = (stored: number): number | undefined => (stored === UNDEFINED_LENGTH ? undefined : stored)

async function* littleEndianChunks(chunks: AsyncIterable<Uint8Array>, wordBytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield wordBytes === 1 ? chunk : swapped(chunk, wordBytes)
}
