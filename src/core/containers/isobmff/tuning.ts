/**
 * Numbers that decide how MP4 and MOV files are read and written.
 *
 * Sources: "Experiment": set by experiment on the project's fixtures. "Memory": what fits in the memory of one job beside the codecs.
 * "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// What a file may cost

/** Bytes of the largest `moov` box, also after inflating. It is held in memory. Memory. */
export const MAX_MOOV_BYTES = 40 * 1024 * 1024
/** Number of tracks of one movie. Limit. */
export const MAX_TRACKS = 64
/** Bytes of the largest `moof` box. It is held in memory. Memory. */
export const MAX_MOOF_BYTES = 8 * 1024 * 1024
/** Number of chunks of one track. Limit. */
export const MAX_CHUNKS = 3_000_000
/** Number of boxes at the top level of a file. Limit. */
export const MAX_TOP_BOXES = 200_000
/** Bytes of one read while trailing data is searched for more of the film. Memory. */
export const SEARCH_WINDOW_BYTES = 1024 * 1024
/** Bytes of trailing data that are searched for more of the film. Limit. */
export const MAX_SEARCHED_BYTES = 64 * SEARCH_WINDOW_BYTES

// Writing

/** Bytes of one copied piece. Memory. */
export const COPY_BYTES = 512 * 1024
