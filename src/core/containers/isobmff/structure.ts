/**
 * Checks that the boxes of an index fill their parents exactly. Rebuilt boxes contain only children that were found, so a damaged size
 * would silently drop boxes.
 * In boxes that are copied whole (`udta`, `meta`, …), only children longer than their parent are errors, because readers differ about the
 * end of such a list.
 */

import { type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { type Box, typeAt, u16At, u32At, u64At } from './box.ts'

/** Layout of a parent box: bytes before its children, and child types that may occur at most once. */
interface Parent {
  /** Bytes of fields between the box header and the first child box. */
  readonly fields: number
  /** True if the last four of the `fields` bytes are the number of children. */
  readonly counted?: true
  readonly once?: readonly string[]
}

/** Boxes that Whittle parses and writes again (ISO/IEC 14496-12; QuickTime File Format). */
const PARENTS: { readonly [type: string]: Parent | undefined } = {
  moov: { fields: 0, once: ['mvhd', 'mvex', 'cmov'] },
  cmov: { fields: 0, once: ['dcom', 'cmvd'] },
  trak: { fields: 0, once: ['tkhd', 'mdia', 'edts'] },
  edts: { fields: 0, once: ['elst'] },
  mdia: { fields: 0, once: ['mdhd', 'hdlr', 'minf'] },
  minf: { fields: 0, once: ['stbl', 'dinf'] },
  dinf: { fields: 0, once: ['dref'] },
  dref: { fields: 8, counted: true },
  stbl: { fields: 0, once: ['stsd', 'stts', 'ctts', 'stsc', 'stss', 'stps', 'stsz', 'stz2', 'stco', 'co64'] },
  stsd: { fields: 8, counted: true },
  mvex: { fields: 0 },
  moof: { fields: 0, once: ['mfhd'] },
  traf: { fields: 0, once: ['tfhd', 'tfdt'] },
}

/** Boxes that Whittle copies whole and that contain only boxes. Metadata readers follow the sizes inside them. */
const COPIED = new Set(['udta', 'meta', 'ilst', 'gmhd', 'tref', 'tapt'])

/** Bytes of the fields of a visual sample entry (ISO/IEC 14496-12, 12.1.3), before its child boxes. */
const VISUAL_FIELDS = 78
/** Depths of QuickTime pictures that may have a colour table. 33 to 40: greyscale, 32 plus the bits of a pixel. */
const PALETTE_DEPTHS: readonly number[] = [1, 2, 4, 8, 33, 34, 36, 40]

/**
 * Checks `outer` and every descendant box that is written again.
 * @param at file offset of `bytes`, for error messages
 * @throws CodecError (malformed) if a child does not fit, non-zero bytes are left over or a box occurs twice. In boxes that are copied
 * whole, only if a child does not fit.
 */
export function checkStructure(bytes: Uint8Array, outer: Box, at: number): void {
  if (COPIED.has(outer.type)) checkCopied(bytes, outer, at)
  const parent = PARENTS[outer.type]
  if (!parent) return
  const problem = (what: MessageOrCode, offset: number) =>
    malformed('mp4', at + offset, message('inside_box', { what: toMessage(what), parent: outer.type }))
  const children = childrenOf(bytes, { ...outer, body: Math.min(outer.end, outer.body + parent.fields) }, at)
  if (parent.counted) {
    if (outer.end - outer.body < parent.fields) throw problem('no_entries', outer.start)
    const count = u32At(bytes, outer.body + 4)
    if (count !== children.length) throw problem(message('entries_instead_of', { found: children.length, count }), outer.start)
  }
  const seen = new Set<string>()
  for (const child of children) {
    if (parent.once?.includes(child.type) && seen.has(child.type))
      throw problem(message('second_of_type', { type: child.type }), child.start)
    seen.add(child.type)
    checkStructure(bytes, child, at)
  }
  if (outer.type === 'trak') checkVisualEntries(bytes, outer, at)
}

/**
 * Checks a box that is copied whole. A child of size 0 ends the list (QuickTime). @throws CodecError (malformed) if a child does not fit
 * into `parent`
 */
function checkCopied(bytes: Uint8Array, parent: Box, at: number): void {
  let next = parent.body + (parent.type === 'meta' ? metaFields(bytes, parent) : 0)
  while (next + 8 <= parent.end) {
    const size = u32At(bytes, next)
    if (size === 0) return
    const child = childAt(bytes, parent, next, at)
    if (COPIED.has(child.type)) checkCopied(bytes, child, at)
    next = child.end
  }
}

/** Bytes of version and flags in `meta`: 4 in ISO files, 0 in QuickTime files, where the first child follows the header. */
const metaFields = (bytes: Uint8Array, { body }: Box): number => (META_CHILDREN.has(typeAt(bytes, body + 4)) ? 0 : 4)
const META_CHILDREN = new Set(['hdlr', 'mhdr', 'keys', 'ilst'])

/** Returns all children of `parent`. @throws CodecError (malformed) if they do not fill it, except for zeros at the end */
export function childrenOf(bytes: Uint8Array, parent: Box, at = 0): Box[] {
  const found: Box[] = []
  let next = parent.body
  while (next + 8 <= parent.end) {
    // QuickTime ends some lists with four zeros. Inside a parent box, size 0 has no other meaning.
    if (u32At(bytes, next) === 0 && isZero(bytes, next, parent.end)) return found
    const child = childAt(bytes, parent, next, at)
    found.push(child)
    next = child.end
  }
  if (!isZero(bytes, next, parent.end))
    throw malformed('mp4', at + next, message('bytes_left_over', { left: parent.end - next, parent: parent.type }))
  return found
}

/** Returns the box at `start`. @throws CodecError (malformed) if it does not fit into `parent` */
function childAt(bytes: Uint8Array, parent: Box, start: number, at: number): Box {
  let size = u32At(bytes, start)
  const wide = size === 1 && start + 16 <= parent.end
  if (wide) size = u64At(bytes, start + 8)
  const header = wide ? 16 : 8
  const type = typeAt(bytes, start + 4)
  if (size < header || start + size > parent.end)
    throw malformed('mp4', at + start, message('part_does_not_fit', { type, size, left: parent.end - start, parent: parent.type }))
  return { type, start, body: start + header, end: start + size }
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false
  return true
}

/** Checks the child boxes of visual sample entries, which are copied one by one into new entries. */
function checkVisualEntries(bytes: Uint8Array, trak: Box, at: number): void {
  const first = (parent: Box | undefined, type: string, fields = 0) =>
    parent && childrenOf(bytes, { ...parent, body: parent.body + fields }).find((child) => child.type === type)
  const mdia = first(trak, 'mdia')
  const hdlr = first(mdia, 'hdlr')
  if (!hdlr || typeAt(bytes, hdlr.body + 8) !== 'vide') return
  const stsd = first(first(first(mdia, 'minf'), 'stbl'), 'stsd')
  for (const entry of stsd ? childrenOf(bytes, { ...stsd, body: stsd.body + 8 }) : []) {
    if (entry.end - entry.body < VISUAL_FIELDS) continue
    // Fields at 74 and 76: depth and colour table id. Id 0: a colour table follows, which is not a box.
    if (u16At(bytes, entry.body + 76) === 0 && PALETTE_DEPTHS.includes(u16At(bytes, entry.body + 74))) continue
    childrenOf(bytes, { ...entry, body: entry.body + VISUAL_FIELDS }, at)
  }
}

/** Box types that writers put first in a `trak` box. */
const IN_TRACK = new Set(['tkhd', 'edts', 'mdia', 'tref', 'trgr', 'udta', 'meta', 'tapt', 'clip', 'matt', 'load', 'imap', 'free', 'uuid'])

/** Counts `trak` headers anywhere in the bytes. It does not follow sizes, so a wrong size cannot hide a track. */
export function countTrackHeaders(bytes: Uint8Array): number {
  let count = 0
  for (let i = bytes.indexOf(0x74); i >= 0 && i + 12 <= bytes.length; i = bytes.indexOf(0x74, i + 1)) {
    if (typeAt(bytes, i) === 'trak' && IN_TRACK.has(typeAt(bytes, i + 8))) count++
  }
  return count
}
