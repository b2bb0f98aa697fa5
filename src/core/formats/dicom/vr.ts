/** Properties of value representations (VR; DICOM PS3.5, 6.2). */
import { REPEATING_TAGS, TAGS_BY_VR } from './vr-table.ts'

/** VRs with a 32-bit length field in explicit files (PS3.5, table 7.1-1). */
export const LONG_VRS: ReadonlySet<string> = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'SV', 'UC', 'UN', 'UR', 'UT', 'UV'])

const SHORT_VRS = [
  'AE',
  'AS',
  'AT',
  'CS',
  'DA',
  'DS',
  'DT',
  'FD',
  'FL',
  'IS',
  'LO',
  'LT',
  'PN',
  'SH',
  'SL',
  'SS',
  'ST',
  'TM',
  'UI',
  'UL',
  'US',
]
export const KNOWN_VRS: ReadonlySet<string> = new Set([...SHORT_VRS, ...LONG_VRS])

/** Bytes per word that a big-endian file swaps (PS3.5, 7.3). AT is a pair of 16-bit words. */
export function wordBytes(vr: string): 1 | 2 | 4 | 8 {
  if (['US', 'SS', 'OW', 'AT'].includes(vr)) return 2
  if (['UL', 'SL', 'FL', 'OF', 'OL'].includes(vr)) return 4
  return ['FD', 'OD', 'OV', 'SV', 'UV'].includes(vr) ? 8 : 1
}

let table: Map<number, string> | undefined

/**
 * VR of an element in an implicit file. Private and unknown elements are UN.
 * @param signed true if Pixel Representation is 1: SS instead of US (PS3.5, A.1)
 */
export function implicitVr(tag: number, signed: boolean): string {
  const group = tag >>> 16
  const element = tag & 0xffff
  if (element === 0) return 'UL' // element 0000 of a group is its length
  if (group & 1) return element >= 0x10 && element <= 0xff ? 'LO' : 'UN' // private creator elements (PS3.5, 7.8.1)
  table ??= readTable()
  const vr = table.get(tag) ?? REPEATING_TAGS.find(([mask, pattern]) => (tag & mask) >>> 0 === pattern)?.[2] ?? 'UN'
  return vr === 'US/SS' ? (signed ? 'SS' : 'US') : vr
}

function readTable(): Map<number, string> {
  const tags = new Map<number, string>()
  for (const [vr, differences] of Object.entries(TAGS_BY_VR)) {
    let tag = 0
    for (const difference of differences.split(' ')) {
      tag += Number.parseInt(difference, 36)
      tags.set(tag, vr)
    }
  }
  return tags
}
