import { createHash } from 'node:crypto'

/**
 * Evidence for `verify`: digests of embedded files that their codecs created and verified. A file with the same bytes in the result is not
 * decoded again.
 */
export class VerifiedFiles {
  readonly #digests = new Set<string>()

  add(bytes: Uint8Array): void {
    this.#digests.add(digestOf(bytes))
  }

  has(bytes: Uint8Array): boolean {
    return this.#digests.has(digestOf(bytes))
  }
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64')
