/**
 * Numbers that decide how OFD packages are compressed.
 *
 * Sources: "Experiment": set by experiment on the project's fixtures. "Memory": what fits in the memory of one job beside the codecs.
 * "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// Limits

/** Bytes. If a text is larger, no files are merged or renamed, and displayed sizes are unknown. Memory. */
export const MAX_XML_BYTES = 16 * 1024 * 1024
/** Bytes of the largest file that is compared with others of the same size and CRC. Memory. */
export const MAX_MERGED_BYTES = 24 * 1024 * 1024
