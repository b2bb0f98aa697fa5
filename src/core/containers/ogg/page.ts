/** Pages of Ogg files (RFC 3533, section 6). */
import { latin1Bytes } from '../../bytes/latin1.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { oggCrc } from './crc.ts'

/** Bits of the page's flags: a packet of the previous page continues, the first page of a stream, the last page of a stream. */
export const [CONTINUED, FIRST, LAST] = [1, 2, 4] as const
/** Granule position of a page on which no packet ends. */
export const NO_GRANULE = -1n
/** Bytes in front of the lacing values. */
export const PAGE_HEADER_BYTES = 27
export const MAX_SEGMENTS = 255
/** Lacing value of a segment that the next one continues. */
export const CONTINUES = 255
export const MAX_BODY_BYTES = MAX_SEGMENTS * CONTINUES
export const MAX_PAGE_BYTES = PAGE_HEADER_BYTES + MAX_SEGMENTS + MAX_BODY_BYTES
export const CAPTURE_PATTERN = 'OggS'

/** One page. Lacing values and body are views, valid until the next page is read. */
export interface OggPage {
  /** File offset of the page. */
  readonly offset: number
  readonly flags: number
  /** Position at the end of the last packet that ends on this page, in units of the codec. */
  readonly granule: bigint
  readonly serial: number
  /** Number of the page in its stream. */
  readonly sequence: number
  /** Lacing values: lengths of the segments. A value below 255 ends a packet. */
  readonly lacing: Uint8Array
  readonly body: Uint8Array
}

/** Returns the bytes of a page with its checksum. */
export function pageBytes({ flags, granule, serial, sequence, lacing, body }: Omit<OggPage, 'offset'>): Uint8Array {
  const bytes = new Uint8Array(PAGE_HEADER_BYTES + lacing.length + body.length)
  const writer = new ByteWriter(bytes, true).bytes(latin1Bytes(CAPTURE_PATTERN)).u8(0).u8(flags).u64(BigInt.asUintN(64, granule))
  writer.u32(serial).u32(sequence).u32(0).u8(lacing.length).bytes(lacing).bytes(body)
  writer.at(CRC_AT).u32(oggCrc(bytes))
  return bytes
}

/** Offset of the checksum in a page. */
export const CRC_AT = 22

/** Returns the lacing values of a packet. A packet whose length is a multiple of 255 ends with a zero. */
export function lacingOf(packetBytes: number): Uint8Array {
  const lacing = new Uint8Array(Math.floor(packetBytes / CONTINUES) + 1).fill(CONTINUES)
  lacing[lacing.length - 1] = packetBytes % CONTINUES
  return lacing
}
