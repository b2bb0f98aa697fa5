/** Compact arrays for tables of films and the like, for example 500,000 numbers for a few hours of film. */
import { discard } from '../../../wasm/memories/discard.ts'

/** Array of whole, non-negative numbers. */
export type CompactArray = Uint32Array | Float64Array

/** Returns an array of `count` zeros that can store numbers up to `largest`. */
export const createCompactArray = (count: number, largest: number): CompactArray =>
  largest < 2 ** 32 ? new Uint32Array(count) : new Float64Array(count)

/** Returns the numbers of `wide` in the smallest type that can store them. If `wide` is replaced, its buffer is freed. */
export function toCompactArray(wide: Float64Array): CompactArray {
  for (let i = 0; i < wide.length; i++) if (wide[i]! >= 2 ** 32) return wide
  const narrow = new Uint32Array(wide)
  discard(wide)
  return narrow
}

/** A plain loop: iterators and `reduce` allocate an object for every number that is no small integer. */
export function sumOf(column: CompactArray): number {
  let sum = 0
  for (let i = 0; i < column.length; i++) sum += column[i]!
  return sum
}

/** Compact array that grows. Negative numbers are stored modulo 2³². */
export class GrowingCompactArray {
  length = 0
  #values: CompactArray = new Uint32Array(1024)

  push(value: number): void {
    const wide = value >= 2 ** 32 || this.#values instanceof Float64Array
    const full = this.length === this.#values.length
    const capacity = full ? this.length * 2 : this.#values.length
    if (full || (wide && this.#values instanceof Uint32Array)) this.#move(wide ? new Float64Array(capacity) : new Uint32Array(capacity))
    this.#values[this.length++] = value
  }

  /** Returns the pushed numbers in their own buffer. Nothing can be pushed afterwards. */
  finish(): CompactArray {
    const whole = this.#values.slice(0, this.length)
    discard(this.#values)
    return whole
  }

  #move(into: CompactArray): void {
    into.set(this.#values)
    discard(this.#values)
    this.#values = into
  }
}
