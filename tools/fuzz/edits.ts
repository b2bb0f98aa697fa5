/** Generic edits of bytes and lists. Every edit returns a new value. */
import { concat } from '../../src/core/bytes/concat.ts'
import type { Random } from './random.ts'

/** Largest number of items of a list. `test/support/repeated.ts` covers longer repetitions. */
const MOST_ITEMS = 3000
const MOST_BYTES = 4 * 2 ** 20

export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
export const fromLatin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))

/** Returns the bytes with one to eight edits at or after `from`. */
export function withDamage(bytes: Uint8Array, random: Random, from = 0): Uint8Array {
  let made = bytes
  for (let edits = 1 + random.below(random.chance(0.7) ? 2 : 8); edits > 0; edits--) made = damagedOnce(made, random, from)
  return made
}

function damagedOnce(bytes: Uint8Array, random: Random, from: number): Uint8Array {
  const at = from + random.below(bytes.length - from)
  const length = 1 + random.below(random.chance(0.8) ? 8 : bytes.length - at)
  if (at >= bytes.length) return bytes
  switch (random.below(7)) {
    case 0:
      return bytes.with(at, bytes[at]! ^ (1 << random.below(8)))
    case 1:
      return bytes.with(at, random.pick([0, 1, 127, 128, 254, 255]))
    case 2:
      return withNumber(bytes, at, random.pick([2, 4, 8]), random.chance(0.5), random)
    case 3:
      return concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + length))])
    case 4:
      return concat([bytes.subarray(0, at), random.bytes(Math.min(length, 64)), bytes.subarray(at)])
    case 5:
      return bytes.length > MOST_BYTES ? bytes : concat([bytes.subarray(0, at + length), bytes.subarray(at)])
    default:
      return random.chance(0.3) ? bytes.slice(0, at) : bytes.slice().copyWithin(at, from + random.below(bytes.length - from), bytes.length)
  }
}

/** Replaces the number of `width` bytes at `at`. Returns `bytes` if the number is outside them. */
export function withNumber(bytes: Uint8Array, at: number, width: number, littleEndian: boolean, random: Random): Uint8Array {
  if (at < 0 || at + width > bytes.length) return bytes
  const made = bytes.slice()
  const place = (i: number) => at + (littleEndian ? i : width - 1 - i)
  let now = 0
  for (let i = Math.min(width, 6) - 1; i >= 0; i--) now = now * 256 + made[place(i)]!
  let value = random.field(width, now)
  for (let i = 0; i < width; i++) {
    made[place(i)] = i >= 6 ? random.pick([0, 0, 255]) : value % 256
    value = Math.floor(value / 256)
  }
  return made
}

/** Drops, duplicates, swaps, moves, repeats or reverses items. */
export function withRearrangedItems<Item>(items: readonly Item[], random: Random): Item[] {
  const made = [...items]
  if (made.length === 0) return made
  const [at, to] = [random.below(made.length), random.below(made.length)]
  switch (random.below(6)) {
    case 0:
      made.splice(at, 1)
      break
    case 1:
      made.splice(to, 0, made[at]!)
      break
    case 2:
      ;[made[at], made[to]] = [made[to]!, made[at]!]
      break
    case 3:
      made.splice(to, 0, ...made.splice(at, 1 + random.below(3)))
      break
    case 4:
      made.splice(at, 0, ...Array.from({ length: random.pick([2, 10, 100, 1000]) }, () => made[at]!))
      break
    default:
      made.splice(at, to, ...made.slice(at, at + to).reverse())
  }
  return made.slice(0, MOST_ITEMS)
}

/** Returns the items with one of them changed. */
export function withOne<Item>(items: readonly Item[], random: Random, change: (item: Item) => Item): Item[] {
  const at = random.below(items.length)
  return items.map((item, i) => (i === at ? change(item) : item))
}
