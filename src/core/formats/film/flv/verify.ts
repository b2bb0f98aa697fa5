/** Compares the frames of Flash video with the samples of an MP4 film: bytes, times and key frames. */
import { equalBytes } from '../../../bytes/equal.ts'
import { pictureTag, soundTag, TAG, tagsOf } from '../../../containers/flv/tags.ts'
import { readMovie } from '../../../containers/isobmff/movie.ts'
import { ReadWindow } from '../../../containers/packet-window.ts'
import type { Options, Source } from '../../../model/codec.ts'
import { isCodecError } from '../../../model/error.ts'
import { tableDifference } from '../mkv/to-mp4/verify-table.ts'
import { readFlvFilm } from './flv-film.ts'

const WINDOW_BYTES = 256 * 1024
const TICKS = 1000
/** Times are rounded to milliseconds in both directions. */
const TOLERANCE_SECONDS = 2.001 / TICKS

/**
 * @param isStored false: `result` reads its frames from `original`, so that only their times and sizes are compared
 * @returns a description of the first difference. `undefined`: none
 */
export async function flvDifference(
  original: Source,
  result: Source,
  { signal, progress }: Pick<Options, 'signal' | 'progress'>,
  isStored: boolean,
): Promise<string | undefined> {
  try {
    using movie = await readMovie(result)
    const film = await readFlvFilm(original, signal)
    if (movie.tracks.length !== film.tracks.length) return `${film.tracks.length} streams became ${movie.tracks.length} tracks`
    for (const [i, table] of film.tables.entries()) {
      const difference = tableDifference(table, movie, i, { ticks: TICKS, tolerance: TOLERANCE_SECONDS })
      if (difference !== undefined) return difference
    }
    if (!isStored) return undefined
    const samples = movie.tracks.map((track) => track.samples())
    const counts = samples.map(() => 0)
    using window = new ReadWindow(original, WINDOW_BYTES)
    using made = new ReadWindow(result, WINDOW_BYTES)
    for await (const { type, head, at, size } of tagsOf(original, signal)) {
      const tag = type === TAG.pictures ? pictureTag(head) : type === TAG.sound ? soundTag(head) : undefined
      if (tag?.kind !== 'frame' || size <= tag.skipped) continue
      const track = film.tracks.findIndex(({ number }) => number === type)
      const sample = counts[track]!++
      const place = samples[track]!.offset[sample]
      const stored = await window.read(at + tag.skipped, size - tag.skipped)
      if (place === undefined || !equalBytes(stored, await made.read(place, stored.length)))
        return `frame ${sample} of track ${track} changed`
      progress(0.9 + (0.05 * at) / original.size)
    }
    return undefined
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return error.message
    throw error
  }
}
