/**
 * Numbers that decide how office documents are compressed.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Numbers for pictures

/** Bytes. Larger pictures stay unchanged, because a picture, its PNG and the result must fit in memory. Limits memory. */
export const MAX_PICTURE_BYTES = 24 * 1024 * 1024
/** Bytes. Smaller pictures save less than a new name costs. Set by experiment. */
export const MIN_RENAMED_BYTES = 600
/** Bytes of results that are kept until writing. When they are used up, further pictures keep their names. Limits memory. */
export const MAX_READY_BYTES = 16 * 1024 * 1024
/** Share of the old bytes. A cropped picture must be smaller than this share. Set by experiment. */
export const MAX_CROP_BYTES_SHARE = 0.9
/** Bytes that a crop may add to the texts that show the picture. A crop that saves less is not applied. Set by experiment. */
export const CROP_EDIT_BYTES = 128
/** Pixels of the largest rectangle that a crop keeps. It is held as a lossless picture for a while. Limits memory. */
export const MAX_CROP_PIXELS = 12_000_000
/** Share of the old pixels. A picture that would keep more stays whole. Set by experiment. */
export const MAX_CROP_PIXELS_SHARE = 0.9
/**
 * Pixels. Smaller crops are dropped from the new a:srcRect, because renderers that draw whole pixels would round again. Set by experiment.
 */
export const MIN_CROP_PIXELS = 0.5

// Numbers for fonts and slide layouts

/** Bytes. Larger fonts keep all glyphs. Limits memory. */
export const MAX_FONT_BYTES = 24 * 1024 * 1024
/** Share of the old bytes. A subset font must be smaller than this share. Set by experiment. */
export const MAX_SUBSET_SHARE = 0.95
/** Bytes. A larger slide master keeps its layouts. Limits the cost of hostile files. */
export const MAX_MASTER_BYTES = 4 * 1024 * 1024

// Limits of XML texts

/** Bytes. Larger texts are not searched: their pictures keep all pixels, and fonts keep all glyphs. Limits memory. */
export const MAX_SEARCHED_BYTES = 24 * 1024 * 1024
/** Largest number of nested elements of a text. Deeper texts cannot be read. Limits the cost of hostile files. */
export const MAX_DEPTH = 512

// Numbers for encryption

/** Hash iterations of the password, as Office writes them. */
export const SPIN_COUNT = 100_000
/**
 * Highest accepted number of hash iterations. [MS-OFFCRYPTO] 2.3.4.10 allows up to 10,000,000; Whittle refuses to compute more than this.
 * Limits the cost of hostile files.
 */
export const MAX_SPIN_COUNT = 1_000_000
/** Segments of 4096 bytes that are encrypted in one step. Set by experiment. */
export const SEGMENTS_PER_CHUNK = 32
