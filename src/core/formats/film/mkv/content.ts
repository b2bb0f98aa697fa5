/** Elements in memory: their children, their new size, and their new bytes without Void and with the shortest size fields. */
import { crc32 } from '../../../bytes/crc32.ts'
import { headAt, headBytesOf, unsignedAt, writeHead, writeUnsigned } from '../../../containers/ebml/element.ts'
import {
  CRC_32,
  CUE_CLUSTER_POSITION,
  CUE_RELATIVE_POSITION,
  CUE_TRACK_POSITIONS,
  OTHER_POSITIONS,
  PARENTS,
  SEEK_POSITION,
  VOID,
} from '../../../containers/ebml/matroska.ts'
import { message } from '../../../i18n/message.ts'
import { malformed, overBudget, unsupported } from '../../../model/error.ts'
import { MAX_DEPTH } from './tuning.ts'

/** Bytes of an element with children, without its header. */
export interface Content {
  readonly bytes: Uint8Array
  /** File offset of the first byte, for messages. */
  readonly offset: number
}

export interface Child {
  readonly id: number
  readonly bodyAt: number
  readonly end: number
}

/** Bytes of a CRC-32 element: header and checksum (RFC 8794, section 11.3.1). */
export const CRC_ELEMENT_BYTES = 6
const CRC_BYTES = 4

/** Yields the children between two indexes. @throws CodecError (malformed) if one is not valid or ends outside */
export function* childrenOf({ bytes, offset }: Content, from: number, to: number): Generator<Child> {
  for (let at = from; at < to; ) {
    const head = headAt(bytes, at)
    if (!head) throw malformed('matroska', offset + at, 'mkv_no_element')
    if (head.bodyBytes === undefined) throw unsupported('mkv_size_unknown')
    const end = head.bodyAt + head.bodyBytes
    if (end > to) throw malformed('matroska', offset + at, 'mkv_element_cut_off')
    checkPlace(head.id, head.bodyBytes, at === from, offset + at)
    yield { id: head.id, bodyAt: head.bodyAt, end }
    at = end
  }
}

/** @throws CodecError if a checksum is not the first child, or has another length */
export function checkPlace(id: number, bodyBytes: number | undefined, isFirst: boolean, offset: number): void {
  if (id === CRC_32 && (!isFirst || bodyBytes !== CRC_BYTES)) throw malformed('matroska', offset, 'mkv_checksum_out_of_place')
}

export const isParent = (id: number, depth: number): boolean => depth < MAX_DEPTH && PARENTS.has(id)

/** Yields a parent and everything below it, parents first, with the position of the cluster beside it. `depth`: depth of its children. */
export function* treeOf(content: Content, parent: Child, depth: number): Generator<{ child: Child; parent: Child; depth: number }> {
  for (const child of childrenOf(content, parent.bodyAt, parent.end)) {
    yield { child, parent, depth }
    if (isParent(child.id, depth)) yield* treeOf(content, child, depth + 1)
  }
}

/**
 * Checks the checksums of a content and of everything below it. Returns the number of its elements. `depth`: depth of its children.
 * @throws CodecError (malformed) if one is wrong, (over_budget) if it has more than `most` elements
 */
export function checkContent(content: Content, depth: number, most: number): number {
  const { bytes, offset } = content
  let count = 0
  for (const { child, parent } of treeOf(content, rootOf(content), depth)) {
    if (++count > most) throw overBudget(message('mkv_too_many_elements', { most }))
    if (child.id === CRC_32) checkSum(storedCrc(bytes, child.bodyAt), crc32(bytes.subarray(child.end, parent.end)), offset + child.bodyAt)
  }
  return count
}

/** The element itself, as parent of its children. */
export const rootOf = ({ bytes }: Content): Child => ({ id: 0, bodyAt: 0, end: bytes.length })

/** Checksums are stored with the lowest byte first. */
export const storedCrc = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true)

export function checkSum(stored: number, computed: number, offset: number): void {
  if (stored !== computed) throw malformed('matroska', offset, 'mkv_checksum_wrong')
}

/** New bodies of elements by the index of the old body. */
export type Replacements = ReadonlyMap<number, Uint8Array>
const NONE: Replacements = new Map()

/** Returns the size of a content without Void and with the shortest size fields. `depth`: depth of the children. */
export function newSizeOf(content: Content, from: number, to: number, depth: number, replaced = NONE): number {
  let size = 0
  for (const { id, bodyAt, end } of childrenOf(content, from, to)) {
    if (id === VOID) continue
    const body = bodySizeOf(content, { id, bodyAt, end }, depth, replaced)
    size += headBytesOf(id, body) + body
  }
  return size
}

const bodySizeOf = (content: Content, { id, bodyAt, end }: Child, depth: number, replaced: Replacements) =>
  isParent(id, depth) ? newSizeOf(content, bodyAt, end, depth + 1, replaced) : (replaced.get(bodyAt)?.length ?? end - bodyAt)

/** Position in SeekHead or Cues. */
export interface Position {
  readonly id: number
  readonly value: number
  /** Position of the cluster in the same CueTrackPositions. `undefined`: none. */
  readonly cluster: number | undefined
}

/** Returns the new value of a position. @throws CodecError (unsupported_feature) if the old one leads nowhere */
export type NewPosition = (position: Position) => number

const POSITIONS: ReadonlySet<number> = new Set([SEEK_POSITION, CUE_CLUSTER_POSITION, CUE_RELATIVE_POSITION])

/** True for an element of SeekHead or Cues whose value is a position. @throws CodecError (unsupported_feature) for positions of old programs */
export function isPosition(id: number, value: number): boolean {
  if (OTHER_POSITIONS.has(id) && value !== 0) throw unsupported('mkv_old_positions')
  return POSITIONS.has(id)
}

interface Writing {
  readonly content: Content
  readonly to: Uint8Array
  readonly replaced: Replacements
  /** `undefined`: the content has no positions. */
  readonly newPosition: NewPosition | undefined
}

/** Returns the content without Void, with the shortest size fields, new positions and new checksums. */
export function newContent(content: Content, depth: number, newPosition?: NewPosition, replaced = NONE): Uint8Array {
  const { length } = content.bytes
  const to = new Uint8Array(newSizeOf(content, 0, length, depth, replaced))
  writeContent({ content, to, replaced, newPosition }, rootOf(content), depth, 0)
  return to
}

/** Writes the children of `parent` at an index. Returns the index behind them. */
function writeContent(writing: Writing, parent: Child, depth: number, start: number): number {
  const { content, to, replaced } = writing
  const cluster = clusterIn(content, parent)
  let [at, crcEnd] = [start, 0]
  for (const child of childrenOf(content, parent.bodyAt, parent.end)) {
    const { id, bodyAt, end } = child
    if (id === VOID) continue
    at = writeHead(to, at, id, bodySizeOf(content, child, depth, replaced))
    if (id === CRC_32) crcEnd = at + CRC_BYTES
    if (isParent(id, depth)) at = writeContent(writing, child, depth + 1, at)
    else {
      const body = replaced.get(bodyAt) ?? content.bytes.subarray(bodyAt, end)
      to.set(body, at)
      writePosition(writing, child, cluster, at)
      at += body.length
    }
  }
  if (crcEnd > 0) to.set(crcBytes(crc32(to.subarray(crcEnd, at))), crcEnd - CRC_BYTES)
  return at
}

function writePosition({ content, to, newPosition }: Writing, child: Child, cluster: number | undefined, at: number): void {
  if (!newPosition) return
  const value = numberIn(content, child)
  if (isPosition(child.id, value)) writeUnsigned(to, at, child.end - child.bodyAt, newPosition({ id: child.id, value, cluster }))
}

/** Position of the cluster in a CueTrackPositions. `undefined`: none, or another parent. */
export function clusterIn(content: Content, { id, bodyAt, end }: Child): number | undefined {
  if (id !== CUE_TRACK_POSITIONS) return undefined
  for (const child of childrenOf(content, bodyAt, end)) if (child.id === CUE_CLUSTER_POSITION) return numberIn(content, child)
  return undefined
}

/** Value of an element that is an unsigned number of at most 8 bytes. */
export const numberIn = ({ bytes }: Content, { bodyAt, end }: Child): number => unsignedAt(bytes, bodyAt, Math.min(8, end - bodyAt))

export function crcBytes(crc: number): Uint8Array {
  const bytes = new Uint8Array(CRC_BYTES)
  new DataView(bytes.buffer).setUint32(0, crc, true)
  return bytes
}
