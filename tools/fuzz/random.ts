/** Reproducible random numbers: the same words give the same series. */
import { createHash } from 'node:crypto'

/** Boundary values that often break lengths, counts and offsets. */
const EDGES = [0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]

export class Random {
  readonly #state: Uint32Array

  /** @param words seed: each combination of words is another series */
  constructor(...words: (string | number)[]) {
    const hash = createHash('sha256').update(words.join('/')).digest()
    this.#state = Uint32Array.from({ length: 4 }, (_, i) => hash.readUInt32LE(4 * i))
  }

  /** Returns a whole number from 0 to 2³² − 1 (sfc32). */
  word(): number {
    const state = this.#state
    const [a = 0, b = 0, c = 0, d = 0] = state
    const sum = (a + b + d) >>> 0
    state[3] = d + 1
    state[0] = b ^ (b >>> 9)
    state[1] = c + (c << 3)
    state[2] = ((c << 21) | (c >>> 11)) + sum
    return sum
  }

  /** Returns a whole number from 0 to `end` − 1; 0 if `end` is 0. */
  below(end: number): number {
    return Math.floor((this.word() / 2 ** 32) * Math.max(0, end))
  }

  chance(share: number): boolean {
    return this.word() < share * 2 ** 32
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.word() >>> 24)
  }

  /** Returns a value for a field of `width` bytes: a boundary value, one near the maximum, one near `now`, or any. */
  field(width: number, now = 0): number {
    const end = 2 ** (8 * Math.min(width, 6))
    const kind = this.below(4)
    const value = kind === 0 ? this.pick(EDGES) : kind === 1 ? end - 1 - this.below(4) : kind === 2 ? now + this.below(17) - 8 : this.word()
    return ((value % end) + end) % end
  }
}
