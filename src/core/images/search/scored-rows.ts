/** Cache of scores from the quality search, keyed by the decoded samples. */
import { hex } from '../../bytes/hex.ts'
import { createHash, type Hash } from '../../bytes/platform/crypto.ts'
import type { Strips } from '../compare/paired-rows.ts'

/**
 * Evidence for `verify`. If a result decodes to exactly the samples that the search scored, the score is not measured again. The key is
 * the SHA-256 of all samples.
 */
export class ScoredRows {
  readonly #scores = new Map<string, number>()

  /** Passes `rows` through and hashes them. Call `score` after the last row with the points of these rows. */
  scoring(rows: Strips): { readonly rows: AsyncGenerator<Uint8Array>; score(points: number | undefined): void } {
    const hash = createHash('sha256')
    return {
      rows: hashing(rows, hash),
      score: (points) => {
        if (points !== undefined) this.#scores.set(hex(hash.digest()), points)
      },
    }
  }

  get isEmpty(): boolean {
    return this.#scores.size === 0
  }

  /** SSIMULACRA 2 score of a picture with exactly these rows. `undefined`: it was never scored. */
  async scoreOf(rows: Strips): Promise<number | undefined> {
    const hash = createHash('sha256')
    for await (const _ of hashing(rows, hash));
    return this.#scores.get(hex(hash.digest()))
  }
}

async function* hashing(rows: Strips, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const strip of rows) {
    hash.update(strip)
    yield strip
  }
}
