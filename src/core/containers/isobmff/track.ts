/** A movie's tracks, as its index describes them. */
import type { Box } from './box.ts'
import type { Chunks, Samples } from './tables.ts'

export interface Edit {
  /** In the movie's timescale. */
  readonly duration: number
  /** In the track's timescale; -1 for an empty edit. */
  readonly mediaTime: number
  readonly rate: number
}

export interface Track {
  readonly index: number
  /** Its `trak` box inside `moov`. */
  readonly box: Box
  readonly id: number
  /** `vide`, `soun`, `text`, `tmcd`, … */
  readonly handler: string
  readonly timescale: number
  readonly edits: readonly Edit[] | undefined
  /** Sample descriptions (`stsd`), whole boxes. */
  readonly stsd: Box
  readonly descriptions: readonly Box[]
  readonly stbl: Box
  /** The same tables each time. */
  readonly chunks: Chunks
  readonly sampleCount: number
  /** All samples together, in the track's timescale. */
  readonly duration: number
  /** All samples, the same tables each time; for tracks with millions of tiny ones this throws. */
  samples(): Samples
  /** Frees the tables of chunks and samples; they are read again when they are asked for again. */
  forget(): void
}

/** A track in the file: tables are read anew each time. */
export interface StoredTrack extends Omit<Track, 'chunks' | 'samples' | 'forget'> {
  /** Tables of fragments, which are gathered only once. */
  readonly fixed: boolean
  readChunks(): Chunks
  readSamples(chunks: Chunks): Samples
}

/** A box of the file's top level. */
export interface TopBox {
  readonly type: string
  readonly offset: number
  readonly size: number
}
