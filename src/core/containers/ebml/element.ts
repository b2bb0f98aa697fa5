/** Headers of EBML elements (RFC 8794, sections 4 to 6): an identifier of 1 to 4 bytes and a size of 1 to 8 bytes. */

export interface ElementHead {
  /** Identifier with its length marker, as in tables of the standard. */
  readonly id: number
  /** Offset of the identifier, in the same units as `bodyAt`. */
  readonly at: number
  readonly bodyAt: number
  /** Size of the body in bytes. `undefined`: not known when the header was written. */
  readonly bodyBytes: number | undefined
}

/** Most bytes of a header. */
export const MAX_HEAD_BYTES = 12
/** Longest size field in bytes. */
const MAX_SIZE_BYTES = 8
const MAX_ID_BYTES = 4

/** Reads the header at `index` of `bytes`. `at`: its offset; default: `index`. @returns `undefined` if it is cut off or not valid */
export function headAt(bytes: Uint8Array, index: number, at = index): ElementHead | undefined {
  const idBytes = lengthOf(bytes[index])
  if (idBytes > MAX_ID_BYTES || index + idBytes >= bytes.length) return undefined
  let id = 0
  for (let i = 0; i < idBytes; i++) id = id * 256 + bytes[index + i]!
  const sizeAt = index + idBytes
  const sizeBytes = lengthOf(bytes[sizeAt])
  if (sizeBytes > MAX_SIZE_BYTES || sizeAt + sizeBytes > bytes.length) return undefined
  const first = bytes[sizeAt]! & (2 ** (8 - sizeBytes) - 1)
  let isUnknown = first === 2 ** (8 - sizeBytes) - 1
  let size = first
  for (let i = 1; i < sizeBytes; i++) {
    const byte = bytes[sizeAt + i]!
    isUnknown &&= byte === 0xff
    size = size * 256 + byte
  }
  return { id, at, bodyAt: at + idBytes + sizeBytes, bodyBytes: isUnknown ? undefined : size }
}

/** Length of a number from its first byte: the zeros in front of the highest bit that is set, plus one. */
const lengthOf = (first: number | undefined): number => (first ? Math.clz32(first) - 23 : MAX_SIZE_BYTES + 1)

/** Bytes of an identifier. */
export const idBytesOf = (id: number): number => (id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1)

/** Length in bytes of the shortest size field. All ones stand for an unknown size, so that value needs one more byte. */
export function sizeBytesOf(size: number): number {
  let length = 1
  while (size >= 2 ** (7 * length) - 1) length++
  return length
}

/** Length in bytes of the shortest header. */
export const headBytesOf = (id: number, size: number): number => idBytesOf(id) + sizeBytesOf(size)

/** Writes the shortest header at `index`. Returns the index behind it. */
export function writeHead(bytes: Uint8Array, index: number, id: number, size: number): number {
  const [idBytes, sizeBytes] = [idBytesOf(id), sizeBytesOf(size)]
  writeUnsigned(bytes, index, idBytes, id)
  writeUnsigned(bytes, index + idBytes, sizeBytes, size)
  bytes[index + idBytes]! |= 1 << (8 - sizeBytes)
  return index + idBytes + sizeBytes
}

/** Returns the shortest header. */
export function headOf(id: number, size: number): Uint8Array {
  const bytes = new Uint8Array(headBytesOf(id, size))
  writeHead(bytes, 0, id, size)
  return bytes
}

/** Returns an unsigned number of `length` bytes, big-endian, rounded above 2^53. */
export function unsignedAt(bytes: Uint8Array, index: number, length: number): number {
  let value = 0
  for (let i = 0; i < length; i++) value = value * 256 + bytes[index + i]!
  return value
}

/** Writes an unsigned number of `length` bytes, big-endian. */
export function writeUnsigned(bytes: Uint8Array, index: number, length: number, value: number): void {
  let rest = value
  for (let i = length - 1; i >= 0; i--) {
    bytes[index + i] = rest % 256
    rest = Math.floor(rest / 256)
  }
}
