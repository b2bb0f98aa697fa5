/**
 * Tuning constants of the HDF5 codec. Constants of the format specification are beside their parser.
 * Sources: "Set by experiment": measured on the project's fixtures. "Safety limit": a bound on memory or time that no fixture comes near.
 */

// Constants for reading HDF5 files

/** Last offset in bytes at which a superblock is searched. User blocks of real files have 512 bytes. Safety limit. */
export const MAX_SUPERBLOCK_OFFSET = 1024 * 1024
/** Bytes of a cached block. Reads of this size or more are not cached. Set by experiment. */
export const CACHE_BLOCK_BYTES = 1 << 18
/** Number of blocks in the read cache. Set by experiment. */
export const CACHED_BLOCKS = 24
/** Files up to this many bytes are read once and cached in full. Set by experiment. */
export const MAX_WHOLE_FILE_BYTES = 6 << 20

// Constants for the search for unread content

/** Resolution in bytes at which reads are recorded. Set by experiment. */
export const GRANULE_BYTES = 64
/** Bytes per read when unread ranges are checked for content. Set by experiment. */
export const SCAN_BLOCK_BYTES = 256 * 1024
/** Largest share of unread bytes in an intact file: padding, and heaps and trees that were reserved or abandoned. Set by experiment. */
export const MAX_UNREAD_SHARE = 0.05
/** Unread bytes that are allowed in addition to that share. Set by experiment. */
export const MAX_UNREAD_BYTES = 4096

// Constants for rewriting HDF5 files

/** Bytes for the engine's own memory, input blocks and the rest of the heap. Set by experiment. */
export const OVERHEAD_BYTES = 32 << 20
/** Largest file in bytes for libdeflate level 12, which does about 2 MB per CPU second. Level 9 does about 20. Set by experiment. */
export const BEST_LEVEL_UP_TO_BYTES = 120 << 20
/** Bytes to read and compress by level 12 between two pauses for other jobs: about 0.1 s. Set by experiment. */
export const YIELD_BYTES = 256 << 10
/** Bytes that a tick counts in addition to the bytes read, because a small chunk may inflate to much data. Set by experiment. */
export const TICK_BYTES = YIELD_BYTES / 16
/** Bytes of a page of the rewritten file. Set by experiment. */
export const PAGE_BYTES = 1 << 18
/** Share of the memory budget, besides the head, from which complete pages are passed to the sink. Set by experiment. */
export const SPILL_FROM_SHARE = 1 / 4
/** Share of the memory budget, besides the head, at which passing pages to the sink stops. Set by experiment. */
export const SPILL_TO_SHARE = 1 / 8
