/** Chunks inside a list that is in memory. */

import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { fourCC } from './riff.ts'

export interface InnerChunk {
  readonly id: string
  readonly body: Uint8Array
}

/** @throws CodecError (malformed) where a chunk does not fit into `list`, or bytes other than zeros are left over: what they were would be lost */
export function innerChunks(format: string, list: Uint8Array, name: string): InnerChunk[] {
  const found: InnerChunk[] = []
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

/** Whether a chunk only fills space: every byte of it is the same. Cameras and editors keep notes in others of that name. */
export const isFilling = ({ id, body }: InnerChunk): boolean => id === 'JUNK' && body.every((byte) => byte === body[0])
