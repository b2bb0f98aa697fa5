/**
 * Numbers that decide how AVI and WAVE files are read and written.
 *
 * Sources: "Experiment": set by experiment on the project's fixtures. "Memory": what fits in the memory of one job beside the codecs.
 * "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// What a file may cost

/** Number of chunks of one AVI file. A film of two hours has half a million. Limit. */
export const MAX_AVI_CHUNKS = 3_000_000
/** Bytes of the `hdrl` list of an AVI file. Limit. */
export const MAX_HEADER_BYTES = 8 * 1024 * 1024
/**
 * Index entries that may repeat earlier ones. A hostile index can repeat a frame for 16 bytes each, so the work would grow without limit.
 * Limit.
 */
export const ALLOWED_REPEATS = 1000
/** Number of chunks of one RIFF form. Limit. */
export const MAX_RIFF_CHUNKS = 4096
/** Bytes at the end of a file that are searched for hidden chunks, if the sound is larger than the file. Limit. */
export const SEARCHED_BYTES = 1024 * 1024

// Reading

/** Bytes of one read of an AVI index or list. Memory. */
export const INDEX_WINDOW_BYTES = 256 * 1024
/** Entries of a long AVI index that are checked against the file. Experiment. */
export const INDEX_PROBES = 256
/** Entries. A shorter AVI index is checked completely. Experiment. */
export const SHORT_INDEX_ENTRIES = 2048
/** Bytes of one read of a JUNK chunk. Memory. */
export const PADDING_READ_BYTES = 64 * 1024
/** Bytes of an AVI list that its index may leave uncovered without a further check. Experiment. */
export const MAX_UNCOVERED_BYTES = 16

// Writing

/** Bytes of one copied piece of an AVI file. Memory. */
export const BATCH_BYTES = 512 * 1024
/**
 * Open read windows: the upload, one part with new video and one with new sound. Parts of one kind are read one after the other. Memory.
 */
export const MAX_WINDOWS = 3
