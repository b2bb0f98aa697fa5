/** Places of objects by number, from cross-reference sections. It takes 8 bytes per object, in chunks that are allocated on demand. */

const CHUNK_ENTRIES = 4096
/** Largest object number that PDF processors support (ISO 32000-1, annex C.2). Objects with larger numbers do not exist. */
const MAX_NUMBER = 8_388_607
/** Entries are `place * KINDS + kind`. An entry of 0 is absent. */
const KINDS = 4
const IN_FILE = 1
const IN_STREAM = 2
const FREE = 3

/** Place of an object: a file offset, or the number of the object stream that holds it. */
export type Place = { readonly kind: 'file'; readonly at: number } | { readonly kind: 'stream'; readonly stream: number }

export class XrefTable {
  /** Largest object number plus one. */
  size = 0
  readonly #chunks: (Float64Array | undefined)[] = []

  /** Place of an object. `undefined`: there is no such object. */
  place(number: number): Place | undefined {
    const entry = this.#chunks[Math.floor(number / CHUNK_ENTRIES)]?.[number % CHUNK_ENTRIES] ?? 0
    const place = Math.floor(entry / KINDS)
    if (entry % KINDS === IN_FILE) return { kind: 'file', at: place }
    return entry % KINDS === IN_STREAM ? { kind: 'stream', stream: place } : undefined
  }

  /** Sets the place of an object. Newer sections come first, so the first entry of a number counts unless `replace` is set. */
  set(number: number, place: Place | 'free', replace = false): void {
    if (!(number >= 0 && number <= MAX_NUMBER)) return
    const chunk = (this.#chunks[Math.floor(number / CHUNK_ENTRIES)] ??= new Float64Array(CHUNK_ENTRIES))
    if (chunk[number % CHUNK_ENTRIES] !== 0 && !replace) return
    chunk[number % CHUNK_ENTRIES] = entryOf(place)
    this.size = Math.max(this.size, number + 1)
  }

  /** Yields the numbers of all objects. */
  *numbers(): Generator<number> {
    for (let number = 0; number < this.size; number++) if (this.place(number)) yield number
  }
}

function entryOf(place: Place | 'free'): number {
  if (place === 'free') return FREE
  return place.kind === 'file' ? place.at * KINDS + IN_FILE : place.stream * KINDS + IN_STREAM
}

/** Set of object numbers: one bit per number, in chunks that are allocated on demand. */
export class NumberSet {
  readonly #chunks: (Uint8Array | undefined)[] = []

  /** Adds a number. Returns false if the set had it already. */
  add(number: number): boolean {
    const chunk = (this.#chunks[Math.floor(number / (CHUNK_ENTRIES * 8))] ??= new Uint8Array(CHUNK_ENTRIES))
    const [index, bit] = [Math.floor(number / 8) % CHUNK_ENTRIES, 1 << (number % 8)]
    if ((chunk[index]! & bit) !== 0) return false
    chunk[index]! |= bit
    return true
  }
}
