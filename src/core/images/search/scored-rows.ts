/** What was laid beside a picture as it came while its quality was searched, known again by its samples. */
import { createHash } from 'node:crypto'
import type { Strips } from '../compare/paired-rows.ts'

/**
 * Evidence for `verify`: a result whose rows decode to the very samples that were scored beside the upload need not be scored there once more.
 * Rows are known by the SHA-256 of their samples from the first to the last.
 */
export class ScoredRows {
  readonly #scores = new Map<string, number>()

  /** Hands on `rows`; `score` is told afterwards, when the last of them was taken. */
  scoring(rows: Strips): { readonly rows: AsyncGenerator<Uint8Array>; score(points: number | undefined): void } {
    const hash = createHash('sha256')
    return {
      rows: hashing(rows, hash),
      score: (points) => {
        if (points !== undefined) this.#scores.set(hash.digest('base64'), points)
      },
    }
  }

  get isEmpty(): boolean {
    return this.#scores.size === 0
  }

  /** SSIMULACRA2 of a picture with exactly these rows; undefined where it was never looked at. */
  async scoreOf(rows: Strips): Promise<number | undefined> {
    const hash = createHash('sha256')
    for await (const _ of hashing(rows, hash));
    return this.#scores.get(hash.digest('base64'))
  }
}

async function* hashing(rows: Strips, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  for await (const strip of rows) {
    hash.update(strip)
    yield strip
  }
}
