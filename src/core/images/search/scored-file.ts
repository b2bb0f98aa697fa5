/** Score of an encoded picture from the search, for its verification. */
import { Fingerprint } from '../../bytes/fingerprint.ts'
import type { Source } from '../../model/codec.ts'
import { freedChunks } from '../../model/source.ts'
import type { EncodedPicture } from './encode-request.ts'

/**
 * Evidence for `verify`. The search decoded these bytes and scored the picture as a whole, so the score of the same bytes is not measured
 * again. Verification still decodes them and compares every sample.
 */
export class ScoredFile {
  readonly #digest: string
  readonly #score: number

  private constructor(digest: string, score: number) {
    this.#digest = digest
    this.#score = score
  }

  /** Evidence of an encoding. Empty if its score is not known. */
  static evidenceOf({ chunks, scoreOfFile }: Pick<EncodedPicture, 'chunks' | 'scoreOfFile'>): { readonly evidence?: ScoredFile } {
    if (scoreOfFile === undefined) return {}
    const taken = new Fingerprint()
    for (const chunk of chunks) taken.update(chunk)
    return { evidence: new ScoredFile(taken.digest(), scoreOfFile) }
  }

  /** Score of a file with exactly these bytes. `undefined`: it is another file. */
  async scoreOf(file: Source): Promise<number | undefined> {
    const taken = new Fingerprint()
    for await (const chunk of freedChunks(file)) taken.update(chunk)
    return taken.digest() === this.#digest ? this.#score : undefined
  }
}
