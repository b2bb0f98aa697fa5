/** Chunks of a RIFF list in memory. */

import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { fourCC } from './riff.ts'

export interface ListChunk {
  readonly id: string
  readonly body: Uint8Array
}

/**
 * Returns the chunks of a list. @throws CodecError (malformed) if a chunk does not fit into `list` or non-zero bytes are left over, because
 * they would be lost
 */
export function readListChunks(format: string, list: Uint8Array, name: string): ListChunk[] {
  const found: ListChunk[] = []
  const reader = new ByteReader(list, true)
  let at = 0
  while (at + 8 <= list.length && !isZeroFrom(list, at)) {
    const size = reader.u32(at + 4)
    const id = fourCC(list, at)
    if (at + 8 + size > list.length)
      throw malformed(format, at, message('part_does_not_fit', { type: id, size, left: list.length - at, parent: name }))
    found.push({ id, body: list.subarray(at + 8, at + 8 + size) })
    at += 8 + size + (size & 1)
  }
  if (!isZeroFrom(list, at)) throw malformed(format, at, message('bytes_left_over', { left: list.length - at, parent: name }))
  return found
}

function isZeroFrom(bytes: Uint8Array, from: number): boolean {
  for (let i = from; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}

/** True if a JUNK chunk only fills space: all its bytes are equal. Cameras and editors store notes in other JUNK chunks. */
export const isPadding = ({ id, body }: ListChunk): boolean => id === 'JUNK' && body.every((byte) => byte === body[0])
