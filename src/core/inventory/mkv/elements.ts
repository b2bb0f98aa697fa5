/** Elements of Matroska files (RFC 8794, sections 4 to 6), read by ranges. */
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import { digestOf } from '../digest.ts'
import type { FileView } from '../file-view.ts'
import { digestOfRange } from '../media/digests.ts'
import { textOf } from '../media/numbers.ts'

export interface Element {
  readonly id: number
  readonly at: number
  readonly body: number
  readonly end: number
  /** True if the header does not tell where the element ends. `end` is then the end of its parent. */
  readonly isOpen: boolean
}

/** Elements that fill space, and checksums. */
const FILLING = [0xec, 0xbf]
/** Most elements of a file, without the children of clusters. */
const MAX_ELEMENTS = 1_000_000
const MAX_TEXT_BYTES = 64 * 1024

/** Bytes of a number whose length is told by the zeros in front of its first bit. */
const widthOf = (first: number) => Math.clz32(first) - 23

export class Elements {
  readonly view: FileView
  #count = 0

  constructor(view: FileView) {
    this.view = view
  }

  /** Reads the header at `at`. @throws CodecError (malformed) if it is not valid, or the element ends behind `end` */
  async read(at: number, end: number): Promise<Element> {
    const head = await this.view.bytesUpTo(at, 12)
    const idBytes = widthOf(head[0] ?? 0)
    const sizeBytes = widthOf(head[idBytes] ?? 0)
    if (idBytes > 4 || sizeBytes > 8 || at + idBytes + sizeBytes > end) throw this.view.malformed(at)
    let id = 0
    for (const byte of head.subarray(0, idBytes)) id = id * 256 + byte
    let size = head[idBytes]! - (1 << (8 - sizeBytes))
    for (const byte of head.subarray(idBytes + 1, idBytes + sizeBytes)) size = size * 256 + byte
    const isOpen = size >= 2 ** (7 * sizeBytes) - 1
    const body = at + idBytes + sizeBytes
    if (!isOpen && body + size > end) throw this.view.malformed(at)
    return { id, at, body, end: isOpen ? end : body + size, isOpen }
  }

  /** Yields the children of an element, without those that fill space. */
  async *children({ body, end }: Pick<Element, 'body' | 'end'>): AsyncGenerator<Element> {
    for (let at = body; at < end; ) {
      if (++this.#count > MAX_ELEMENTS) throw overBudget(message('inventory_too_large', { items: MAX_ELEMENTS }))
      const child = await this.read(at, end)
      if (child.isOpen) throw this.view.malformed(at)
      if (!FILLING.includes(child.id)) yield child
      at = child.end
    }
  }

  async text({ body, end }: Element): Promise<string> {
    return textOf(await this.view.bytes(body, Math.min(end - body, MAX_TEXT_BYTES)))
  }

  /** Unsigned number, rounded above 2^53. */
  async number({ body, end }: Element): Promise<number> {
    let value = 0
    for (const byte of await this.view.bytes(body, Math.min(8, end - body))) value = value * 256 + byte
    return value
  }

  /** Number with a fraction, of 4 or 8 bytes. */
  async fraction({ body, end }: Element): Promise<number> {
    const bytes = (await this.view.bytes(body, Math.min(8, end - body))).slice()
    const data = new DataView(bytes.buffer)
    return bytes.length === 8 ? data.getFloat64(0) : bytes.length === 4 ? data.getFloat32(0) : 0
  }

  /**
   * Digest of an element, independent of the way in which sizes are stored. `parents`: identifiers of elements with children. `without`:
   * child of the element that does not count; default: all count.
   */
  async digest(element: Element, parents: ReadonlySet<number>, depth = 0, without = 0): Promise<string> {
    if (!parents.has(element.id) || depth > MAX_DEPTH) return await digestOfRange(this.view, element.body, element.end - element.body)
    const parts: string[] = []
    for await (const child of this.children(element))
      if (child.id !== without) parts.push(`${child.id} ${await this.digest(child, parents, depth + 1)}`)
    return `#${digestOf(new TextEncoder().encode(parts.join('\n')))}`
  }
}

const MAX_DEPTH = 32
