/** Tuning constants of the gzip codec. "Safety limit": a bound on memory or time that no fixture comes near. */

/** Bytes that are read at once. */
export const WINDOW_BYTES = 256 * 1024
/** Longest header of a member, with name, comment and extra field. Safety limit. */
export const MAX_HEADER_BYTES = 80 * 1024
/** Most members of a file. Safety limit. */
export const MAX_MEMBERS = 100_000
/** Most bytes of content, which is compressed at 20 MB a CPU second above 250 MB. Safety limit. */
export const MAX_CONTENT_BYTES = 2 * 1024 * 1024 * 1024
