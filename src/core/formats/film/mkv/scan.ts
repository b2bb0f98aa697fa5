/** Reads the structure of a Matroska file: the children of Segment, and all but clusters and long elements into memory. */
import {
  CLUSTER,
  CRC_32,
  CUE_RELATIVE_POSITION,
  CUES,
  EBML,
  PARENTS,
  SEEK_HEAD,
  SEGMENT,
  SEGMENT_CHILDREN,
  VOID,
} from '../../../containers/ebml/matroska.ts'
import { EbmlReader } from '../../../containers/ebml/reader.ts'
import { message } from '../../../i18n/message.ts'
import type { Source } from '../../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../../model/error.ts'
import { type Child, type Content, checkContent, clusterIn, numberIn, rootOf, treeOf } from './content.ts'
import { CueTargets } from './cue-targets.ts'
import { MAX_CONTENT_BYTES, MAX_ELEMENTS, MAX_ELEMENTS_IN_MEMORY, MAX_HEADER_BYTES, MAX_MEMORY_BYTES } from './tuning.ts'

/** Child of Segment. */
export interface Element {
  readonly id: number
  readonly at: number
  readonly bodyAt: number
  readonly end: number
  /** True if the header does not tell the size. */
  readonly isUnknown: boolean
  /** Body of an element that is read. `undefined`: a cluster, or an element that is copied. */
  readonly content: Content | undefined
}

export interface MatroskaFile {
  readonly reader: EbmlReader
  /** EBML header with its own header, as it is. */
  readonly header: Uint8Array
  /** Header of Segment as it is, and true if it does not tell the size. */
  readonly segmentHead: Uint8Array
  readonly isLive: boolean
  /** Offset of the first child of Segment, from which positions count. */
  readonly start: number
  /** Children of Segment without Void. */
  readonly elements: readonly Element[]
  /** Positions inside clusters to which Cues lead. */
  readonly targets: CueTargets
  /** True if bytes are left out: Void elements. */
  readonly voidBytes: number
}

/** @throws CodecError if the structure cannot be read, or is too large */
export async function scan(source: Source, signal: AbortSignal): Promise<MatroskaFile> {
  const reader = new EbmlReader(source, signal)
  const ebml = await reader.head(0, reader.size)
  if (ebml.id !== EBML || ebml.bodyBytes === undefined) throw malformed('matroska', 0, 'mkv_no_element')
  if (ebml.bodyBytes > MAX_HEADER_BYTES) throw unsupported('mkv_header_too_large')
  let at = ebml.bodyAt + ebml.bodyBytes
  const header = (await reader.bytes(0, at)).slice()
  let voidBytes = 0
  for (;;) {
    const head = await reader.head(at, reader.size, true)
    if (head.id === SEGMENT) {
      if (head.bodyBytes !== undefined && head.bodyAt + head.bodyBytes !== reader.size) throw unsupported('mkv_data_behind_segment')
      const segmentHead = (await reader.bytes(at, head.bodyAt - at)).slice()
      const inside = await new SegmentScan(reader).read(head.bodyAt)
      voidBytes += inside.voidBytes
      return { reader, header, segmentHead, isLive: head.bodyBytes === undefined, start: head.bodyAt, ...inside, voidBytes }
    }
    if (head.id !== VOID || head.bodyBytes === undefined) throw malformed('matroska', at, 'mkv_no_segment')
    voidBytes += head.bodyAt + head.bodyBytes - at
    at = head.bodyAt + head.bodyBytes
  }
}

class SegmentScan {
  readonly #reader: EbmlReader
  readonly #elements: Element[] = []
  readonly #targets = new CueTargets()
  #memoryBytes = 0
  /** Elements in memory. */
  #inMemory = 0
  #voidBytes = 0

  constructor(reader: EbmlReader) {
    this.#reader = reader
  }

  async read(start: number) {
    const { size } = this.#reader
    for (let at = start; at < size; ) {
      const head = await this.#reader.head(at, size, true)
      if (head.id === SEGMENT || head.id === EBML) throw unsupported('mkv_several_segments')
      if (head.id === CRC_32) throw unsupported('mkv_segment_has_checksum')
      const end = head.bodyBytes === undefined ? await this.#endOf(head.id, head.bodyAt) : head.bodyAt + head.bodyBytes
      if (head.id === VOID) this.#voidBytes += end - at
      else {
        if (this.#elements.length >= MAX_ELEMENTS) throw overBudget(message('mkv_too_many_elements', { most: MAX_ELEMENTS }))
        const content = await this.#contentOf(head.id, head.bodyAt, end)
        this.#elements.push({ id: head.id, at, bodyAt: head.bodyAt, end, isUnknown: head.bodyBytes === undefined, content })
        if (head.id === CUES && content) this.#addCues(content, start)
      }
      at = end
    }
    return { elements: this.#elements, targets: this.#targets, voidBytes: this.#voidBytes }
  }

  /** Returns where a cluster of unknown size ends: in front of the next child of Segment (RFC 8794, section 6.2). */
  async #endOf(id: number, bodyAt: number): Promise<number> {
    const { size } = this.#reader
    if (id !== CLUSTER) throw unsupported('mkv_size_unknown')
    let at = bodyAt
    while (at < size) {
      const head = await this.#reader.head(at, size)
      if (SEGMENT_CHILDREN.has(head.id) || head.id === SEGMENT || head.id === EBML) break
      if (head.bodyBytes === undefined) throw unsupported('mkv_size_unknown')
      at = head.bodyAt + head.bodyBytes
    }
    return at
  }

  async #contentOf(id: number, bodyAt: number, end: number): Promise<Content | undefined> {
    if (!PARENTS.has(id) || id === CLUSTER) return undefined
    const isLong = end - bodyAt > MAX_CONTENT_BYTES
    if (isLong && id !== SEEK_HEAD && id !== CUES) return undefined
    this.#memoryBytes += end - bodyAt
    if (isLong || this.#memoryBytes > MAX_MEMORY_BYTES)
      throw overBudget(message('mkv_index_too_large', { mebibytes: MAX_CONTENT_BYTES / 2 ** 20 }))
    const content = { bytes: (await this.#reader.bytes(bodyAt, end - bodyAt)).slice(), offset: bodyAt }
    this.#inMemory += checkContent(content, 1, MAX_ELEMENTS_IN_MEMORY - this.#inMemory)
    return content
  }

  #addCues(content: Content, start: number): void {
    let [before, cluster]: [Child | undefined, number | undefined] = [undefined, undefined]
    for (const { child, parent } of treeOf(content, rootOf(content), 1)) {
      if (child.id !== CUE_RELATIVE_POSITION) continue
      if (before?.bodyAt !== parent.bodyAt) cluster = clusterIn(content, parent)
      before = parent
      if (cluster === undefined) throw unsupported('mkv_position_leads_nowhere')
      this.#targets.want(start + cluster, numberIn(content, child))
    }
  }
}
