/** Writes the result: the same elements in the same order, and positions that lead to the same elements. */
import { headOf } from '../../../containers/ebml/element.ts'
import { CLUSTER, CUE_RELATIVE_POSITION, CUES, SEEK_HEAD, SEGMENT } from '../../../containers/ebml/matroska.ts'
import type { Options, Sink } from '../../../model/codec.ts'
import { noGain, unsupported } from '../../../model/error.ts'
import { WriteBuffer } from '../../../model/sink.ts'
import { type ClusterPlace, checksumOf, hasChecksum, newCluster } from './cluster.ts'
import { type NewPosition, newContent } from './content.ts'
import { type Layout, layOut, type Placed, resultBytes } from './layout.ts'
import type { MatroskaFile } from './scan.ts'

/** @throws CodecError (no_gain) before anything is written, if the result would not be smaller */
export async function writeSmaller(file: MatroskaFile, sink: Sink, options: Options): Promise<Layout> {
  const layout = await layOut(file, options)
  if (resultBytes(file, layout) >= file.reader.size) throw noGain()
  const buffer = new WriteBuffer(sink)
  await buffer.write(file.header)
  await buffer.write(file.isLive ? file.segmentHead : headOf(SEGMENT, layout.bytes))
  const newPosition = positionsOf(file, layout)
  let previous: Placed | undefined
  for (const placed of layout.placed) {
    for await (const bytes of bytesOf(file, placed, newPosition, previous)) await buffer.write(bytes)
    if (placed.element.id === CLUSTER) previous = placed
    options.progress(0.2 + (0.4 * placed.element.end) / file.reader.size)
  }
  await buffer.flush()
  return layout
}

/** Yields the new bytes of an element. `previous`: the cluster in front of it; `undefined`: none. */
async function* bytesOf(
  { reader, start }: MatroskaFile,
  { element, at, bodyBytes, replaced }: Placed,
  newPosition: NewPosition,
  previous: Placed | undefined,
): AsyncGenerator<Uint8Array, void> {
  const { id, bodyAt, end, content, isUnknown } = element
  yield isUnknown ? await reader.bytes(element.at, bodyAt - element.at) : headOf(id, bodyBytes)
  if (content) yield newContent(content, 1, id === SEEK_HEAD || id === CUES ? newPosition : undefined, replaced)
  else if (id !== CLUSTER) yield* reader.pieces(bodyAt, end - bodyAt)
  else {
    const before = placeOf(element.at - start, previous && previous.element.end - previous.element.at)
    const after = placeOf(at, previous && previous.headBytes + previous.bodyBytes)
    const bytes = () => newCluster(reader, element, before, after)
    if (await hasChecksum(reader, element)) yield* await checksumOf(bytes())
    yield* bytes()
  }
}

const placeOf = (position: number, previousSize = 0): ClusterPlace => ({ position, previousSize })

/** Returns the function that maps old positions to new ones. */
function positionsOf({ start, targets }: MatroskaFile, { placed }: Layout): NewPosition {
  const byOldPosition = new Map(placed.map(({ element, at }) => [element.at - start, at]))
  return ({ id, value, cluster }) => {
    const found = id === CUE_RELATIVE_POSITION ? targets.valueAt(start + (cluster ?? 0), value) : byOldPosition.get(value)
    if (found === undefined) throw unsupported('mkv_position_leads_nowhere')
    return found
  }
}
