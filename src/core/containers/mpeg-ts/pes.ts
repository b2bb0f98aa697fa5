/** Headers of PES packets (ISO/IEC 13818-1, 2.4.3.6). */

/** Header of a PES packet. */
export interface PesHeader {
  /** Bytes of the header. */
  readonly bytes: number
  /** Bytes of the content behind the header. `undefined`: not told, as pictures may do. */
  readonly content: number | undefined
  /** Times in units of 90 kHz, modulo 2^33. `undefined`: not told. */
  readonly pts: number | undefined
  readonly isScrambled: boolean
}

/** Most bytes of a header: the fields, and 255 bytes of times, extensions and filling. */
export const MAX_PES_HEADER_BYTES = 9 + 255
/** Bytes that tell the length of the header. */
export const PES_START_BYTES = 9

/** Streams whose packets have no header fields: maps, padding, private stream 2, ECM, EMM, directory, DSM-CC, H.222.1 type E. */
const PLAIN_STREAMS = [0xbc, 0xbe, 0xbf, 0xf0, 0xf1, 0xff, 0xf2, 0xf8]

/** Length of the header whose first bytes are given. `undefined`: the bytes start no PES packet. */
export function pesHeaderBytes(start: Uint8Array): number | undefined {
  if (start.length < PES_START_BYTES || start[0] !== 0 || start[1] !== 0 || start[2] !== 1) return undefined
  if (PLAIN_STREAMS.includes(start[3]!)) return 6
  return (start[6]! & 0xc0) === 0x80 ? 9 + start[8]! : undefined
}

/** Reads a whole header. `undefined`: the fields are damaged. */
export function pesHeader(header: Uint8Array): PesHeader | undefined {
  const bytes = pesHeaderBytes(header)
  if (bytes === undefined || header.length < bytes) return undefined
  const told = (header[4]! << 8) | header[5]!
  const content = told === 0 ? undefined : told + 6 - bytes
  if (content !== undefined && content < 0) return undefined
  if (bytes === 6) return { bytes, content, pts: undefined, isScrambled: false }
  const hasPts = (header[7]! & 0x80) !== 0
  if (hasPts && bytes < 14) return undefined
  return { bytes, content, pts: hasPts ? timeAt(header, 9) : undefined, isScrambled: (header[6]! & 0x30) !== 0 }
}

/** Time of 33 bits in five bytes with marker bits between them. */
const timeAt = (b: Uint8Array, at: number): number =>
  ((b[at]! >> 1) & 7) * 2 ** 30 + (b[at + 1]! << 22) + ((b[at + 2]! >> 1) << 15) + (b[at + 3]! << 7) + (b[at + 4]! >> 1)

const WRAP = 2 ** 33

/** Turns times of 33 bits, which start again at 0 every 26.5 hours, into times that do not. */
export class Clock {
  #last: number | undefined

  /** Returns the time nearest to the one before that has the given last 33 bits. The first is at least 2^33. */
  continued(time: number): number {
    const last = this.#last ?? time + WRAP
    const ahead = (((time - last) % WRAP) + WRAP) % WRAP
    this.#last = last + (ahead < WRAP / 2 ? ahead : ahead - WRAP)
    return this.#last
  }
}
