/**
 * Tuning constants of BMP files: limits of what is read at a time and kept in memory. Constants without a source were set by experiment on
 * the project's fixtures.
 */

/** Most bytes of an ICC profile, which is kept in memory. */
export const MOST_PROFILE_BYTES = 8 * 1024 * 1024

/** Most bytes between headers and pixels; more than any real palette. */
export const MOST_GAP_BYTES = 1024 * 1024

/** Bytes of uncompressed rows that are read at a time. */
export const STRIP_BYTES = 256 * 1024

/** Bytes of run-length data that are read at a time. */
export const RUN_WINDOW_BYTES = 256 * 1024

/** Most rows of a run-length picture, because the offset of each row is kept in memory (8 bytes). */
export const MOST_RUN_ROWS = 1_000_000

/** Bytes of output that are written to the sink at a time. */
export const OUTPUT_PIECE_BYTES = 256 * 1024
