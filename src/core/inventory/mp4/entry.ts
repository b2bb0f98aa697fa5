/** Reads sample entries (ISO/IEC 14496-12, 8.5.2): colours, HDR metadata, pixel shape and channels of a track. */
import type { FileView } from '../file-view.ts'
import { digestText } from '../media/digests.ts'
import { be16, be32, nameAt } from '../media/numbers.ts'
import { type Box, bodyOf, boxesIn } from './boxes.ts'
import { type Colours, combined, isHdr } from './colours.ts'
import { h264Facts, hevcFacts, hevcSequence, type SequenceFacts } from './parameter-sets.ts'

/** What a sample entry of pictures tells. */
export interface PictureFacts {
  readonly colours: Colours
  readonly pixelShape: readonly [number, number] | undefined
  /** Bits a sample, for HDR only. */
  readonly hdrBits: number | undefined
  /** Items of the kind `side_data`, as `name = value`. */
  readonly sideData: readonly string[]
}

/** Bytes of the fields of a visual sample entry before its child boxes. */
const VISUAL_FIELDS = 78
/** Depths of QuickTime pictures with a colour table, which is not a box. */
const PALETTE_DEPTHS = [1, 2, 4, 8, 33, 34, 36, 40]
/** Bytes of a child box that are read. Colour profiles are the longest. */
const MAX_CHILD_BYTES = 4 * 1024 * 1024
const HDR_BOXES = ['mdcv', 'clli', 'SmDm', 'CoLL']

/** Side data by box type. The value is a digest, because only equality matters. */
const SIDE_DATA: { readonly [type: string]: string | undefined } = {
  mdcv: 'mastering display',
  SmDm: 'mastering display (VP9)',
  clli: 'light level',
  CoLL: 'light level (VP9)',
  cclv: 'colour volume',
  amve: 'ambient light',
  clap: 'clean aperture',
  fiel: 'fields',
  st3d: 'stereo 3D',
  sv3d: 'spherical',
  vexu: 'stereo eyes',
}

/** Bits a sample by type of the sample entry, where no box of the entry tells them: ProRes and uncompressed pictures. */
const ENTRY_BITS: { readonly [type: string]: number | undefined } = {
  apco: 10,
  apcs: 10,
  apcn: 10,
  apch: 10,
  ap4h: 12,
  ap4x: 12,
  v210: 10,
  v410: 10,
  v216: 16,
}

/** @param inFrame colours that a frame tells, for what the entry does not tell */
export async function pictureFacts(view: FileView, entry: Box, inFrame: Colours): Promise<PictureFacts> {
  const fields = await bodyOf(view, entry, VISUAL_FIELDS)
  const hasPalette = be16(fields, 76) === 0 && PALETTE_DEPTHS.includes(be16(fields, 74))
  const sideData: string[] = []
  let [told, shape]: [Colours, readonly [number, number] | undefined] = [{}, undefined]
  let stream: SequenceFacts = { colours: {} }
  let [bits, hdr] = [ENTRY_BITS[entry.type] ?? 8, false]
  const children = { body: Math.min(entry.end, entry.body + VISUAL_FIELDS), end: entry.end }
  for await (const box of boxesIn(view, children, hasPalette ? 'loose' : 'exact')) {
    const body = await bodyOf(view, box, MAX_CHILD_BYTES)
    hdr ||= HDR_BOXES.includes(box.type)
    const name = SIDE_DATA[box.type]
    if (name) sideData.push(`${name} = ${digestText(body)}`)
    else if (box.type === 'pasp') shape = [be32(body, 0), be32(body, 4)]
    else if (box.type === 'colr') {
      if (nameAt(body, 0) === 'prof' || nameAt(body, 0) === 'rICC') sideData.push(`icc profile = ${digestText(body.subarray(4))}`)
      else told = combined(told, colrColours(body))
    } else if (['dvcC', 'dvvC', 'dvwC'].includes(box.type)) sideData.push(dolbyVision(body))
    else {
      const facts = streamFacts(box.type, body)
      stream = facts ?? stream
      bits = facts?.bits ?? bits
    }
  }
  const colours = combined(combined(told, stream.colours), inFrame)
  return { colours, pixelShape: shape ?? stream.pixelShape, hdrBits: hdr || isHdr(colours) ? bits : undefined, sideData }
}

/** `colr` box: `nclx` (ISO/IEC 14496-12, 12.1.5) or `nclc` (QuickTime), which has no range. */
function colrColours(body: Uint8Array): Colours {
  const type = nameAt(body, 0)
  if (type !== 'nclx' && type !== 'nclc') return {}
  const codes = { primaries: be16(body, 4), transfer: be16(body, 6), matrix: be16(body, 8) }
  return type === 'nclx' && body.length > 10 ? { ...codes, fullRange: (body[10]! & 0x80) !== 0 } : codes
}

/** Dolby Vision configuration: versions, then profile (7 bits), level (6 bits) and three flags. */
function dolbyVision(body: Uint8Array): string {
  const word = be16(body, 2)
  return `dolby vision = profile ${word >> 9}, level ${(word >> 3) & 63}, layers ${(word & 7).toString(2)}, base ${(body[4] ?? 0) >> 4}`
}

/** Reads the decoder configuration. `undefined`: another box. */
function streamFacts(type: string, body: Uint8Array): SequenceFacts | undefined {
  if (type === 'avcC') {
    const size = be16(body, 6)
    return ((body[5] ?? 0) & 31) > 0 && size > 3 ? h264Facts(body.subarray(8, 8 + size)) : undefined
  }
  if (type === 'hvcC') {
    const sequence = hevcSequence(body)
    return { ...(sequence ? hevcFacts(sequence) : { colours: {} }), bits: 8 + ((body[17] ?? 0) & 7) }
  }
  if (type === 'vpcC') {
    const third = body[6] ?? 0
    return { bits: third >> 4, colours: { fullRange: (third & 1) === 1, primaries: body[7], transfer: body[8], matrix: body[9] } }
  }
  if (type === 'av1C') return { colours: {}, bits: (body[2] ?? 0) & 0x40 ? ((body[2] ?? 0) & 0x20 ? 12 : 10) : 8 }
  return undefined
}
