/** CRC-16 with polynomial 0x8005, reflected (CRC-16/ARC), as MPEG audio and LAME's tag have it: the table by byte. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  return crc
})

/** The checksum of what came before and `bytes`; begins with 0. */
export function crc16(bytes: Uint8Array, before = 0): number {
  let crc = before
  for (const byte of bytes) crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 255]!
  return crc
}
