/** Lookup table of CRC-16/ARC (polynomial 0x8005, reflected), used by MPEG audio and LAME's tag. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  return crc
})

/** Returns the checksum of `bytes`. `before`: checksum of the preceding bytes; default: 0. */
export function crc16(bytes: Uint8Array, before = 0): number {
  let crc = before
  for (const byte of bytes) crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 255]!
  return crc
}
