/** Where each element of the result begins. */
import { headBytesOf } from '../../../containers/ebml/element.ts'
import { ATTACHMENTS, CLUSTER, SEGMENT } from '../../../containers/ebml/matroska.ts'
import type { Options } from '../../../model/codec.ts'
import { checkCluster, newClusterBytes } from './cluster.ts'
import { newSizeOf, type Replacements } from './content.ts'
import { smallerPictures } from './pictures.ts'
import type { Element, MatroskaFile } from './scan.ts'

/** Element of the result. */
export interface Placed {
  readonly element: Element
  /** Position from the first child of Segment. */
  readonly at: number
  readonly headBytes: number
  readonly bodyBytes: number
  readonly replaced: Replacements | undefined
}

export interface Layout {
  readonly placed: readonly Placed[]
  /** Size of Segment without its header. */
  readonly bytes: number
  /** Attached pictures that became smaller. */
  readonly pictures: number
}

/** Plans the result. Keeps the new position of each element to which Cues lead in `file.targets`. */
export async function layOut(file: MatroskaFile, options: Options): Promise<Layout> {
  const placed: Placed[] = []
  let [at, pictures] = [0, 0]
  for (const element of file.elements) {
    const replaced = element.id === ATTACHMENTS && element.content ? await smallerPictures(element.content, options) : undefined
    const bodyBytes = await newBodyBytes(file, element, replaced)
    const headBytes = element.isUnknown ? element.bodyAt - element.at : headBytesOf(element.id, bodyBytes)
    placed.push({ element, at, headBytes, bodyBytes, replaced })
    at += headBytes + bodyBytes
    pictures += replaced?.size ?? 0
    options.progress((0.2 * element.end) / file.reader.size)
  }
  return { placed, bytes: at, pictures }
}

async function newBodyBytes({ reader, targets }: MatroskaFile, element: Element, replaced?: Replacements): Promise<number> {
  const { id, at, bodyAt, end, content } = element
  if (content) return newSizeOf(content, 0, content.bytes.length, 1, replaced)
  if (id !== CLUSTER) return end - bodyAt
  await checkCluster(reader, element)
  return await newClusterBytes(reader, element, (before, after) => targets.found(at, before, after))
}

/** Size of the whole result. */
export const resultBytes = (file: MatroskaFile, { bytes }: Layout): number =>
  file.header.length + (file.isLive ? file.segmentHead.length : headBytesOf(SEGMENT, bytes)) + bytes
