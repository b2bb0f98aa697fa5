import { createHash } from 'node:crypto'

/** Returns the first 16 hexadecimal digits of the SHA-256 of `bytes`. Equal digests mean equal bytes. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

/** Returns the digest of a stream, as `digestOf` does for bytes, in constant memory. */
export async function digestOfStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex').slice(0, 16)
}
