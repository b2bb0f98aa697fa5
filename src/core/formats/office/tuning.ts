/**
 * Numbers that decide how office documents are compressed.
 *
 * Sources: "Experiment": set by experiment on the project's fixtures. "Memory": what fits in the memory of one job beside the codecs.
 * "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// Pictures

/** Bytes. Larger pictures stay unchanged, because a picture, its PNG and the result must fit in memory. Memory. */
export const MAX_PICTURE_BYTES = 24 * 1024 * 1024
/** Bytes. Smaller pictures save less than a new name costs. Experiment. */
export const MIN_RENAMED_BYTES = 600
/** Bytes of results that are kept until writing. When they are used up, further pictures keep their names. Memory. */
export const MAX_READY_BYTES = 16 * 1024 * 1024
/** Share of the old bytes. A cropped picture must be smaller than this share. Experiment. */
export const MAX_CROP_BYTES_SHARE = 0.9
/** Bytes that a crop may add to the texts that show the picture. A crop that saves less is not applied. Experiment. */
export const CROP_EDIT_BYTES = 128
/** Pixels of the largest rectangle that a crop keeps. It is held as a lossless picture for a while. Memory. */
export const MAX_CROP_PIXELS = 12_000_000
/** Share of the old pixels. A picture that would keep more stays whole. Experiment. */
export const MAX_CROP_PIXELS_SHARE = 0.9
/** Pixels. Smaller crops are dropped from the new a:srcRect, because renderers that draw whole pixels would round again. Experiment. */
export const MIN_CROP_PIXELS = 0.5

// Fonts and layouts

/** Bytes. Larger fonts keep all glyphs. Memory. */
export const MAX_FONT_BYTES = 24 * 1024 * 1024
/** Share of the old bytes. A subset font must be smaller than this share. Experiment. */
export const MAX_SUBSET_SHARE = 0.95
/** Bytes. A larger slide master keeps its layouts. Limit. */
export const MAX_MASTER_BYTES = 4 * 1024 * 1024

// Texts

/** Bytes. Larger texts are not searched: their pictures keep all pixels, and fonts keep all glyphs. Memory. */
export const MAX_SEARCHED_BYTES = 24 * 1024 * 1024
/** Nested elements of a text. Deeper texts cannot be read. Limit. */
export const MAX_DEPTH = 512

// Encryption

/** Hash iterations of the password, as Office writes them. */
export const SPIN_COUNT = 100_000
/**
 * Highest accepted number of hash iterations. [MS-OFFCRYPTO] 2.3.4.10 allows up to 10,000,000; Whittle refuses to compute more than this.
 * Limit.
 */
export const MAX_SPIN_COUNT = 1_000_000
/** Segments of 4096 bytes that are encrypted in one step. Experiment. */
export const SEGMENTS_PER_CHUNK = 32
