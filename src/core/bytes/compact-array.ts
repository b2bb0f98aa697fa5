/** Tables of films and the like: half a million numbers for a few hours, in as few bytes as hold them. */
import { discard } from '../../../wasm/memories/discard.ts'

/** Whole numbers, none below zero. */
export type Column = Uint32Array | Float64Array

/** Zeros, where numbers up to `largest` fit. */
export const columnOf = (count: number, largest: number): Column => (largest < 2 ** 32 ? new Uint32Array(count) : new Float64Array(count))

/** The same numbers in as few bytes as hold them, in place of `wide`, which is freed where it is not enough. */
export function narrowed(wide: Float64Array): Column {
  for (let i = 0; i < wide.length; i++) if (wide[i]! >= 2 ** 32) return wide
  const narrow = new Uint32Array(wide)
  discard(wide)
  return narrow
}

/** A plain loop: iterators, and `reduce`, make an object of every number that is no small integer. */
export function sumOf(column: Column): number {
  let sum = 0
  for (let i = 0; i < column.length; i++) sum += column[i]!
  return sum
}

/** A column whose length is not known yet. Numbers below zero end up modulo 2³². */
export class GrowingColumn {
  length = 0
  #values: Column = new Uint32Array(1024)

  push(value: number): void {
    const wide = value >= 2 ** 32 || this.#values instanceof Float64Array
    const full = this.length === this.#values.length
    const capacity = full ? this.length * 2 : this.#values.length
    if (full || (wide && this.#values instanceof Uint32Array)) this.#move(wide ? new Float64Array(capacity) : new Uint32Array(capacity))
    this.#values[this.length++] = value
  }

  /** What was pushed, in a buffer of its own. Nothing can be pushed any more. */
  finish(): Column {
    const whole = this.#values.slice(0, this.length)
    discard(this.#values)
    return whole
  }

  #move(into: Column): void {
    into.set(this.#values)
    discard(this.#values)
    this.#values = into
  }
}
