import { hex } from '../bytes/hex.ts'
import { createHash, digestOf as hashOf } from '../bytes/platform/crypto.ts'

/** Bytes of a SHA-256 that a digest shows: 16 hexadecimal digits. */
const SHOWN_BYTES = 8

const encoder = new TextEncoder()

const shown = (hash: Uint8Array) => hex(hash.subarray(0, SHOWN_BYTES))

/** Returns the first 16 hexadecimal digits of the SHA-256 of `bytes`. Equal digests mean equal bytes. */
export const digestOf = (bytes: Uint8Array): string => shown(hashOf('sha256', bytes))

/** Digest of data that arrives in pieces, in constant memory. */
export class Digest {
  readonly #hash = createHash('sha256')

  /** Adds bytes, or a text as UTF-8. */
  update(data: Uint8Array | string): this {
    this.#hash.update(typeof data === 'string' ? encoder.encode(data) : data)
    return this
  }

  /** Returns the digest of all data, as `digestOf` does for bytes. The object cannot be used afterwards. */
  finish(): string {
    return shown(this.#hash.digest())
  }
}

/** Returns the digest of a stream, as `digestOf` does for bytes, in constant memory. */
export async function digestOfStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = new Digest()
  for await (const chunk of chunks) digest.update(chunk)
  return digest.finish()
}
