import { textOfBytes } from '../decode-text.ts'
import type { Hdf5File } from './file.ts'

const NAME_STEP_BYTES = 64
/** Longest name or path of a soft link. */
const MAX_TEXT_BYTES = 1 << 20

/** Local heap, which holds the names of a group (HDF5 File Format Specification 4.0, III.D). */
export interface LocalHeap {
  /** Returns the text at an offset, up to a NUL. */
  text(offset: number): Promise<string>
}

export async function openLocalHeap(file: Hdf5File, address: number | undefined): Promise<LocalHeap> {
  const { offsetBytes, lengthBytes } = file.sizes
  const head = (await file.signed(address, 8 + 2 * lengthBytes + offsetBytes, 'HEAP')).skip(4)
  const size = head.length()
  head.skip(lengthBytes)
  const dataAt = head.address()
  return {
    async text(offset) {
      if (dataAt === undefined) throw file.malformed(address)
      for (let length = NAME_STEP_BYTES; length <= MAX_TEXT_BYTES; length *= 4) {
        const bytes = await file.bytes(dataAt + offset, Math.max(0, Math.min(length, size - offset)))
        const end = bytes.indexOf(0)
        if (end >= 0) return textOfBytes(bytes.subarray(0, end))
        if (bytes.length < length) break
      }
      throw file.malformed(dataAt + offset)
    },
  }
}
