/**
 * Tuning constants of the Ogg codecs. Constants of the standards are beside the code that uses them.
 * "Safety limit": a bound on memory or time that no fixture comes near.
 */

/** Most logical streams at the same time. Safety limit. */
export const MAX_STREAMS = 64
/** Most bytes of header packets in memory, of all streams together. Covers are in them. Safety limit. */
export const MAX_HEADER_BYTES = 16 * 1024 * 1024
/** Most header packets of a stream. Safety limit. */
export const MAX_HEADER_PACKETS = 10_000
