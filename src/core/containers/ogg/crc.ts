/** Bytes that one step of the loop takes ("slicing by 8"). */
const STEP_BYTES = 8

/**
 * Tables of the checksum of Ogg pages (RFC 3533, section 6): polynomial 0x04C11DB7, not reflected. Entry `256 * n + byte` is the effect of a
 * byte that `n` bytes follow.
 */
const TABLE = (() => {
  const table = new Int32Array(256 * STEP_BYTES)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte << 24
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1
    table[byte] = crc
  }
  for (let at = 256; at < table.length; at++) table[at] = (table[at - 256]! << 8) ^ table[table[at - 256]! >>> 24]!
  return table
})()

/** Returns the checksum of an Ogg page whose own checksum field is zero. `seed`: checksum of the preceding bytes; default: 0. */
export function oggCrc(bytes: Uint8Array, seed = 0): number {
  let crc = seed | 0
  let at = 0
  for (; at + STEP_BYTES <= bytes.length; at += STEP_BYTES) {
    crc =
      TABLE[1792 + (bytes[at]! ^ (crc >>> 24))]! ^
      TABLE[1536 + (bytes[at + 1]! ^ ((crc >>> 16) & 255))]! ^
      TABLE[1280 + (bytes[at + 2]! ^ ((crc >>> 8) & 255))]! ^
      TABLE[1024 + (bytes[at + 3]! ^ (crc & 255))]! ^
      TABLE[768 + bytes[at + 4]!]! ^
      TABLE[512 + bytes[at + 5]!]! ^
      TABLE[256 + bytes[at + 6]!]! ^
      TABLE[bytes[at + 7]!]!
  }
  for (; at < bytes.length; at++) crc = (crc << 8) ^ TABLE[(crc >>> 24) ^ bytes[at]!]!
  return crc >>> 0
}
