/**
 * Numbers that decide how TIFF files are read. Tags, field types and compressions are beside their parser.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Numbers for memory and reads

/** Bytes. Deflate chunks up to this size are inflated in one call; larger ones are streamed. Limits memory. */
export const MAX_WHOLE_INFLATE_BYTES = 4 * 1024 * 1024
/** Bytes of the largest decoded tile, or row of a strip. Both must fit in memory. Limits memory. */
export const MAX_TILE_BYTES = 16 * 1024 * 1024
/** Bytes of one read of a strip or tile. Set by experiment. */
export const READ_BYTES = 256 * 1024
/** Bytes of a block of decoded rows. Limits memory. */
export const BLOCK_BYTES = 512 * 1024
/** Rows that the JPEG decoder returns in one step. Set by experiment. */
export const JPEG_ROWS = 16
/**
 * Bytes. LZW strings of at least this length are copied from earlier output, which is faster than a table lookup for each byte. Set by
 * experiment.
 */
export const MIN_COPIED_BYTES = 16
/** Bytes of one piece of LZW output. Limits memory. */
export const LZW_PIECE_BYTES = 65_536
/** Bytes of one read that serves small sequential reads. Set by experiment. */
export const WINDOW_BYTES = 1024 * 1024
/** Bytes. A read that starts at most this far after the previous one counts as sequential. Set by experiment. */
export const MAX_GAP_BYTES = 64 * 1024
/** Bytes of reads between two pauses that let other tasks run. They take about 0.1 s to decode and compress again. Set by experiment. */
export const YIELD_BYTES = 128 * 1024
/** Bytes that a read counts in addition to its size, because even a strip of a few dozen bytes costs a decoding step. Set by experiment. */
export const READ_COST_BYTES = 2048

// Limits of work and memory for one file

/** Largest number of strips or tiles of one picture. Limits the cost of hostile files. */
export const MAX_CHUNKS = 2_000_000
/**
 * Largest sum of all strip or tile lengths, as a multiple of the file size. Blank tiles may share their bytes. Limits the cost of hostile
 * files.
 */
export const MAX_STORED_FACTOR = 4
/** Decoded bytes of the largest fax picture that is decoded. Limits the cost of hostile files. */
export const MAX_FAX_BYTES = 64 * 1024 * 1024
/** Largest number of values of an array that are read into memory. 8 million chunks would need 128 MB. Limits the cost of hostile files. */
export const MAX_VALUES = 2_000_000
/** Largest number of directories of one file. Limits the cost of hostile files. */
export const MAX_DIRECTORIES = 20_000
/** Largest number of entries of one directory. Limits the cost of hostile files. */
export const MAX_ENTRIES = 4096
/** Largest number of levels of directories below the main chain. Limits the cost of hostile files. */
export const MAX_DEPTH = 6
/** Largest number of links to no directory that are listed by name. Limits the cost of hostile files. */
export const MAX_NAMED_LINKS = 20
