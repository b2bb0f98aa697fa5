/**
 * Cache for the first bytes of all objects of a file, filled by one sequential pass. Whittle walks the object graph several times in an
 * order that differs from the file. Without this cache each step would be a read.
 */

import { latin1Bytes } from '../../bytes/latin1.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import { MAX_HEAD_INDEX_BYTES, MIN_INDEXED_FILE_BYTES } from './tuning.ts'
import { AT_OFFSET, IN_STREAM, type Xref } from './xref.ts'

const MAX_OBJECTS = 400_000
/** Maximum number of cached bytes of one object. Streams are cut where their data begins, except object streams. */
const HEAD_BYTES = 1024
const OBJECT_STREAM_BYTES = 64 * 1024
/** Maximum length of the keyword "stream" with CR, LF and extra spaces, in bytes. */
const KEYWORD_BYTES = 6 + 10
const STEP_BYTES = 1024 * 1024
const STREAM = latin1Bytes('stream')

/** Random access to the bytes of the file. */
interface Bytes {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
  release(bytes: Uint8Array): void
}

interface Head {
  readonly bytes: Uint8Array
  /** File offset of the first cached byte. */
  readonly offset: number
}

export class ObjectHeadIndex {
  /** Sorted file offsets of the objects. */
  readonly #offsets: Float64Array
  /** Number of cached bytes of each object (`#lengths`), and their offset in `#bytes` (`#positions`). */
  readonly #lengths: Uint32Array
  readonly #positions: Uint32Array
  readonly #bytes: Uint8Array

  private constructor(offsets: Float64Array, lengths: Uint32Array, places: Uint32Array, bytes: Uint8Array) {
    this.#offsets = offsets
    this.#lengths = lengths
    this.#positions = places
    this.#bytes = bytes
  }

  /**
   * Reads the file once and caches the first bytes of every object. `undefined`: the file is too small to benefit, or its objects exceed
   * the memory limit.
   */
  static async build(ranges: Bytes, xref: Xref, signal?: AbortSignal): Promise<ObjectHeadIndex | undefined> {
    if (ranges.size < MIN_INDEXED_FILE_BYTES || xref.size > MAX_OBJECTS) return undefined
    const { offsets, objectStreamOffsets } = objectsOf(xref, ranges.size)
    const [lengths, places] = [new Uint32Array(offsets.length), new Uint32Array(offsets.length)]
    let bytes = new Uint8Array(64 * 1024)
    let used = 0
    for (let i = 0; i < offsets.length; ) {
      signal?.throwIfAborted()
      const start = offsets[i]!
      const read = await ranges.read(start, STEP_BYTES)
      const last = start + read.length >= ranges.size
      for (const first = i; i < offsets.length; i++) {
        const from = offsets[i]! - start
        const limit = Math.min(
          (offsets[i + 1] ?? ranges.size) - offsets[i]!,
          objectStreamOffsets.has(offsets[i]!) ? OBJECT_STREAM_BYTES : HEAD_BYTES,
        )
        if (from + limit > read.length && !last && i > first) break
        const head = read.subarray(from, from + limit)
        const keyword = objectStreamOffsets.has(offsets[i]!) ? -1 : indexOfBytes(head, STREAM)
        const length = keyword < 0 ? head.length : Math.min(head.length, keyword + KEYWORD_BYTES)
        if (used + length > MAX_HEAD_INDEX_BYTES) return undefined
        if (used + length > bytes.length) bytes = grown(bytes, used + length)
        bytes.set(head.subarray(0, length), used)
        lengths[i] = length
        places[i] = used
        used += length
      }
      ranges.release(read)
    }
    return new ObjectHeadIndex(offsets, lengths, places, bytes)
  }

  /** Cached bytes of the object that begins at `offset`. `undefined`: no object begins there. */
  at(offset: number): Uint8Array | undefined {
    const head = this.#lastHeadBefore(offset)
    return head?.offset === offset ? head.bytes : undefined
  }

  /** Returns bytes `offset … offset + length` if all of them are cached; otherwise `undefined`. */
  read(offset: number, length: number): Uint8Array | undefined {
    const head = this.#lastHeadBefore(offset)
    const from = head ? offset - head.offset : 0
    return head && from + length <= head.bytes.length ? head.bytes.subarray(from, from + length) : undefined
  }

  /** Cached bytes of the last object that begins at or before `offset`. */
  #lastHeadBefore(offset: number): Head | undefined {
    let [low, high] = [0, this.#offsets.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#offsets[middle]! <= offset) low = middle + 1
      else high = middle
    }
    if (low === 0) return undefined
    const place = this.#positions[low - 1]!
    return { offset: this.#offsets[low - 1]!, bytes: this.#bytes.subarray(place, place + this.#lengths[low - 1]!) }
  }
}

/** Returns the sorted, distinct offsets of all objects, and the offsets of those that are object streams (`objectStreamOffsets`). */
function objectsOf(xref: Xref, size: number): { offsets: Float64Array; objectStreamOffsets: ReadonlySet<number> } {
  const all = new Float64Array(xref.size)
  const objectStreamOffsets = new Set<number>()
  let count = 0
  for (let number = 0; number < xref.size; number++) {
    const [kind, place] = [xref.kind(number), xref.place(number)]
    if (kind === AT_OFFSET && place >= 0 && place < size) all[count++] = place
    if (kind === IN_STREAM && xref.kind(place) === AT_OFFSET) objectStreamOffsets.add(xref.place(place))
  }
  return {
    offsets: all
      .subarray(0, count)
      .sort()
      .filter((offset, i, sorted) => offset !== sorted[i - 1]),
    objectStreamOffsets,
  }
}

function grown(bytes: Uint8Array<ArrayBuffer>, minBytes: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(MAX_HEAD_INDEX_BYTES, Math.max(minBytes, bytes.length * 2)))
  larger.set(bytes)
  return larger
}

/** Number of possible object numbers. A sort key combines 23 bits of object number with 30 bits of file offset in one double. */
const OBJECT_NUMBER_RANGE = 2 ** 23

/** Sorts object numbers by their position in the file. An object in an object stream has the position of that stream. */
export function sortByFilePosition(xref: Xref, numbers: { readonly length: number } & Iterable<number>): Uint32Array<ArrayBuffer> {
  const keys = new Float64Array(numbers.length)
  let count = 0
  for (const number of numbers) {
    const place = xref.kind(number) === IN_STREAM ? xref.place(xref.place(number)) : xref.place(number)
    keys[count++] = place * OBJECT_NUMBER_RANGE + number
  }
  return Uint32Array.from(keys.subarray(0, count).sort(), (key) => key % OBJECT_NUMBER_RANGE)
}
