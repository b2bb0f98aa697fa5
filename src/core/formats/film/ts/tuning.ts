/** Tuning constants of the codec for transport streams. "Safety limit": a bound on memory or time that no fixture comes near. */

/** Most streams of a program. Each one that becomes a track reads through the file with its own window of 256 KiB. */
export const MAX_STREAMS = 32
/** Most programs of a file whose streams are read. Safety limit. */
export const MAX_PROGRAMS = 256
/** Longest frame. A frame of 8K pictures with 200 Mbit/s has about 2 MiB. Several copies of one are in memory at once. Safety limit. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024
/** Bytes after which the search for further program maps ends, if one has been found. */
export const MAP_SEARCH_BYTES = 16 * 1024 * 1024
/** Incomplete frames that a stream may have at its ends and where packets are missing: bytes, and share of the stream. */
export const MAX_BROKEN_BYTES = 64 * 1024
export const MAX_BROKEN_SHARE = 0.01
/** Most parameter sets of a stream. Safety limit. */
export const MAX_PARAMETER_SETS = 64
/** Largest difference of the time of a sound frame from the sum of the durations before it, in units of 90 kHz: 0.5 ms. */
export const MAX_JITTER_TICKS = 45
