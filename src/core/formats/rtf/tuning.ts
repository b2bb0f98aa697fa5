/**
 * Numbers that decide how RTF files are compressed.
 *
 * Each constant gives its source. "Limits memory": it must fit in one job beside the codecs. "Limits the cost of hostile files": no real
 * file comes near it.
 */

/** Groups inside each other. A deeper file stays unchanged. Limits the cost of hostile files. */
export const MAX_DEPTH = 2000
/** Pictures that are recompressed. Further ones stay as they are. Limits memory. */
export const MAX_PICTURES = 20_000
/** Letters of a control word (RTF 1.9.1, "Control Word"). More letters are read, but the word has no meaning then. */
export const MAX_WORD_LETTERS = 32
/** Bytes of one read of the file. Limits memory. */
export const CHUNK_BYTES = 256 * 1024
/** Bytes at the start of hexadecimal data in which the first line break is searched. */
export const LAYOUT_BYTES = 4096
/** Bytes of a picture that are written as hexadecimal digits at once. Limits memory. */
export const HEX_CHUNK_BYTES = 64 * 1024
