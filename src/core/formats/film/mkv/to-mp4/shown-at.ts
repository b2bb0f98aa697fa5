import type { Movie } from '../../../../containers/isobmff/movie.ts'
import type { SampleTables } from '../../../../containers/isobmff/tables.ts'
import type { Track } from '../../../../containers/isobmff/track.ts'

/** Returns the time in seconds at which players show a sample: display time and edit list. */
export function shownAt(movie: Movie, { timescale, edits = [] }: Track, { dts, composition }: SampleTables): (sample: number) => number {
  const shown = edits.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0
  const empty = edits[0] && edits[0].mediaTime < 0 ? edits[0].duration : 0
  return (sample) => empty / movie.timescale + (dts[sample]! + composition[sample]! - shown) / timescale
}
