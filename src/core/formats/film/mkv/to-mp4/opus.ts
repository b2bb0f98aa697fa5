/** Opus in Matroska (OpusHead, RFC 7845, 5.1) and in MP4 (Encapsulation of Opus in ISO Base Media File Format, 4.3). */
import { latin1Of } from '../../../../bytes/latin1.ts'
import { ByteReader } from '../../../../bytes/reader.ts'
import { ByteWriter } from '../../../../bytes/writer.ts'

const HEAD_BYTES = 19

/** Content of the `dOps` box: the fields of OpusHead, big-endian. `undefined`: the head is not valid. */
export function opusSpecific(head: Uint8Array): Uint8Array | undefined {
  const isValid = head.length >= HEAD_BYTES && latin1Of(head.subarray(0, 8)) === 'OpusHead' && head[8]! >> 4 === 0
  if (!isValid || head[9] === 0) return undefined
  const channels = head[9]!
  const family = head[18]!
  const mappingBytes = family === 0 ? 0 : 2 + channels
  if (head.length < HEAD_BYTES + mappingBytes) return undefined
  const stored = new ByteReader(head, true)
  const fields = new ByteWriter(new Uint8Array(11 + mappingBytes), false)
  const specific = fields.at(2).u16(stored.u16(10)).u32(stored.u32(12)).u16(stored.u16(16)).finish()
  specific[1] = channels
  specific[10] = family
  specific.set(head.subarray(HEAD_BYTES, HEAD_BYTES + mappingBytes), 11)
  return specific
}

/** Samples at 48 kHz that the decoder drops at the start. */
export const preSkipOf = (head: Uint8Array): number => head[10]! | (head[11]! << 8)
