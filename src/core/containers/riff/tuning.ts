/**
 * Numbers that decide how AVI and WAVE files are read and written.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Limits of work and memory for one file

/** Largest number of chunks of one AVI file. A film of two hours has half a million. Limits the cost of hostile files. */
export const MAX_AVI_CHUNKS = 3_000_000
/** Bytes of the `hdrl` list of an AVI file. Limits the cost of hostile files. */
export const MAX_HEADER_BYTES = 8 * 1024 * 1024
/**
 * Index entries that may repeat earlier ones. A hostile index can repeat a frame for 16 bytes each, so the work would grow without limit.
 * Limits the cost of hostile files.
 */
export const ALLOWED_REPEATS = 1000
/** Largest number of chunks of one RIFF form. Limits the cost of hostile files. */
export const MAX_RIFF_CHUNKS = 4096
/**
 * Bytes at the end of a file that are searched for hidden chunks, if the sound is larger than the file. Limits the cost of hostile files.
 */
export const SEARCHED_BYTES = 1024 * 1024

// Numbers for reading files

/** Bytes of one read of an AVI index or list. Limits memory. */
export const INDEX_WINDOW_BYTES = 256 * 1024
/** Entries of a long AVI index that are checked against the file. Set by experiment. */
export const INDEX_PROBES = 256
/** Entries. A shorter AVI index is checked completely. Set by experiment. */
export const SHORT_INDEX_ENTRIES = 2048
/** Bytes of one read of a JUNK chunk. Limits memory. */
export const PADDING_READ_BYTES = 64 * 1024
/** Bytes of an AVI list that its index may leave uncovered without a further check. Set by experiment. */
export const MAX_UNCOVERED_BYTES = 16

// Numbers for writing files

/** Bytes of one copied piece of an AVI file. Limits memory. */
export const BATCH_BYTES = 512 * 1024
/**
 * Open read windows: the upload, one part with new video and one with new sound. Parts of one kind are read one after the other. Limits
 * memory.
 */
export const MAX_WINDOWS = 3
