/**
 * Numbers that decide how OpenDocument packages are compressed.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Limits of texts

/** Bytes of one text that is searched for displayed sizes. With a larger text, all sizes are unknown. Limits memory. */
export const MAX_TEXT_BYTES = 24 * 1024 * 1024
/** Bytes of all texts that are searched for displayed sizes. Above it, all sizes are unknown. Limits the cost of hostile files. */
export const MAX_ALL_TEXTS_BYTES = 64 * 1024 * 1024
/** Largest number of nested elements that show pictures. Deeper pictures have an unknown size. Limits the cost of hostile files. */
export const MAX_NESTED_FRAMES = 64
/** Largest number of styles from which a style inherits. Longer chains count as cropped. Limits the cost of hostile files. */
export const MAX_STYLE_PARENTS = 32
/** Bytes of the manifest and of the metadata. Larger files cannot be edited. Limits memory. */
export const MAX_EDITED_BYTES = 4 * 1024 * 1024
