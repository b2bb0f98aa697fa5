/**
 * Numbers that decide how MP4 and MOV files are read and written.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Limits of work and memory for one file

/** Bytes of the largest `moov` box, also after inflating. It is held in memory. Limits memory. */
export const MAX_MOOV_BYTES = 40 * 1024 * 1024
/** Largest number of tracks of one movie. Limits the cost of hostile files. */
export const MAX_TRACKS = 64
/** Bytes of the largest `moof` box. It is held in memory. Limits memory. */
export const MAX_MOOF_BYTES = 8 * 1024 * 1024
/** Largest number of chunks of one track. Limits the cost of hostile files. */
export const MAX_CHUNKS = 3_000_000
/** Largest number of boxes at the top level of a file. Limits the cost of hostile files. */
export const MAX_TOP_BOXES = 200_000
/** Bytes of one read while trailing data is searched for more of the film. Limits memory. */
export const SEARCH_WINDOW_BYTES = 1024 * 1024
/** Bytes of trailing data that are searched for more of the film. Limits the cost of hostile files. */
export const MAX_SEARCHED_BYTES = 64 * SEARCH_WINDOW_BYTES

// Numbers for writing files

/** Bytes of one copied piece. Limits memory. */
export const COPY_BYTES = 512 * 1024
