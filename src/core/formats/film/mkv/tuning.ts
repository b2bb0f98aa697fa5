/**
 * Tuning constants of the Matroska codecs. Constants of the standard are beside the code that uses them.
 * "Safety limit": a bound on memory or time that no fixture comes near.
 */

/** Longest element that is read into memory. A longer one is copied as it is, except SeekHead and Cues. */
export const MAX_CONTENT_BYTES = 8 * 1024 * 1024
/** Most bytes of elements in memory, without clusters. Safety limit. */
export const MAX_MEMORY_BYTES = 16 * 1024 * 1024
/** Longest BlockGroup whose parts are read. A longer one is copied. */
export const MAX_GROUP_BYTES = 4 * 1024 * 1024
/** Most elements below Segment, clusters included. Safety limit. */
export const MAX_ELEMENTS = 100_000
/** Most elements in memory, without clusters. Cues of a film of two hours have about 50,000. Safety limit. */
export const MAX_ELEMENTS_IN_MEMORY = 500_000
/** Most positions inside clusters that Cues may have. Safety limit. */
export const MAX_CUES = 200_000
/** Depth below Segment from which elements are copied with everything inside. Chapters and tags may be nested. */
export const MAX_DEPTH = 16
/** Longest EBML header. */
export const MAX_HEADER_BYTES = 4096
/** Most frames of a film that becomes MP4: three hours with two sound tracks. Tables of one frame take about 40 bytes. Safety limit. */
export const MAX_FRAMES = 1_000_000
