/**
 * May this PDF be put under a password? `obstacleInBytes` answers for an upload: it searches the bytes, parses nothing and needs
 * no codec, so that the edge Worker can refuse the request. `obstacleInObjects` (`encrypt.ts`) answers for a result, before it is
 * written again: it reads every object.
 */
import { indexOfBytes } from '../../bytes/search.ts'
import type { Source } from '../../model/codec.ts'

/**
 * Why a PDF cannot be put under a password. `signed`: the signature would break. `encrypted`: its owner's password stands, and no
 * program opens a document that is encrypted twice. `damaged`: it cannot be written again safely.
 */
export type Obstacle = 'signed' | 'encrypted' | 'damaged'

/** A signature dictionary must stand in the clear, outside of every compressed stream (ISO 32000-2, 12.8.1). */
const BYTE_RANGE = new TextEncoder().encode('/ByteRange')
const OVERLAP = BYTE_RANGE.length - 1

/** Where a trailer may stand: near the end, or near the front of a linearised file. */
const TAIL_BYTES = 64 * 1024
const HEAD_BYTES = 8 * 1024
/** The trailer's key and its value, a reference or a dictionary (ISO 32000-2, 7.5.5). */
const ENCRYPTED = /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/

/** What stands against a password on this upload. `undefined`: nothing that its bytes show. */
export async function obstacleInBytes(upload: Source): Promise<Exclude<Obstacle, 'damaged'> | undefined> {
  if (await namesSignature(upload)) return 'signed'
  const tailLength = Math.min(upload.size, TAIL_BYTES)
  const parts = [await upload.read(0, Math.min(upload.size, HEAD_BYTES)), await upload.read(upload.size - tailLength, tailLength)]
  return parts.some((part) => ENCRYPTED.test(new TextDecoder('latin1').decode(part))) ? 'encrypted' : undefined
}

async function namesSignature(upload: Source): Promise<boolean> {
  // The last bytes of the chunks before, where a name may have been cut.
  let tail = new Uint8Array(0)
  for await (const chunk of upload.stream()) {
    const seam = new Uint8Array([...tail, ...chunk.subarray(0, OVERLAP)])
    if (indexOfBytes(seam, BYTE_RANGE) >= 0 || indexOfBytes(chunk, BYTE_RANGE) >= 0) return true
    tail = chunk.length >= OVERLAP ? chunk.slice(-OVERLAP) : seam.slice(-OVERLAP)
  }
  return false
}
