/** Bytes that one step of the loop takes ("slicing by 16"). */
const STEP_BYTES = 16

/**
 * Tables of CRC-32 (ISO 3309, reflected polynomial 0xEDB88320). Entry `256 * n + byte` is the effect of a byte that `n` bytes follow.
 */
const TABLE = (() => {
  const table = new Int32Array(256 * STEP_BYTES)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    table[byte] = crc
  }
  for (let at = 256; at < table.length; at++) table[at] = (table[at - 256]! >>> 8) ^ table[table[at - 256]! & 255]!
  return table
})()

/** Returns the CRC-32 of RFC 1952 and ISO 3309. `seed`: checksum of the preceding bytes; default: 0. */
export function crc32(bytes: Uint8Array, seed = 0): number {
  if (bytes.length < 2 * STEP_BYTES) return ~bytewise(bytes, ~seed) >>> 0
  // Words can only be read at multiples of four.
  const start = -bytes.byteOffset & 3
  const steps = Math.floor((bytes.length - start) / STEP_BYTES)
  let crc = bytewise(bytes.subarray(0, start), ~seed)
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + start, steps * 4)
  for (let at = 0; at < words.length; at += 4) {
    const first = words[at]! ^ crc
    crc = effect(first, 15) ^ effect(words[at + 1]!, 11) ^ effect(words[at + 2]!, 7) ^ effect(words[at + 3]!, 3)
  }
  crc = bytewise(bytes.subarray(start + steps * STEP_BYTES), crc)
  return ~crc >>> 0
}

/** Effect of four bytes. `follow`: number of bytes of the step after the first one. */
const effect = (word: number, follow: number) =>
  TABLE[256 * follow + (word & 255)]! ^
  TABLE[256 * (follow - 1) + ((word >>> 8) & 255)]! ^
  TABLE[256 * (follow - 2) + ((word >>> 16) & 255)]! ^
  TABLE[256 * (follow - 3) + (word >>> 24)]!

function bytewise(bytes: Uint8Array, before: number): number {
  let crc = before
  for (let at = 0; at < bytes.length; at++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[at]!) & 255]!
  return crc
}
