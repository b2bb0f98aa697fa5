/** Reads static HDR metadata from boxes of the sample entry or from SEI messages of the stream. */

import { boxes, u16At, u32At } from '../../../containers/isobmff/box.ts'
import type { StaticHdr } from '../../../model/external-encoder.ts'

const MASTERING_DISPLAY = 137
const LIGHT_LEVEL = 144
/** NAL unit type PREFIX_SEI_NUT (Rec. ITU-T H.265, table 7-1). */
const PREFIX_SEI = 39

/**
 * Reads static HDR metadata of an HEVC track. @param entry the sample entry; `first` the first access unit, NAL units after four-byte
 * lengths
 */
export function staticHdr(entry: Uint8Array, first: Uint8Array): StaticHdr {
  const found = new Map<number, Uint8Array>()
  for (const { type, body, end } of boxes(entry, 8 + 78, entry.length)) {
    if (type === 'mdcv' && end - body >= 24) found.set(MASTERING_DISPLAY, entry.subarray(body, end))
    if (type === 'clli' && end - body >= 4) found.set(LIGHT_LEVEL, entry.subarray(body, end))
    if (type === 'hvcC') for (const nal of setsIn(entry.subarray(body, end))) messages(nal, found)
  }
  for (let at = 0; at + 4 < first.length; ) {
    const size = u32At(first, at)
    messages(first.subarray(at + 4, at + 4 + size), found)
    at += 4 + size
  }
  const display = found.get(MASTERING_DISPLAY)
  const light = found.get(LIGHT_LEVEL)
  return {
    ...(display && {
      masteringDisplay: [...Array.from({ length: 8 }, (_, i) => u16At(display, 2 * i)), u32At(display, 16), u32At(display, 20)],
    }),
    ...(light && { lightLevel: [u16At(light, 0), u16At(light, 2)] }),
  }
}

/** NAL units in an HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1.2). */
function* setsIn(record: Uint8Array): Generator<Uint8Array> {
  let at = 23
  for (let array = record[22] ?? 0; array > 0 && at + 3 <= record.length; array--) {
    let count = u16At(record, at + 1)
    at += 3
    for (; count > 0 && at + 2 <= record.length; count--) {
      const size = u16At(record, at)
      yield record.subarray(at + 2, at + 2 + size)
      at += 2 + size
    }
  }
}

/** Reads the payloads of an SEI NAL unit (Rec. ITU-T H.265, 7.3.5). Emulation prevention bytes (7.3.1.1) are removed first. */
function messages(nal: Uint8Array, into: Map<number, Uint8Array>): void {
  if (nal.length < 3 || nal[0]! >> 1 !== PREFIX_SEI) return
  const plain = nal.filter((byte, i) => !(byte === 3 && nal[i - 1] === 0 && nal[i - 2] === 0)).subarray(2)
  const sum = (at: number): [number, number] => {
    let value = 0
    while (plain[at] === 255) {
      value += 255
      at++
    }
    return [value + (plain[at] ?? 0), at + 1]
  }
  for (let at = 0; at + 2 < plain.length; ) {
    const [type, sizeAt] = sum(at)
    const [size, bodyAt] = sum(sizeAt)
    const least = type === MASTERING_DISPLAY ? 24 : 4
    if ((type === MASTERING_DISPLAY || type === LIGHT_LEVEL) && size >= least && bodyAt + size <= plain.length && !into.has(type))
      into.set(type, plain.subarray(bodyAt, bodyAt + size))
    at = bodyAt + size
  }
}
