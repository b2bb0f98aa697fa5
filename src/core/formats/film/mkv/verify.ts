/** Compares two Matroska files: every element and block byte for byte, and the elements to which positions lead. */
import { equalBytes } from '../../../bytes/equal.ts'
import { ATTACHMENTS, CLUSTER, CUE_RELATIVE_POSITION, CUES, SEEK_HEAD } from '../../../containers/ebml/matroska.ts'
import type { Options, Source, Verdict } from '../../../model/codec.ts'
import { isCodecError } from '../../../model/error.ts'
import type { NewPosition } from './content.ts'
import { type Element, type MatroskaFile, scan } from './scan.ts'
import { clusterDifference } from './verify-cluster.ts'
import { contentDifference } from './verify-content.ts'
import { rangeDifference, type Side } from './verify-range.ts'

export async function verifyMatroska(original: Source, result: Source, { signal, progress }: Options): Promise<Verdict> {
  try {
    const [a, b] = [await scan(original, signal), await scan(result, signal)]
    const difference = await fileDifference(a, b, (share) => progress(0.6 + 0.4 * share))
    return difference === undefined ? { equal: true } : { equal: false, difference }
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return { equal: false, difference: error.message }
    throw error
  }
}

async function fileDifference(a: MatroskaFile, b: MatroskaFile, progress: (share: number) => void): Promise<string | undefined> {
  if (!equalBytes(a.header, b.header)) return 'the EBML header changed'
  if (a.isLive !== b.isLive || (a.isLive && !equalBytes(a.segmentHead, b.segmentHead))) return 'the header of Segment changed'
  if (a.elements.length !== b.elements.length) return `${a.elements.length} elements became ${b.elements.length}`
  const indexes: [Element, Element][] = []
  let previous: [Element, Element] | undefined
  for (const [i, one] of a.elements.entries()) {
    const other = b.elements[i]!
    if (!(await haveSameHeads(a, one, b, other))) return `element ${i} changed its header`
    if (one.id === SEEK_HEAD || one.id === CUES) indexes.push([one, other])
    else {
      const difference = await elementDifference([a, one, previous?.[0]], [b, other, previous?.[1]])
      if (difference !== undefined) return `element ${i}: ${difference}`
    }
    if (one.id === CLUSTER) previous = [one, other]
    progress(one.end / a.reader.size)
  }
  return indexDifference(a, b, indexes)
}

async function haveSameHeads(a: MatroskaFile, one: Element, b: MatroskaFile, other: Element): Promise<boolean> {
  if (one.id !== other.id || one.isUnknown !== other.isUnknown) return false
  if (!one.isUnknown) return true
  const head = (await a.reader.bytes(one.at, one.bodyAt - one.at)).slice()
  return equalBytes(head, await b.reader.bytes(other.at, other.bodyAt - other.at))
}

async function elementDifference(left: Side, right: Side): Promise<string | undefined> {
  const [[a, one], [b, other]] = [left, right]
  if (one.id === CLUSTER) return await clusterDifference(left, right)
  if (one.content && other.content) return contentDifference(one.content, other.content, 1, { arePictures: one.id === ATTACHMENTS })
  return await rangeDifference(a, one, b, other)
}

/** Compares SeekHead and Cues: positions by the number of the element to which they lead. */
function indexDifference(a: MatroskaFile, b: MatroskaFile, indexes: readonly [Element, Element][]): string | undefined {
  const places = { left: placesOf(a), right: placesOf(b) }
  for (const [one, other] of indexes) {
    if (!one.content || !other.content) return 'an index is not in memory'
    const difference = contentDifference(one.content, other.content, 1, places)
    if (difference !== undefined) return `index: ${difference}`
  }
  return undefined
}

/** Returns the number of the element to which a position leads; -1: none. */
function placesOf({ elements, start, targets }: MatroskaFile): NewPosition {
  const numbers = new Map(elements.map(({ at }, i) => [at - start, i]))
  return ({ id, value, cluster }) =>
    id === CUE_RELATIVE_POSITION ? targets.valueAt(start + (cluster ?? 0), value) : (numbers.get(value) ?? -1)
}
