/** Writes a span of a track's samples as a film of its own, with the same sample entry. */

import type { SampleTables } from '../../../containers/isobmff/tables.ts'
import type { NewTrack } from '../../../containers/isobmff/track-interleaving.ts'
import { layOutMovie, writeMovie } from '../../../containers/isobmff/write.ts'
import type { Options, Source } from '../../../model/codec.ts'
import { memorySink } from '../../../model/sink.ts'
import { emptyMovie } from '../sample-table.ts'

export interface TrackSamples {
  readonly source: Source
  readonly samples: SampleTables
  readonly timescale: number
  /** The whole sample entry box. */
  readonly entry: Uint8Array
}

export interface SingleTrackFilm {
  readonly film: Uint8Array
  /** How much smaller display times are in the new film than in the source, in the track's timescale. */
  readonly timeShift: number
}

/** Writes samples `from` to `to`, in decoding order, as a film with one track. */
export async function singleTrackFilm(
  { source, samples, timescale, entry }: TrackSamples,
  from: number,
  to: number,
  options: Options,
): Promise<SingleTrackFilm> {
  const used: number[] = []
  for (let i = from; i < to; i++) if (samples.size[i]! > 0) used.push(i)
  const lowest = used.reduce((least, i) => Math.min(least, samples.composition[i]!), 0)
  const next = (k: number) => samples.dts[used[k + 1] ?? to]!
  const duration = samples.dts[to]! - samples.dts[used[0]!]!
  // FFmpeg derives the pixel shape from the ratio of track size to picture size, so both are set to the picture size.
  const [width, height] = [entry[32]! * 256 + entry[33]!, entry[34]! * 256 + entry[35]!]
  using movie = await emptyMovie([{ handler: 'vide', timescale, duration, width, height }], false, [])
  const sizes = Uint32Array.from(used, (i) => samples.size[i]!)
  const track: NewTrack = {
    description: entry,
    timescale,
    sizes,
    durations: Float64Array.from(used, (i, k) => next(k) - samples.dts[i]!),
    // Offsets are shifted so that none is negative, because readers treat negative offsets differently.
    compositions: Int32Array.from(used, (i) => samples.composition[i]! - lowest),
    sync: used.flatMap((i, k) => (samples.sync[i] ? [k] : [])),
    edits: undefined,
    pieces: used.map((i) => ({
      time: samples.dts[i]! / timescale,
      size: samples.size[i]!,
      samples: 1,
      from: source,
      offset: samples.offset[i]!,
    })),
  }
  const sink = memorySink(Number.POSITIVE_INFINITY, 'part.mp4')
  await writeMovie(source, layOutMovie(source, movie, new Map([[0, track]]), movie.ftyp), sink, options)
  return { film: sink.bytes(), timeShift: samples.dts[used[0]!]! + lowest }
}
