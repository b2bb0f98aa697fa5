/** Decodes RLE frames (PS3.5, annex G): one PackBits segment for each byte of each sample, most significant byte first. */

import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'

const HEADER_BYTES = 64

export interface RleShape {
  /** Pixels per DICOM frame. */
  readonly pixels: number
  readonly samples: number
  readonly sampleBytes: number
  /** True if the decoded frame stores its samples by plane. */
  readonly planar: boolean
}

/** Decodes a frame to little-endian samples. @param at offset of its code in the file, for error messages @throws CodecError (malformed) */
export function decodeRle({ pixels, samples, sampleBytes, planar }: RleShape, code: Uint8Array, at: number): Uint8Array {
  const reader = new ByteReader(code, true)
  const segments = samples * sampleBytes
  if (code.length < HEADER_BYTES || reader.u32(0) !== segments) {
    throw malformed('dicom', at, message('frame_of_other_than_segments', { segments }))
  }
  const frame = new Uint8Array(pixels * segments)
  for (let segment = 0; segment < segments; segment++) {
    const sample = Math.floor(segment / sampleBytes)
    const byte = sampleBytes - 1 - (segment % sampleBytes)
    const start = reader.u32(4 + 4 * segment)
    const end = segment + 1 < segments ? reader.u32(8 + 4 * segment) : code.length
    const apart = planar ? sampleBytes : segments
    const first = planar ? sample * pixels * sampleBytes + byte : sample * sampleBytes + byte
    if (start < HEADER_BYTES || end < start || end > code.length || !unpack(code.subarray(start, end), frame, first, apart, pixels)) {
      throw malformed('dicom', at + start, message('segment_of_frame', { segment }))
    }
  }
  return frame
}

/**
 * Decodes `count` bytes of an RLE segment to `first`, `first + apart` and so on. False if the code ends early. Remaining bytes are
 * padding.
 */
function unpack(code: Uint8Array, to: Uint8Array, first: number, apart: number, count: number): boolean {
  let [from, done, at] = [0, 0, first]
  while (done < count) {
    if (from + 1 >= code.length) return false
    const control = code[from++]!
    if (control === 128) continue
    const run = Math.min(count - done, control < 128 ? control + 1 : 257 - control)
    if (control < 128 && from + run > code.length) return false
    for (let i = 0; i < run; i++, at += apart) to[at] = control < 128 ? code[from + i]! : code[from]!
    from += control < 128 ? control + 1 : 1
    done += run
  }
  return true
}
