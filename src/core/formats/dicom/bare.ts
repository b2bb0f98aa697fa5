/**
 * Recognises DICOM files without the preamble of Part 10 (PS3.10, 7.1): the data set starts at the first byte or after a few other bytes,
 * with or without file meta information. The check is that element values fit their tags.
 */

import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { Source } from '../../model/codec.ts'
import { rangeStream } from '../../model/source.ts'
import type { Encoding } from './elements.ts'
import { explicitHeader } from './to-explicit.ts'
import { BARE_HEAD_BYTES, MAX_LEADING_BYTES, PROVING_ELEMENTS } from './tuning.ts'
import { implicitVr, KNOWN_VRS, LONG_VRS } from './vr.ts'

const PREAMBLE_BYTES = 128
const CLASS_UID = 0x0008_0016
const INSTANCE_UID = 0x0008_0018
/** Implementation Class UID for the file meta information (PS3.10, table 7.1-1), derived from a UUID (PS3.5, B.2). It names Whittle. */
const IMPLEMENTATION = '2.25.35103877260547940582078844236044329196'

const ENCODINGS: readonly (Encoding & { readonly syntax: string })[] = [
  { explicit: true, littleEndian: true, syntax: '1.2.840.10008.1.2.1' },
  { explicit: false, littleEndian: true, syntax: '1.2.840.10008.1.2' },
  { explicit: true, littleEndian: false, syntax: '1.2.840.10008.1.2.2' },
]

export interface BareDicom {
  /** Offset of the first DICOM element in the file. */
  readonly at: number
  /** Transfer syntax of the data set. `undefined`: the file meta information has it. */
  readonly syntax: string | undefined
  readonly uids: ReadonlyMap<number, Uint8Array>
}

/** Recognises a file without preamble from its first bytes. `undefined`: not proved. */
export function recogniseBareDicom(head: Uint8Array): BareDicom | undefined {
  if (latin1Of(head.subarray(PREAMBLE_BYTES, PREAMBLE_BYTES + 4)) === 'DICM') return undefined
  for (let at = 0; at <= MAX_LEADING_BYTES && at + 8 <= head.length; at++) {
    for (const { syntax, ...encoding } of ENCODINGS) {
      const read = readElements(head.subarray(0, BARE_HEAD_BYTES), at, encoding)
      if (!read || (at > 0 && !encoding.explicit)) continue
      // Group 0002 is always explicit little endian, whatever the encoding of the data set.
      if (read.first >>> 16 !== 2) return { at, syntax, uids: read.uids }
      if (encoding.explicit && encoding.littleEndian) return { at, syntax: undefined, uids: read.uids }
    }
  }
  return undefined
}

/** Reads elements in ascending order from group 0002 or 0008 on. `undefined`: an element is out of order or its value does not fit. */
function readElements(head: Uint8Array, from: number, { explicit, littleEndian }: Encoding) {
  const reader = new ByteReader(head, littleEndian)
  const uids = new Map<number, Uint8Array>()
  let [at, last, count, first] = [from, -1, 0, 0]
  while (at + 8 <= head.length && count < PROVING_ELEMENTS) {
    const tag = ((reader.u16(at) << 16) | reader.u16(at + 2)) >>> 0
    if (count > 0 && first >>> 16 === 2 && tag >>> 16 !== 2) break
    const named = latin1Of(head.subarray(at + 4, at + 6))
    const vr = explicit ? named : implicitVr(tag, false)
    if (tag <= last || !KNOWN_VRS.has(vr) || (explicit && !fitsTag(tag, vr)) || (!explicit && vr === 'UN' && !isPrivate(tag)))
      return undefined
    if (count === 0 && tag >>> 16 !== 2 && tag >>> 16 !== 8) return undefined
    const isLong = explicit && LONG_VRS.has(vr)
    if (isLong && (at + 12 > head.length || reader.u16(at + 6) !== 0)) return undefined
    const length = !explicit ? reader.u32(at + 4) : isLong ? reader.u32(at + 8) : reader.u16(at + 6)
    const valueAt = at + (isLong ? 12 : 8)
    if (vr === 'SQ' || valueAt + length > head.length) break
    const value = head.subarray(valueAt, valueAt + length)
    if (!isValue(vr, value)) return undefined
    if (tag === CLASS_UID || tag === INSTANCE_UID) uids.set(tag, value)
    if (count === 0) first = tag
    count++
    last = tag
    at = valueAt + length
  }
  return isProved({ count, first, uids }) ? { first, uids } : undefined
}

/** True with enough valid elements, with a SOP Class UID of DICOM, or with the start of file meta information. */
function isProved({ count, first, uids }: { count: number; first: number; uids: ReadonlyMap<number, Uint8Array> }): boolean {
  if (count >= PROVING_ELEMENTS || (count >= 3 && first >>> 16 === 2)) return true
  return latin1Of(uids.get(CLASS_UID) ?? new Uint8Array()).startsWith('1.2.840.10008.')
}

const isPrivate = (tag: number) => ((tag >>> 16) & 1) === 1

/** True if a standard element has the VR of the dictionary. Elements unknown to the dictionary pass. */
function fitsTag(tag: number, vr: string): boolean {
  const known = implicitVr(tag, false)
  return vr === known || known === 'UN' || vr === 'UN' || (known === 'US' && vr === 'SS') || (known === 'OW' && vr === 'OB')
}

/** True if the bytes can be a value of the VR (PS3.5, table 6.2-1). Covers VRs that occur at the start of a data set. */
function isValue(vr: string, value: Uint8Array): boolean {
  if (value.length % 2 !== 0) return false
  const text = () => latin1Of(value)
  switch (vr) {
    case 'UI':
      return value.length <= 66 && /^(?:[0-9]+(?:\.[0-9]+)*)?(?:\\[0-9]+(?:\.[0-9]+)*)*[\0 ]*$/.test(text())
    case 'CS':
      return /^[A-Z0-9_ \\]*\0?$/.test(text())
    case 'DA':
      return /^[0-9.\\ -]*\0?$/.test(text())
    case 'TM':
    case 'DT':
      return /^[0-9.:+\\ -]*\0?$/.test(text())
    case 'UL':
      return value.length % 4 === 0
    case 'US':
      return value.length > 0
    default:
      // Text in any character set may contain line ends, tabs and escape sequences, but no other control characters.
      return !['AE', 'AS', 'LO', 'LT', 'PN', 'SH', 'ST', 'IS', 'DS', 'UC', 'UR', 'UT'].includes(vr) || isText(value)
  }
}

const isText = (value: Uint8Array) =>
  value.every((byte, i) => byte >= 0x20 || [9, 10, 12, 13, 27].includes(byte) || (byte === 0 && i === value.length - 1))

/**
 * Returns the file with the preamble and file meta information that it lacks (PS3.10, 7.1). Bytes before the first element become the end
 * of the preamble, which may hold anything.
 */
export function withPreamble(source: Source, { at, syntax, uids }: BareDicom, before: Uint8Array): Source {
  const preamble = new Uint8Array(PREAMBLE_BYTES)
  preamble.set(before.subarray(0, at), PREAMBLE_BYTES - at)
  const head = concat([preamble, new TextEncoder().encode('DICM'), ...(syntax === undefined ? [] : fileMeta(syntax, uids))])
  const size = head.length + source.size - at
  const read = async (offset: number, length: number) => {
    const wanted = Math.max(0, Math.min(length, size - offset))
    if (offset >= head.length) return source.read(offset - head.length + at, wanted)
    const start = head.slice(offset, offset + wanted)
    return start.length === wanted ? start : concat([start, await source.read(at, wanted - start.length)])
  }
  return { name: source.name, size, read, stream: () => rangeStream(size, read) }
}

function fileMeta(syntax: string, uids: BareDicom['uids']): Uint8Array[] {
  const uid = (text: string) => new TextEncoder().encode(text.length % 2 ? `${text}\0` : text)
  const values: [number, string, Uint8Array | undefined][] = [
    [0x0002_0001, 'OB', Uint8Array.of(0, 1)],
    [0x0002_0002, 'UI', uids.get(CLASS_UID)],
    [0x0002_0003, 'UI', uids.get(INSTANCE_UID)],
    [0x0002_0010, 'UI', uid(syntax)],
    [0x0002_0012, 'UI', uid(IMPLEMENTATION)],
  ]
  const elements = concat(values.flatMap(([tag, vr, value]) => (value ? [explicitHeader(tag, vr, value.length), value] : [])))
  return [explicitHeader(0x0002_0000, 'UL', 4), new ByteWriter(new Uint8Array(4), true).u32(elements.length).finish(), elements]
}
