/** Cross-reference table in flat arrays: the location of every object. A million objects take 13 MB. */

import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'

/** Largest object number that PDF processors support (ISO 32000, annex C.2). Larger numbers would waste one table entry each. */
const MAX_OBJECTS = 8_388_607

const ABSENT = 0
/** Entry kind: `place` is the file offset of "n g obj", `extra` is the generation. */
export const AT_OFFSET = 1
/** Entry kind: `place` is the number of the object stream, `extra` is the index in it. */
export const IN_STREAM = 2
export const FREE = 3

export class Xref {
  /** Largest object number plus one. */
  size = 0
  /** Number of entries in earlier sections for objects that a later section changed or deleted. */
  replaced = 0
  private kinds = new Uint8Array(1024)
  private places = new Float64Array(1024)
  private extras = new Uint32Array(1024)
  private readonly maxObjects: number

  constructor(maxObjects = MAX_OBJECTS) {
    this.maxObjects = Math.min(maxObjects, MAX_OBJECTS)
  }

  kind(number: number): number {
    return this.kinds[number] ?? ABSENT
  }
  place(number: number): number {
    return this.places[number] ?? 0
  }
  extra(number: number): number {
    return this.extras[number] ?? 0
  }

  /** Adds an entry. Newer sections are read first, so the first entry of a number wins. `over`: replaces an existing entry. */
  set(number: number, kind: number, place: number, extra: number, over = false): void {
    if (!(number >= 0) || number > MAX_OBJECTS) return
    if (number >= this.maxObjects) throw overBudget(message('more_than_objects', { limit: this.maxObjects }))
    if (number >= this.kinds.length) this.grow(number)
    if (this.kinds[number] !== ABSENT && !over) {
      if (kind !== FREE && place !== this.places[number]) this.replaced++
      return
    }
    this.kinds[number] = kind
    this.places[number] = place
    this.extras[number] = extra
    if (number >= this.size) this.size = number + 1
  }

  private grow(number: number): void {
    const length = Math.max(number + 1, this.kinds.length * 2)
    const kinds = new Uint8Array(length)
    const places = new Float64Array(length)
    const extras = new Uint32Array(length)
    kinds.set(this.kinds)
    places.set(this.places)
    extras.set(this.extras)
    this.kinds = kinds
    this.places = places
    this.extras = extras
  }
}
