/**
 * Numbers that decide how ZIP archives are read and compressed. Limits on whole archives are in `limits.ts`.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Numbers for compressing entries

/** Bytes of one archive that the slowest Deflate may compress: about 1 s of CPU a megabyte. docs/decisions/packages.md, "Deflate". */
export const THOROUGH_BYTES = 16 * 1024 * 1024
/** The same at the effort `best`. */
export const BEST_THOROUGH_BYTES = 128 * 1024 * 1024
/** Highest level of libdeflate at the effort `fast`: about 15 MB a CPU second. */
export const FAST_LEVEL = 9
/** Bytes. For smaller files, a quick trial takes as long as the full compression. Set by experiment. */
export const MIN_TRIAL_BYTES = 64 * 1024
/**
 * Share of the size after a quick trial. Files that stay larger are already compressed (pictures, films) and are kept. Set by experiment.
 */
export const COMPRESSED_SHARE = 0.998
/**
 * Share of the size after a quick trial. New files that stay larger are compressed pictures: the slowest Deflate would take a fifth of its
 * time to save 0.3 % of their bytes. Set by experiment.
 */
export const NEW_PICTURE_SHARE = 0.98
/** Bytes that libdeflate needs in the output buffer beyond the result. Set by experiment. */
export const OUTPUT_MARGIN_BYTES = 16
/**
 * Level of libdeflate for files that do not fit in memory: as fast as zlib's best level, and 1 % smaller. They are compressed twice, to
 * measure and to write. Set by experiment.
 */
export const STREAMED_LEVEL = 9
/** Level of libdeflate for the file of an encrypted archive: faster than zlib's default level, and 1 % smaller. Set by experiment. */
export const ENCRYPTED_LEVEL = 7
/** Bytes of a sample that tells if Deflate is worth it, and of one read. Set by experiment. */
export const PROBE_BYTES = 64 * 1024

// Numbers for memory and reads

/**
 * Bytes. Before larger entries, the memory of the Deflate engine is released, because they are mostly pictures whose codecs need it. Also
 * the work between two pauses that let other tasks run. Limits memory.
 */
export const LARGE_ENTRY_BYTES = 256 * 1024
/**
 * Bytes of work that an entry counts in addition to its size, for its headers and inspection. Decides when other tasks run. Set by
 * experiment.
 */
export const ENTRY_COST_BYTES = 2048
/** Bytes. Entries up to this size are read in one call; larger ones are streamed. Set by experiment. */
export const MAX_WHOLE_READ_BYTES = 1024 * 1024
/** Bytes before the first entry. With more, the file is another format with an archive appended. Limits the cost of hostile files. */
export const MAX_PREFIX_BYTES = 16 * 1024 * 1024
/** Bytes of one read that serves many small sequential reads. Set by experiment. */
export const WINDOW_BYTES = 1024 * 1024
/** Bytes of the first read after a jump. Callers that skip large files only read their headers. Set by experiment. */
export const FIRST_WINDOW_BYTES = 64 * 1024
/** Bytes of the central directory that are searched for names to detect the file format. Limits the cost of hostile files. */
export const MAX_LISTED_DIRECTORY_BYTES = 4 * 1024 * 1024
/**
 * Bytes from the start of the file that are searched for names if the central directory cannot be found. Limits the cost of hostile files.
 */
export const SEARCHED_BYTES = 256 * 1024
