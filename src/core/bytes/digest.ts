import { hex } from './hex.ts'
import { createHash, digestOf } from './platform/crypto.ts'

/** Returns the SHA-256 of all chunks, in lower-case hexadecimal. */
export async function sha256Hex(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hex(hash.digest())
}

/** Returns the SHA-256 of the bytes, in lower-case hexadecimal. */
export const sha256HexOf = (bytes: Uint8Array): string => hex(digestOf('sha256', bytes))
