/** Tracks of a movie as the index describes them. */
import type { Box } from './box.ts'
import type { ChunkTables, SampleTables } from './tables.ts'

export interface Edit {
  /** Duration of the edit in the movie's timescale. */
  readonly duration: number
  /** Start in the track's timescale. -1: an empty edit. */
  readonly mediaTime: number
  readonly rate: number
}

/** Description of a track in the index, without its tables. */
interface TrackDescription {
  readonly index: number
  /** The track's `trak` box inside `moov`. */
  readonly box: Box
  readonly id: number
  /** Handler type: `vide`, `soun`, `text`, `tmcd`, … */
  readonly handler: string
  readonly timescale: number
  readonly edits: readonly Edit[] | undefined
  /** The `stsd` box with the sample descriptions. */
  readonly stsd: Box
  readonly descriptions: readonly Box[]
  readonly stbl: Box
  readonly sampleCount: number
  /** Duration of all samples, in the track's timescale. */
  readonly duration: number
}

/** A track of a movie, with tables that are read on first use. */
export interface Track extends TrackDescription {
  /** Chunk tables. They are read on first use and cached. */
  readonly chunks: ChunkTables
  /** Sample tables, read on first use and cached. @throws CodecError (malformed) if the track has more than `MAX_SAMPLES` samples */
  samples(): SampleTables
  /** Frees the cached tables of chunks and samples. The next use reads them again. */
  freeTables(): void
}

/** A track in the file without cache: each call reads its tables. */
export interface StoredTrack extends TrackDescription {
  /** True if the tables come from fragments, which are read only once. */
  readonly fromFragments: boolean
  readChunks(): ChunkTables
  readSamples(chunks: ChunkTables): SampleTables
}

/** A box at the top level of the file. */
export interface TopBox {
  readonly type: string
  readonly offset: number
  readonly size: number
}
