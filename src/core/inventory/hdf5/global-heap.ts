/** Global heap (HDF5 File Format Specification 4.0, III.E), which holds values of variable length and selections of references. */
import type { Ranges } from '../ranges.ts'
import type { Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'

const ALIGNMENT_BYTES = 8
/** Collections whose objects are remembered. */
const MAX_COLLECTIONS = 8
/** Bytes that count for each object of a collection and for each value, because each takes longer than its bytes. */
const OBJECT_BYTES = 16
const VALUE_BYTES = 256

/** Places of the objects of a collection by number: address and length. */
type Places = ReadonlyMap<number, { readonly address: number; readonly length: number }>

const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES

export class GlobalHeap {
  readonly #file: Hdf5File
  readonly #collections = new Map<number, Places>()

  constructor(file: Hdf5File) {
    this.#file = file
  }

  /** Reads an identifier (address of a collection, number) and returns its object. `undefined`: the identifier is zero. */
  async object(id: Cursor): Promise<Ranges | undefined> {
    const [collection, index] = [id.address(), id.u32()]
    await this.#file.spend(VALUE_BYTES)
    if (collection === undefined || collection === 0) return undefined
    const place = (this.#collections.get(collection) ?? (await this.#read(collection))).get(index)
    if (!place) throw this.#file.malformed(collection)
    return this.#file.part(place.address, place.length)
  }

  async #read(collection: number): Promise<Places> {
    const { lengthBytes } = this.#file.sizes
    const [collectionHead, objectHead] = [aligned(8 + lengthBytes), 8 + lengthBytes]
    const end = collection + (await this.#file.signed(collection, 8 + lengthBytes, 'GCOL')).skip(4).length()
    const places = new Map<number, { address: number; length: number }>()
    for (let at = collection + collectionHead; at + aligned(objectHead) <= end; ) {
      await this.#file.spend(OBJECT_BYTES)
      const head = await this.#file.cursor(at, objectHead)
      const [index, length] = [head.u16(), head.skip(6).length()]
      const address = at + aligned(objectHead)
      // Number 0 is the free space, whose length includes its head.
      if (index === 0) at += Math.max(aligned(length), aligned(objectHead))
      else {
        if (address + length > end) throw this.#file.malformed(at)
        places.set(index, { address, length })
        at = address + aligned(length)
      }
    }
    this.#collections.set(collection, places)
    if (this.#collections.size > MAX_COLLECTIONS) this.#collections.delete(this.#collections.keys().next().value!)
    return places
  }
}
