/** Cache of scores from the quality search, keyed by the decoded samples. */
import { Fingerprint } from '../../bytes/fingerprint.ts'
import type { Strips } from '../compare/paired-rows.ts'

/**
 * Evidence for `verify`. If a result decodes to exactly the samples that the search scored, the score is not measured again. The key is
 * the fingerprint of all samples.
 */
export class ScoredRows {
  readonly #scores = new Map<string, number>()

  /** Passes `rows` through and takes their fingerprint. Call `score` after the last row with the points of these rows. */
  scoring(rows: Strips): { readonly rows: AsyncGenerator<Uint8Array>; score(points: number | undefined): void } {
    const taken = new Fingerprint()
    return {
      rows: fingerprinted(rows, taken),
      score: (points) => {
        if (points !== undefined) this.#scores.set(taken.digest(), points)
      },
    }
  }

  get isEmpty(): boolean {
    return this.#scores.size === 0
  }

  /** SSIMULACRA 2 score of a picture with exactly these rows. `undefined`: it was never scored. */
  async scoreOf(rows: Strips): Promise<number | undefined> {
    const taken = new Fingerprint()
    for await (const _ of fingerprinted(rows, taken));
    return this.#scores.get(taken.digest())
  }
}

async function* fingerprinted(rows: Strips, taken: Fingerprint): AsyncGenerator<Uint8Array> {
  for await (const strip of rows) {
    taken.update(strip)
    yield strip
  }
}
