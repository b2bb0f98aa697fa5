/**
 * Checks whether a PDF may be encrypted with a password. `findObstacleInBytes` searches the bytes of an upload without a PDF parser, so the
 * edge Worker can refuse the request early. `findObstacleInObjects` (`encrypt.ts`) reads every object of a result before it is encrypted.
 */
import { indexOfBytes } from '../../bytes/search.ts'
import type { Source } from '../../model/codec.ts'

/**
 * Why a PDF cannot be encrypted. `signed`: encryption would break the signature. `encrypted`: the file has a password already, and no
 * program opens a document that is encrypted twice. `damaged`: Whittle cannot rewrite the file safely.
 */
export type EncryptionObstacle = 'signed' | 'encrypted' | 'damaged'

/** Key of a signature dictionary. It is never in a compressed stream (ISO 32000-2, 12.8.1), so a byte search finds it. */
const BYTE_RANGE = new TextEncoder().encode('/ByteRange')
const OVERLAP = BYTE_RANGE.length - 1

/** Ranges that may contain a trailer: the end of the file, or the front of a linearised file. */
const TAIL_BYTES = 64 * 1024
const HEAD_BYTES = 8 * 1024
/** Matches the /Encrypt entry of a trailer: its value is a reference or a dictionary (ISO 32000-2, 7.5.5). */
const ENCRYPTED = /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/

/** Reason why this upload cannot be encrypted, as far as its bytes show. `undefined`: no reason found. */
export async function findObstacleInBytes(upload: Source): Promise<Exclude<EncryptionObstacle, 'damaged'> | undefined> {
  if (await containsByteRange(upload)) return 'signed'
  const tailLength = Math.min(upload.size, TAIL_BYTES)
  const parts = [await upload.read(0, Math.min(upload.size, HEAD_BYTES)), await upload.read(upload.size - tailLength, tailLength)]
  return parts.some((part) => ENCRYPTED.test(new TextDecoder('latin1').decode(part))) ? 'encrypted' : undefined
}

async function containsByteRange(upload: Source): Promise<boolean> {
  // Last bytes of the previous chunk, because a chunk boundary may split the searched key.
  let tail = new Uint8Array(0)
  for await (const chunk of upload.stream()) {
    const boundary = new Uint8Array([...tail, ...chunk.subarray(0, OVERLAP)])
    if (indexOfBytes(boundary, BYTE_RANGE) >= 0 || indexOfBytes(chunk, BYTE_RANGE) >= 0) return true
    tail = chunk.length >= OVERLAP ? chunk.slice(-OVERLAP) : boundary.slice(-OVERLAP)
  }
  return false
}
