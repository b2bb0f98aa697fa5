import { latin1Of } from '../../bytes/latin1.ts'
import { malformed, unsupported } from '../../model/error.ts'

/** Flags of a member (RFC 1952, 2.3.1). */
const [HAS_CRC, HAS_EXTRA, HAS_NAME, HAS_COMMENT, RESERVED] = [2, 4, 8, 16, 0xe0]
const FIXED_BYTES = 10
const DEFLATE = 8

/**
 * Extra fields that tell sizes of compressed data, or that other files refer to: BGZF (BAM, tabix), dictzip, MiGz, mgzip, eStargz. A file
 * with one of them must keep its compressed bytes.
 */
const INDEXED: ReadonlySet<string> = new Set(['BC', 'RA', 'MZ', 'IG', 'SZ', 'SG'])

export const isMember = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/**
 * Returns the length of the header of a member.
 * @param offset file offset of `bytes`, for messages
 * @returns `undefined` if `bytes` ends inside the header
 * @throws CodecError for another method, reserved flags, and extra fields that index compressed data
 */
export function headerBytes(bytes: Uint8Array, offset: number): number | undefined {
  if (bytes.length < FIXED_BYTES) return undefined
  const flags = bytes[3]!
  if (bytes[2] !== DEFLATE || flags & RESERVED) throw malformed('gzip', offset, 'gz_header_unknown')
  let at = FIXED_BYTES
  if (flags & HAS_EXTRA) {
    if (bytes.length < at + 2) return undefined
    const end = at + 2 + (bytes[at]! | (bytes[at + 1]! << 8))
    if (bytes.length < end) return undefined
    checkExtra(bytes.subarray(at + 2, end))
    at = end
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (!(flags & flag)) continue
    const zero = bytes.indexOf(0, at)
    if (zero < 0) return undefined
    at = zero + 1
  }
  const end = at + (flags & HAS_CRC ? 2 : 0)
  return end <= bytes.length ? end : undefined
}

/** Subfields of an extra field: two letters, length of two bytes, data. */
function checkExtra(extra: Uint8Array): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + (extra[at + 2]! | (extra[at + 3]! << 8)))
    if (INDEXED.has(latin1Of(extra.subarray(at, at + 2)))) throw unsupported('gz_indexed')
}
