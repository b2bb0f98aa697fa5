import { hex } from '../bytes/hex.ts'
import { digestOf, randomBytes } from '../bytes/platform/crypto.ts'

const KEY_BYTES = 16
/** Lanes of 32 bits: 128 bits together. */
const LANES = 4
const ENCODER = new TextEncoder()

/** Random key of this process. It is made at the first use, because Workers have no random bytes before a request. */
let key: Uint8Array | undefined

/**
 * Sum of the hashes of many items, which stands for them in constant memory and does not depend on their order. The hash is SHA-256 with
 * a random key of the process, cut to 128 bits. Without the key, nobody can choose items whose loss leaves the sum as it was. So sums
 * compare only within one process.
 */
export class ItemSum {
  #count = 0
  readonly #lanes = new Uint32Array(LANES)

  /** Number of occurrences. */
  get count(): number {
    return this.#count
  }

  /** Adds `count` occurrences of an item. */
  add(item: string, count: number): void {
    key ??= randomBytes(KEY_BYTES)
    const keyed = new Uint8Array(KEY_BYTES + 3 * item.length)
    keyed.set(key)
    const { written } = ENCODER.encodeInto(item, keyed.subarray(KEY_BYTES))
    const digest = digestOf('sha256', keyed.subarray(0, KEY_BYTES + written))
    const words = new DataView(digest.buffer, digest.byteOffset)
    for (let lane = 0; lane < LANES; lane++) this.#lanes[lane] = this.#lanes[lane]! + Math.imul(words.getUint32(4 * lane), count)
    this.#count += count
  }

  /** Returns the sum in hexadecimal. */
  get text(): string {
    return hex(new Uint8Array(this.#lanes.buffer))
  }
}
