/**
 * Counts content that the result does not contain: objects that nothing refers to, and versions of objects that a later update replaced.
 */
import { type Message, message } from '../../i18n/message.ts'
import { sortByFilePosition } from './object-head-index.ts'
import { Dict, nameOf, type PdfObject, PdfSyntax, Stream } from './objects.ts'
import type { ReachableObjects } from './reachable-objects.ts'
import { ObjectNumberList } from './reachable-objects.ts'
import type { Reader } from './reader.ts'
import { MOST_UNUSED_READ } from './tuning.ts'
import { AT_OFFSET, IN_STREAM } from './xref.ts'

/** Receipt steps that report removed objects; empty if nothing was removed. */
export async function unusedSteps(reader: Reader, reach: ReachableObjects, signal: AbortSignal): Promise<Message[]> {
  const steps: Message[] = []
  const unused = await countUnused(reader, reach, signal)
  if (unused > 0) steps.push(message(unused >= MOST_UNUSED_READ ? 'at_least_objects_removed' : 'objects_removed', { objects: unused }))
  const { replaced } = reader.xref
  if (replaced > 0) steps.push(message('earlier_versions_removed', { versions: replaced }))
  return steps
}

async function countUnused(reader: Reader, { used }: ReachableObjects, signal: AbortSignal): Promise<number> {
  const { xref } = reader
  const numbers = new ObjectNumberList()
  for (let number = 1; number < used.length && numbers.length < MOST_UNUSED_READ; number++) {
    const kind = xref.kind(number)
    if (used[number] === 0 && (kind === AT_OFFSET || kind === IN_STREAM)) numbers.push(number)
  }
  let count = 0
  for (const number of reader.readsInFileOrder ? sortByFilePosition(xref, numbers) : numbers) {
    if (count % 256 === 0) signal.throwIfAborted()
    if (isContent(await reader.get(number).catch(unreadable))) count++
  }
  return count
}

/**
 * True for dictionaries and streams of document content. False for cross-reference streams, object streams, hint streams and encryption
 * dictionaries.
 */
function isContent(object: PdfObject): boolean {
  if (object instanceof Stream) {
    return !/^(XRef|ObjStm)$/.test(nameOf(object.dict.get('Type'))) && typeof object.dict.get('S') !== 'number'
  }
  if (!(object instanceof Dict) || object.size === 0) return false
  const isEncryption = object.has('Filter') && object.has('V') && object.has('O')
  return !object.has('Linearized') && !isEncryption
}

function unreadable(error: unknown): null {
  if (error instanceof PdfSyntax || error instanceof RangeError) return null
  throw error
}
