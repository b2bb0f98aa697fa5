/** Reads the text of a response up to a size. The rest of a longer one is discarded. */
import { BucketError } from './object-store.ts'

/**
 * @throws BucketError `malformed` if the body has more than `maxBytes` bytes or is not UTF-8
 * @throws the error of the connection
 */
export async function readText({ body, status }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let received = 0
  // Leaving the loop early cancels the body.
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    received += chunk.length
    if (received > maxBytes) throw new BucketError('malformed', { status })
  }
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
  } catch {
    throw new BucketError('malformed', { status })
  }
}
