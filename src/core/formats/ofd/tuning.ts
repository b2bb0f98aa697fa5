/**
 * Numbers that decide how OFD packages are compressed.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Limits of texts and files

/** Bytes. If a text is larger, no files are merged or renamed, and displayed sizes are unknown. Limits memory. */
export const MAX_XML_BYTES = 16 * 1024 * 1024
/** Bytes of the largest file that is compared with others of the same size and CRC. Limits memory. */
export const MAX_MERGED_BYTES = 24 * 1024 * 1024
