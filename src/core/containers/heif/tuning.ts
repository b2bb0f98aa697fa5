/** Limits for hostile HEIF files. Real files have a few kilobytes of boxes and at most some thousand items. */

/** Largest `meta` box in bytes. It is held in memory. */
export const MAX_META_BYTES = 8 * 1024 * 1024

/** Most boxes at the top level, and most boxes inside another one. */
export const MAX_BOXES = 70_000

/** Most items, extents, references and property associations, each. A grid has at most 256 × 256 tiles, and as many for alpha. */
export const MAX_ENTRIES = 140_000

/** Most bytes of one item that are read at once: coded pictures and metadata. */
export const MAX_ITEM_BYTES = 256 * 1024 * 1024

/** Most rows and columns of a grid (ISO/IEC 23008-12, 6.6.2.3: one byte each). */
export const MAX_GRID_SIDE = 256

/** Longest EXIF or XMP item, and longest ICC profile, in bytes. */
export const MAX_METADATA_BYTES = 16 * 1024 * 1024
