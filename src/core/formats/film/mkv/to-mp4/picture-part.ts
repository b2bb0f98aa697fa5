/**
 * Parts of the pictures. Each part reads only the clusters that hold its frames, because reading the times of a whole film takes as long as
 * reading the film.
 */

import { createCompactArray, GrowingCompactArray, sumOf } from '../../../../bytes/compact-array.ts'
import { latin1Of } from '../../../../bytes/latin1.ts'
import { CLUSTER, TRACKS } from '../../../../containers/ebml/matroska.ts'
import { EbmlReader } from '../../../../containers/ebml/reader.ts'
import type { SampleTables } from '../../../../containers/isobmff/tables.ts'
import type { Options, Sink, Source } from '../../../../model/codec.ts'
import { malformed } from '../../../../model/error.ts'
import type { PartPlan, PartReceipt, PartTotals } from '../../../../model/segmented.ts'
import { reorderDepth } from '../../cut.ts'
import { videoStream } from '../../decoders.ts'
import { runPicturePart } from '../../film.ts'
import { levelOf } from '../../levels.ts'
import { nativeStream } from '../../native/stream.ts'
import { writeUnchangedPictures } from '../../part-file.ts'
import { isNotShrinking, isPicturePart } from '../../single-message.ts'
import { MAX_CONTENT_BYTES } from '../tuning.ts'
import type { FrameTable } from './frame-table.ts'
import { blocksOf } from './frames.ts'
import type { MkvFilm } from './mkv-film.ts'
import { packetSource, sizesOf } from './packets.ts'
import { FIRST_BYTES } from './sound-entry.ts'
import { pictureTimes, ticksOf } from './times.ts'
import { type MkvTrack, readTracks } from './track.ts'
import { videoEntry } from './video-entry.ts'

/** Numbers that each part of the pictures needs of the whole film. They travel in its plan. */
const NAMES = [
  ...['tracksAt', 'track', 'scale', 'clustersAt', 'clustersEnd', 'skippedFrames'],
  ...['begin', 'delay', 'timescale', 'frame', 'reorder', 'rate', 'origin', 'allBytes'],
] as const
type Facts = { readonly [Name in (typeof NAMES)[number]]: number }

/** Adds to each part of the pictures what tells it where its frames are. Films with clusters of unknown size stay without. */
export function locatedParts(parts: readonly PartPlan[], film: MkvFilm): PartPlan[] {
  const { elements, tracks, tables, scale } = film
  const video = tracks.findIndex((track) => track.video)
  const clusters = elements.filter(({ id }) => id === CLUSTER)
  const described = elements.find(({ id }) => id === TRACKS)
  if (video < 0 || !described || clusters.some(({ isUnknown }) => isUnknown)) return [...parts]
  const [track, table] = [tracks[video]!, tables[video]!]
  const times = pictureTimes(table, track.frameNanoseconds, scale, track)
  const first = parts.find(isPicturePart)
  const whole = {
    ...{
      tracksAt: described.at,
      track: track.number,
      scale,
      begin: times.start,
      delay: times.skipped,
      timescale: times.timescale,
      frame: times.frame,
    },
    ...{
      reorder: reorderDepth({ count: table.count, dts: table.time, composition: new Int32Array(table.count) }),
      rate: Math.max(1, Math.round((table.count / (times.shown / times.timescale)) * 1000)),
    },
    ...{ origin: Number(first?.facts['start'] ?? 0), allBytes: sumOf(table.size) + table.count * track.prefix.length },
  }
  return parts.map((part) => {
    const [from, to] = [Number(part.facts['from']), Number(part.facts['to'])]
    if (!isPicturePart(part) || !(from >= 0 && from < to && to <= table.count)) return part
    const [head, tail] = [table.offset[from]!, table.offset[to - 1]!]
    const [one, last] = [head, tail].map((place) => clusters.find(({ at, end }) => at <= place && place < end))
    if (!one || !last) return part
    let skippedFrames = from
    while (skippedFrames > 0 && table.offset[skippedFrames - 1]! >= one.at) skippedFrames--
    return { ...part, facts: { ...part.facts, ...whole, clustersAt: one.at, clustersEnd: last.end, skippedFrames } }
  })
}

/** Encodes a part of the pictures. `undefined`: the plan of the part does not tell where its frames are. */
export async function compressLocatedPart(
  source: Source,
  part: PartPlan,
  sink: Sink,
  options: Options,
  soFar: PartTotals,
): Promise<PartReceipt | undefined> {
  const facts = factsOf(part)
  if (!facts) return undefined
  if (isNotShrinking(soFar, facts.allBytes)) return await writeUnchangedPictures(sink)
  const reader = new EbmlReader(source, options.signal)
  const track = await trackAt(reader, facts)
  const { from, to, start, end, frames } = part.facts
  const [low, high] = [Number(from) - facts.skippedFrames, Number(to) - facts.skippedFrames]
  const table = await framesIn(reader, facts)
  if (!(low >= 0 && high > low && high <= table.count)) throw malformed('matroska', facts.clustersAt, 'part_does_not_belong_to_this_film')
  const packets = packetSource(source, table, track.prefix)
  const samples = partSamples(table, track, facts)
  const first = await packets.read(samples.offset[low]!, Math.min(FIRST_BYTES, samples.size[low]!))
  const entry = videoEntry(track, first, facts.rate / 1000)
  const box = { type: latin1Of(entry.subarray(4, 8)), start: 0, body: 8, end: entry.length }
  const native = options.native ? nativeStream(entry, box, options) : undefined
  const stream = native?.stream ?? videoStream(entry, box)
  if (!stream) throw malformed('matroska', facts.tracksAt, 'part_does_not_belong_to_this_film')
  const pictures = {
    ...{ stream: { ...stream, reorder: facts.reorder }, timescale: facts.timescale, samples, rate: { num: facts.rate, den: 1000 } },
    ...{ start: facts.origin, isCounted: false, annexb: false },
  }
  const cut = { from: low, to: high, start: Number(start), end: Number(end), frames: Number(frames) }
  return await runPicturePart(packets, { pictures, ...(native && { native }), cut, isOnly: false }, sink, levelOf(options.quality), options)
}

/** Reads the numbers of a plan, which came with the queue message. `undefined`: one is missing. */
function factsOf({ facts }: PartPlan): Facts | undefined {
  const entries = NAMES.map((name) => [name, facts[name]] as const)
  const isWhole = facts['kind'] === 'pictures' && entries.every(([, value]) => typeof value === 'number' && value >= 0)
  return isWhole ? (Object.fromEntries(entries) as Facts) : undefined
}

async function trackAt(reader: EbmlReader, { tracksAt, track: number }: Facts): Promise<MkvTrack> {
  const { id, bodyAt, bodyBytes = 0 } = await reader.head(tracksAt, reader.size)
  if (id !== TRACKS || bodyBytes > MAX_CONTENT_BYTES) throw malformed('matroska', tracksAt, 'part_does_not_belong_to_this_film')
  const content = { bytes: (await reader.bytes(bodyAt, bodyBytes)).slice(), offset: bodyAt }
  const track = readTracks(content).find((one) => one.number === number)
  if (!track) throw malformed('matroska', tracksAt, 'part_does_not_belong_to_this_film')
  return track
}

/** Frames of the track in the clusters of the part. */
async function framesIn(reader: EbmlReader, { clustersAt, clustersEnd, track }: Facts): Promise<FrameTable> {
  const columns = {
    offset: new GrowingCompactArray(),
    size: new GrowingCompactArray(),
    time: new GrowingCompactArray(),
    key: new GrowingCompactArray(),
  }
  for (let at = clustersAt; at < Math.min(clustersEnd, reader.size); ) {
    const { id, bodyAt, bodyBytes } = await reader.head(at, reader.size)
    if (bodyBytes === undefined) throw malformed('matroska', at, 'part_does_not_belong_to_this_film')
    const end = bodyAt + bodyBytes
    if (id === CLUSTER) {
      for await (const block of blocksOf(reader, { id, at, bodyAt, end, isUnknown: false, content: undefined })) {
        if (block.track !== track) continue
        for (const [offset, size] of block.frames) {
          columns.offset.push(offset)
          columns.size.push(size)
          columns.time.push(block.time)
          columns.key.push(block.isKey ? 1 : 0)
        }
      }
    }
    at = end
  }
  const { offset, size, time, key } = columns
  const tables = { offset: offset.finish(), size: size.finish(), time: time.finish(), key: key.finish() }
  return { ...tables, count: tables.offset.length, samples: undefined, lastDuration: undefined, discarded: 0 }
}

/** Tables of the part with the display times that its frames have in the whole film. */
function partSamples(table: FrameTable, track: MkvTrack, { begin, delay, timescale, frame, scale }: Facts): SampleTables {
  const { count, time, key } = table
  const ticks = (ticksOf(scale) * frame) / timescale
  const shown = Float64Array.from(time, (value) => (frame > 0 ? Math.round((value - begin) / ticks) * frame : value - begin) + delay)
  const dts = createCompactArray(count + 1, 2 ** 40)
  const sorted = shown.slice().sort()
  for (let i = 0; i < count; i++) dts[i] = sorted[i]! - delay
  dts[count] = (dts[count - 1] ?? 0) + Math.max(1, frame)
  const size = sizesOf(table, track.prefix)
  const offset = createCompactArray(count, 2 ** 40)
  for (let i = 1; i < count; i++) offset[i] = offset[i - 1]! + size[i - 1]!
  return { count, offset, size, dts, composition: Int32Array.from(shown, (value, i) => value - dts[i]!), sync: Uint8Array.from(key) }
}
