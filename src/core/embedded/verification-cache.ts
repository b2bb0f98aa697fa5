import { createHash } from 'node:crypto'

/** Evidence for `verify`: what the codecs of files in a container made and verified. Where it is read again to the last byte, it need not be decoded again. */
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
