/** Children of Segment (RFC 9559, section 5.1). */
import type { Element, Elements } from './elements.ts'

const SEGMENT = 0x18538067
export const CLUSTER = 0x1f43b675
export const INFO = 0x1549a966
export const SEEK_HEAD = 0x114d9b74
export const CUES = 0x1c53bb6b
export const TRACKS = 0x1654ae6b
export const TAGS = 0x1254c367
export const CHAPTERS = 0x1043a770
export const ATTACHMENTS = 0x1941a469
/** Element that fills space. */
export const VOID = 0xec

const CHILDREN = [CLUSTER, INFO, SEEK_HEAD, CUES, TRACKS, TAGS, CHAPTERS, ATTACHMENTS]

/** Yields the children of the first Segment, clusters of unknown size included. */
export async function* childrenOfSegment(elements: Elements, signal: AbortSignal): AsyncGenerator<Element> {
  const { size } = elements.view
  let segment = await elements.read(0, size)
  while (segment.id !== SEGMENT) segment = await elements.read(segment.end, size)
  for (let at = segment.body; at < segment.end; ) {
    signal.throwIfAborted()
    const element = await elements.read(at, segment.end)
    yield element
    at = element.isOpen ? await endOfCluster(elements, element) : element.end
  }
}

/** A cluster of unknown size ends in front of the next child of Segment. */
async function endOfCluster(elements: Elements, cluster: Element): Promise<number> {
  let at = cluster.body
  while (at < cluster.end) {
    const child = await elements.read(at, cluster.end)
    if (CHILDREN.includes(child.id)) break
    at = child.end
  }
  return at
}
