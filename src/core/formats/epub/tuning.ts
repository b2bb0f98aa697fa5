/**
 * Numbers that decide how EPUB packages are compressed.
 *
 * Sources: "Experiment": set by experiment on the project's fixtures. "Memory": what fits in the memory of one job beside the codecs.
 * "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// Limits

/** Bytes of one text. If a text is larger, no picture is renamed. Memory. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024
/** Bytes of all texts. If they are larger, no picture is renamed. Memory. */
export const MAX_ALL_TEXTS_BYTES = 32 * 1024 * 1024
