/** Inflates zlib streams of short content, such as a compressed profile, and checks their checksum (RFC 1950). */
import { inflateAll } from './inflate.ts'

const CHECKSUM_BYTES = 4
const MODULUS = 65_521
/** Bytes that can be added before the sums exceed 32 bits. */
const BYTES_PER_REDUCTION = 3800

/** Returns the content of a stream that fills `bytes`. @throws Error if it is damaged, or longer than `maxBytes` */
export async function inflateZlib(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const content = await inflateAll(bytes, { wrapper: 'zlib', maxBytes })
  const told = bytes.subarray(bytes.length - CHECKSUM_BYTES)
  const sum = adler32(content)
  if (told.some((byte, i) => byte !== ((sum >>> (24 - 8 * i)) & 255))) throw new Error('the checksum of the zlib stream is wrong')
  return content
}

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0]
  for (let at = 0; at < bytes.length; at += BYTES_PER_REDUCTION) {
    for (const byte of bytes.subarray(at, at + BYTES_PER_REDUCTION)) high += low += byte
    low %= MODULUS
    high %= MODULUS
  }
  return ((high << 16) | low) >>> 0
}
