/** Is a PDF signed? A signature dictionary must stand in the clear, outside of every compressed stream (ISO 32000-2, 12.8.1). */
import { indexOfBytes } from '../../core/bytes/search.ts'
import type { Source } from '../../core/model/codec.ts'

const BYTE_RANGE = new TextEncoder().encode('/ByteRange')
const OVERLAP = BYTE_RANGE.length - 1

export async function isSignedPdf(source: Source): Promise<boolean> {
  // The last bytes of the chunks before, where a name may have been cut.
  let tail = new Uint8Array(0)
  for await (const chunk of source.stream()) {
    const seam = new Uint8Array([...tail, ...chunk.subarray(0, OVERLAP)])
    if (indexOfBytes(seam, BYTE_RANGE) >= 0 || indexOfBytes(chunk, BYTE_RANGE) >= 0) return true
    tail = chunk.length >= OVERLAP ? chunk.slice(-OVERLAP) : seam.slice(-OVERLAP)
  }
  return false
}
