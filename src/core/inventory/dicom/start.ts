/** Finds the first data element of a DICOM file, with or without the preamble of PS3.10, 7.1. */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'

/** Encoding of a data set (PS3.5, 7.1). */
export interface Coding {
  /** True if each element names its value representation (VR). */
  readonly explicit: boolean
  readonly littleEndian: boolean
}

export const EXPLICIT_LITTLE: Coding = { explicit: true, littleEndian: true }
export const IMPLICIT_LITTLE: Coding = { explicit: false, littleEndian: true }
const EXPLICIT_BIG: Coding = { explicit: true, littleEndian: false }

export interface DicomStart {
  /** Offset of the first element. */
  readonly at: number
  /** 128 bytes before "DICM". In a file without preamble: zeros, and at the end the bytes before the first element. */
  readonly preamble: Uint8Array
  /** Encoding of the data set. `undefined`: the file meta information (group 0002) names it. */
  readonly coding: Coding | undefined
}

export const START_BYTES = 4096
const PREAMBLE_BYTES = 128
const MAX_LEADING_BYTES = 15

/** VRs whose length field has 32 bits (PS3.5, table 7.1-1). */
const LONG_VRS: ReadonlySet<string> = new Set('OB OD OF OL OV OW SQ SV UC UN UR UT UV'.split(' '))
export const hasLongLength = (vr: string): boolean => LONG_VRS.has(vr)

/** @param head the first `START_BYTES` bytes of the file. Returns `undefined` if no element is found. */
export function findStart(head: Uint8Array): DicomStart | undefined {
  if (latin1Of(head.subarray(PREAMBLE_BYTES, PREAMBLE_BYTES + 4)) === 'DICM')
    return { at: PREAMBLE_BYTES + 4, preamble: head.slice(0, PREAMBLE_BYTES), coding: undefined }
  for (let at = 0; at <= MAX_LEADING_BYTES; at++)
    for (const coding of [EXPLICIT_LITTLE, IMPLICIT_LITTLE, EXPLICIT_BIG]) {
      if ((at > 0 && !coding.explicit) || !startsWithElements(head, at, coding)) continue
      const preamble = new Uint8Array(PREAMBLE_BYTES)
      preamble.set(head.subarray(0, at), PREAMBLE_BYTES - at)
      const hasMeta = new ByteReader(head, coding.littleEndian).u16(at) === 2
      return { at, preamble, coding: hasMeta ? undefined : coding }
    }
  return undefined
}

/** True if two elements in ascending order are at `at`, the first one of group 0002 or 0008. */
function startsWithElements(head: Uint8Array, at: number, coding: Coding): boolean {
  const first = headerAt(head, at, coding)
  if (!first || ![2, 8].includes(first.tag >>> 16) || (first.tag >>> 16 === 2 && !(coding.explicit && coding.littleEndian))) return false
  const second = headerAt(head, first.end, coding)
  return second ? second.tag > first.tag : coding.explicit && first.end + 12 > head.length
}

function headerAt(head: Uint8Array, at: number, { explicit, littleEndian }: Coding): { tag: number; end: number } | undefined {
  if (at + 12 > head.length) return undefined
  const reader = new ByteReader(head, littleEndian)
  const tag = reader.u16(at) * 0x1_0000 + reader.u16(at + 2)
  if (!explicit) return { tag, end: at + 8 + reader.u32(at + 4) }
  const vr = latin1Of(head.subarray(at + 4, at + 6))
  if (!/^[A-Z][A-Z]$/.test(vr)) return undefined
  return { tag, end: hasLongLength(vr) ? at + 12 + reader.u32(at + 8) : at + 8 + reader.u16(at + 6) }
}
