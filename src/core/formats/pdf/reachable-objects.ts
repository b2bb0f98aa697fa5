/** Finds all objects that can be reached from the trailer, the pages of the document, and signatures. */

import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import { overBudget } from '../../model/error.ts'
import { sortByFilePosition } from './object-head-index.ts'
import { Dict, nameOf, type PdfObject, Ref, Stream } from './objects.ts'
import type { Reader } from './reader.ts'
import { AT_OFFSET, IN_STREAM } from './xref.ts'

/** Growable list of object numbers. */
export class ObjectNumberList {
  length = 0
  private items = new Uint32Array(1024)
  static of(items: Uint32Array<ArrayBuffer>): ObjectNumberList {
    const numbers = new ObjectNumberList()
    numbers.items = items
    numbers.length = items.length
    return numbers
  }
  push(number: number): void {
    if (this.length === this.items.length) {
      const larger = new Uint32Array(Math.max(1024, this.length * 2))
      larger.set(this.items)
      this.items = larger
    }
    this.items[this.length++] = number
  }
  pop(): number | undefined {
    return this.length > 0 ? this.items[--this.length] : undefined
  }
  /** Copies the object numbers from `index` to the end. */
  from(index: number): Uint32Array {
    return this.items.slice(index, this.length)
  }
  *[Symbol.iterator](): Generator<number> {
    for (let i = 0; i < this.length; i++) yield this.items[i]!
  }
}

export interface ReachableObjects {
  /** One byte per object number: 1 if the object is reachable. */
  used: Uint8Array
  /** Object numbers in traversal order; for large files in file order. */
  objects: ObjectNumberList
  streams: ObjectNumberList
  /** True if a signature field is signed, so rewriting the file would break the signature. */
  signed: boolean
  /** Number of references to objects that are missing or unreadable. */
  dangling: number
  /** Total size of all reachable streams in bytes. */
  streamBytes: number
}

/** Trailer keys from which all objects are reached (ISO 32000-2, 7.5.5, table 15). /Encrypt is handled before. */
export const TRAILER_KEYS = ['Root', 'Info', 'ID'] as const

type Keep = (dict: Dict, key: string) => boolean

/**
 * Finds all reachable objects. `keep` decides whether an entry is followed. If the reader repairs the cross-reference table during the
 * walk, the walk starts again; this happens at most once.
 */
export async function findReachableObjects(reader: Reader, keep: Keep, signal: AbortSignal): Promise<ReachableObjects> {
  for (;;) {
    const found = await walk(reader, keep, signal)
    if (found) return found
  }
}

/** Walks the object graph once. `undefined`: the cross-reference table was repaired and now has more objects. */
async function walk(reader: Reader, keep: Keep, signal: AbortSignal): Promise<ReachableObjects | undefined> {
  const used = new Uint8Array(reader.xref.size)
  const result: ReachableObjects = {
    used,
    objects: new ObjectNumberList(),
    streams: new ObjectNumberList(),
    signed: false,
    dangling: 0,
    streamBytes: 0,
  }
  const stack = new ObjectNumberList()
  const visitValue = (object: PdfObject | undefined): void => {
    if (object instanceof Ref) {
      const { number } = object
      const kind = reader.xref.kind(number)
      if ((kind !== AT_OFFSET && kind !== IN_STREAM) || reader.replaced.get(number) === null) result.dangling++
      else if (used[number] === 0) {
        used[number] = 1
        stack.push(number)
      }
    } else if (Array.isArray(object)) {
      for (const item of object) if (typeof item === 'object') visitValue(item)
    } else if (object instanceof Dict) {
      if (object.has('ByteRange')) result.signed = true
      for (const [key, item] of object) if (typeof item === 'object' && keep(object, key)) visitValue(item)
    }
  }
  for (const key of TRAILER_KEYS) visitValue(reader.trailer.get(key))
  for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
    if (result.objects.length % 4096 === 0) signal.throwIfAborted()
    const object = await reader.get(number)
    // A repair keeps object numbers but may find objects that the cross-reference table did not list.
    if (reader.xref.size > used.length) return undefined
    result.objects.push(number)
    if (object === null) result.dangling++
    if (object instanceof Stream) {
      result.streams.push(number)
      for (const [key, item] of object.dict) if (key !== 'Length' && typeof item === 'object' && keep(object.dict, key)) visitValue(item)
    } else visitValue(object)
  }
  const ordered = reader.readsInFileOrder ? inOrder(reader, result) : result
  return withStreamSizes(reader, ordered, signal)
}

const inOrder = ({ xref }: Reader, found: ReachableObjects): ReachableObjects => ({
  ...found,
  objects: ObjectNumberList.of(sortByFilePosition(xref, found.objects)),
  streams: ObjectNumberList.of(sortByFilePosition(xref, found.streams)),
})

/** Adds up the sizes of all reachable streams. `undefined`: the cross-reference table was repaired and now has more objects. */
async function withStreamSizes(reader: Reader, found: ReachableObjects, signal: AbortSignal): Promise<ReachableObjects | undefined> {
  for (const number of found.streams) {
    signal.throwIfAborted()
    const stream = await reader.get(number)
    if (stream instanceof Stream) found.streamBytes += await reader.length(stream)
  }
  return reader.xref.size > found.used.length ? undefined : found
}

export interface PageTree {
  /** Object numbers of the page tree leaves (ISO 32000-2, 7.7.3) in page order. */
  leaves: ObjectNumberList
  /** Page count that the root of the page tree declares; −1 if missing. */
  stated: number
}

/** Walks the page tree and visits each node once, even if several parents list it. */
export async function walkPages(reader: Reader, root: Dict): Promise<PageTree> {
  const leaves = new ObjectNumberList()
  const visited = new Uint8Array(reader.xref.size)
  const top = root.get('Pages')
  const stated = await reader.number(await reader.dict(top), 'Count', -1)
  const stack: PdfObject[] = top === undefined ? [] : [top]
  let steps = 0
  while (stack.length > 0) {
    const node = stack.pop()
    if (node instanceof Ref) {
      if (visited[node.number] !== 0) continue
      visited[node.number] = 1
    }
    if (++steps > 4_000_000) throw overBudget('page_tree_of_millions_of_nodes')
    const dict = await reader.resolve(node)
    if (!(dict instanceof Dict)) continue
    const kids = await reader.resolve(dict.get('Kids'))
    if (Array.isArray(kids) && nameOf(dict.get('Type')) !== 'Page') for (let i = kids.length - 1; i >= 0; i--) stack.push(kids[i]!)
    else if (node instanceof Ref) leaves.push(node.number)
  }
  return { leaves, stated }
}

/** Number of page objects in the cross-reference table. If it exceeds the page count of the tree, the tree has lost pages. */
export async function countPageObjects(reader: Reader): Promise<number> {
  let count = 0
  for (let number = 0; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (object instanceof Dict && nameOf(await reader.entry(object, 'Type')) === 'Page') count++
  }
  return count
}

const SIGNATURE = latin1Bytes('/ByteRange')
const SCAN_BYTES = 1024 * 1024

/** True if a signature occurs anywhere in the file, also in unused objects: an earlier revision may be signed. */
export async function hasSignatureBytes(reader: Reader, signal: AbortSignal): Promise<boolean> {
  return !(await signatureOffsets(reader, signal).next()).done
}

/** Yields the file offset of every /ByteRange array, the byte ranges that a signature covers. Some offsets may occur twice. */
export async function* signatureOffsets(reader: Reader, signal: AbortSignal): AsyncGenerator<number> {
  for (let at = 0; at < reader.ranges.size; at += SCAN_BYTES - 32) {
    signal.throwIfAborted()
    const bytes = await reader.ranges.read(at, SCAN_BYTES)
    for (let i = indexOfBytes(bytes, SIGNATURE); i >= 0; i = indexOfBytes(bytes, SIGNATURE, i + 1)) {
      if (/^\s*\[/.test(latin1Of(bytes.subarray(i + SIGNATURE.length, i + SIGNATURE.length + 20)))) yield at + i
    }
    reader.ranges.release(bytes)
  }
}
