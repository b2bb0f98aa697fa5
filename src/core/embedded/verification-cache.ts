import { sha256HexOf } from '../bytes/digest.ts'

/**
 * Evidence for `verify`: digests of embedded files that their codecs created and verified. A file with the same bytes in the result is not
 * decoded again.
 */
export class VerifiedFiles {
  readonly #digests = new Set<string>()

  add(bytes: Uint8Array): void {
    this.#digests.add(sha256HexOf(bytes))
  }

  has(bytes: Uint8Array): boolean {
    return this.#digests.has(sha256HexOf(bytes))
  }
}
