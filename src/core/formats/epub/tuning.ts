/**
 * Numbers that decide how EPUB packages are compressed.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Limits of texts and files

/** Bytes of one text. If a text is larger, no picture is renamed. Limits memory. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024
/** Bytes of all texts. If they are larger, no picture is renamed. Limits memory. */
export const MAX_ALL_TEXTS_BYTES = 32 * 1024 * 1024
