/** Clusters: their children, their new size, and their new bytes. Blocks are copied. */
import { crc32 } from '../../../bytes/crc32.ts'
import { headBytesOf, headOf, unsignedAt, writeUnsigned } from '../../../containers/ebml/element.ts'
import { BLOCK_GROUP, CRC_32, POSITION, PREVIOUS_SIZE, VOID } from '../../../containers/ebml/matroska.ts'
import type { EbmlReader } from '../../../containers/ebml/reader.ts'
import { unsupported } from '../../../model/error.ts'
import { type Content, checkContent, checkPlace, checkSum, crcBytes, newContent, newSizeOf, storedCrc } from './content.ts'
import type { Element } from './scan.ts'
import { MAX_ELEMENTS_IN_MEMORY, MAX_GROUP_BYTES } from './tuning.ts'

/** Child of a cluster. */
export interface ClusterChild {
  readonly id: number
  readonly at: number
  readonly bodyAt: number
  readonly end: number
  /** Body of a BlockGroup, valid until the next child is requested. `undefined`: another element, or a long one. */
  readonly group: Content | undefined
}

/** Depth of the children of a BlockGroup. */
export const GROUP_DEPTH = 2

/** Yields the children of a cluster. @throws CodecError if one is not valid, or a checksum is wrong */
export async function* childrenOfCluster(reader: EbmlReader, { bodyAt: start, end }: Element): AsyncGenerator<ClusterChild, void> {
  for (let at = start; at < end; ) {
    const { id, bodyAt, bodyBytes } = await reader.head(at, end)
    if (bodyBytes === undefined) throw unsupported('mkv_size_unknown')
    checkPlace(id, bodyBytes, at === start, at)
    const isGroup = id === BLOCK_GROUP && bodyBytes <= MAX_GROUP_BYTES
    const group = isGroup ? { bytes: await reader.bytes(bodyAt, bodyBytes), offset: bodyAt } : undefined
    if (group) checkContent(group, GROUP_DEPTH, MAX_ELEMENTS_IN_MEMORY)
    yield { id, at, bodyAt, end: bodyAt + bodyBytes, group }
    at = bodyAt + bodyBytes
  }
}

/** New size of a child's body. */
const newBodyBytes = ({ bodyAt, end, group }: ClusterChild) => (group ? newSizeOf(group, 0, group.bytes.length, GROUP_DEPTH) : end - bodyAt)

/**
 * Returns the new size of a cluster's body. `onChild` receives each child that stays, with its old and its new position in the body.
 * @throws CodecError (malformed) if the checksum is wrong
 */
export async function newClusterBytes(
  reader: EbmlReader,
  cluster: Element,
  onChild: (oldPosition: number, newPosition: number) => void,
): Promise<number> {
  let size = 0
  for await (const child of childrenOfCluster(reader, cluster)) {
    if (child.id === VOID) continue
    onChild(child.at - cluster.bodyAt, size)
    const body = newBodyBytes(child)
    size += headBytesOf(child.id, body) + body
  }
  return size
}

/** Compares the checksum of a cluster with its bytes. Clusters without one are not read. @throws CodecError (malformed) if it is wrong */
export async function checkCluster(reader: EbmlReader, { bodyAt, end }: Element): Promise<void> {
  if (end === bodyAt) return
  const head = await reader.head(bodyAt, end)
  if (head.id !== CRC_32 || head.bodyBytes === undefined) return
  checkPlace(head.id, head.bodyBytes, true, bodyAt)
  const stored = storedCrc(await reader.bytes(head.bodyAt, head.bodyBytes), 0)
  const from = head.bodyAt + head.bodyBytes
  let crc = 0
  for await (const piece of reader.pieces(from, end - from)) crc = crc32(piece, crc)
  checkSum(stored, crc, head.bodyAt)
}

/** New values of the fields of a cluster that tell where it is. `undefined`: the field stays. */
export interface ClusterPlace {
  readonly position: number
  readonly previousSize: number
}

/** Yields the new bytes of a cluster's body, behind the checksum if it has one. `place`: of the old and of the new cluster. */
export async function* newCluster(
  reader: EbmlReader,
  cluster: Element,
  before: ClusterPlace,
  after: ClusterPlace,
): AsyncGenerator<Uint8Array, void> {
  for await (const child of childrenOfCluster(reader, cluster)) {
    const { id, bodyAt, end, group } = child
    if (id === VOID || id === CRC_32) continue
    if (group) {
      const body = newContent(group, GROUP_DEPTH)
      yield headOf(id, body.length)
      yield body
      continue
    }
    yield headOf(id, end - bodyAt)
    if (id === POSITION) yield newField(await reader.bytes(bodyAt, end - bodyAt), before.position, after.position)
    else if (id === PREVIOUS_SIZE) yield newField(await reader.bytes(bodyAt, end - bodyAt), before.previousSize, after.previousSize)
    else yield* reader.pieces(bodyAt, end - bodyAt)
  }
}

/** Field with a new value in as many bytes. Live streams have zero, which stays. @throws CodecError (unsupported_feature) if it was wrong */
function newField(field: Uint8Array, before: number, after: number): Uint8Array {
  const value = field.length <= 8 ? unsignedAt(field, 0, field.length) : Number.NaN
  if (value !== 0 && value !== before) throw unsupported('mkv_position_leads_nowhere')
  const changed = field.slice()
  if (value !== 0) writeUnsigned(changed, 0, field.length, after)
  return changed
}

/** True if a cluster begins with a checksum. */
export async function hasChecksum(reader: EbmlReader, { bodyAt, end }: Element): Promise<boolean> {
  return end > bodyAt && (await reader.head(bodyAt, end)).id === CRC_32
}

/** Returns the checksum element for bytes that follow it. */
export async function checksumOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  let crc = 0
  for await (const piece of bytes) crc = crc32(piece, crc)
  return [headOf(CRC_32, 4), crcBytes(crc)]
}
