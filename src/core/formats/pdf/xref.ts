/** Where every object stands: the cross-reference table in flat arrays, a million objects in 13 MB. */

import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'

/** Largest object number of an architecture of Annex C.2; a file that names more has one table entry for each. */
const MAX_OBJECTS = 8_388_607

export const ABSENT = 0
/** `place` is the offset of "n g obj", `extra` the generation. */
export const AT_OFFSET = 1
/** `place` is the number of the object stream, `extra` the index in it. */
export const IN_STREAM = 2
export const FREE = 3

export class Xref {
  /** One more than the largest object number. */
  size = 0
  /** Entries of earlier sections for objects that later ones have changed or deleted. */
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

  /** Earlier sections are read later: the first entry of a number stands, unless `over`. */
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
