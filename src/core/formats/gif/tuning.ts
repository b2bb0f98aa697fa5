/**
 * Tuning constants of GIF files: limits of memory and CPU time, and when an attempt is stopped. Constants without a source were set by
 * experiment on the project's fixtures.
 */

/**
 * Sum of the pixels of all frames, each counted with the full canvas. `all`: above it the CPU time of a job is exceeded. `lossy`: above it
 * every level is lossless and no target size is searched. `hurried`: above it the encoder makes fewer trials.
 */
export const MOST_CANVAS_PIXELS = { all: 900_000_000, lossy: 300_000_000, hurried: 3_000_000 }

/** Frames from which a lossless encoding is made of the first quarter, as a reference for the lossy attempts. */
export const LEAST_FRAMES_WITH_REFERENCE = 8

/** Ratio to the lossless size of the first quarter, below which an attempt stays smaller, so that no lossless encoding is made. */
export const CLEARLY_SMALLER_RATIO = 0.7

/**
 * Ratio to a rival's size from which an attempt is stopped, from the first quarter on. `within`: lossy attempts (at 1.05, one of 650
 * random animations would have caught up; 1.3 would cost a quarter more CPU). `exact`: lossless ones, which catch up for longer.
 */
export const CLEARLY_LARGER_RATIO = { within: 1.12, exact: 1.3 }

/** Share of the source's bytes that an attempt must have written before its size is compared with other attempts. */
export const LEAST_COMPARED_SHARE = 0.05

/** File size in bytes up to which results are kept in memory; larger ones are encoded again. */
export const IN_MEMORY_RESULT_BYTES = 8 * 1024 * 1024

/** Fixed WebAssembly memory in bytes in addition to the canvases: colour table, LZW and metrics. Source: docs/contributors/memory.md. */
export const FIXED_BYTES = 4 * 1024 * 1024

/**
 * Most memory in bytes of the encoding engine. One of the two verifying engines reuses it, so the pool must be able to keep it; the other
 * one must fit in addition. Source: docs/contributors/memory.md.
 */
export const MOST_ENCODER_BYTES = 66 * 1024 * 1024

/** Most pixels of all frames of a GIF together, each at its own size. */
export const MOST_FRAME_PIXELS = 900_000_000

/** Bytes of the file that the block survey reads at a time. */
export const WINDOW_BYTES = 256 * 1024
