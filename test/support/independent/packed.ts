/** Reads ZIP and gzip with fflate and also checks the checksums, which fflate ignores. */
import { crc32 } from 'node:zlib'
import { gunzipSync, unzipSync } from 'fflate'

/**
 * Returns the contents of a ZIP archive by name.
 * @throws Error if a member is damaged or its checksum differs from the central directory
 */
export function unzip(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const members = new Map(Object.entries(unzipSync(bytes)))
  for (const { name, crc } of directoryOf(bytes)) {
    const content = members.get(name)
    if (!content) throw new Error(`fflate finds no ${name}`)
    if (crc32(content) !== crc) throw new Error(`${name} has another checksum than its directory says`)
  }
  return members
}

/**
 * Decompresses a gzip file.
 * @throws Error if it is damaged
 */
export function gunzip(bytes: Uint8Array): Uint8Array {
  const content = gunzipSync(bytes)
  const trailer = Buffer.from(bytes).subarray(-8)
  if (crc32(content) !== trailer.readUInt32LE(0) || content.length % 2 ** 32 !== trailer.readUInt32LE(4))
    throw new Error('the gzip member has another checksum or length than its trailer says')
  return content
}

export const isZip = (bytes: Uint8Array) => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4

/** Parses the central directory (APPNOTE.TXT 4.3.12), which is found by its end record. */
function directoryOf(bytes: Uint8Array): { name: string; crc: number }[] {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const [count, first] = [zip.readUInt16LE(end + 10), zip.readUInt32LE(end + 16)]
  const found: { name: string; crc: number }[] = []
  for (let i = 0, at = first; i < count; i++) {
    const lengths = [28, 30, 32].map((place) => zip.readUInt16LE(at + place))
    const isUtf8 = (zip.readUInt16LE(at + 8) & 0x800) !== 0
    const name = zip.toString(isUtf8 ? 'utf8' : 'latin1', at + 46, at + 46 + lengths[0]!)
    found.push({ name, crc: zip.readUInt32LE(at + 16) })
    at += 46 + lengths.reduce((sum, length) => sum + length, 0)
  }
  return found
}
