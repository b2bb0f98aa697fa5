/**
 * Numbers that decide how mails are compressed. Limits of RFC 2045 are beside their parser.
 *
 * Sources: "Experiment": set by experiment on the project's fixtures. "Memory": what fits in the memory of one job beside the codecs.
 * "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// Attachments

/** Bytes. Larger attachments stay unchanged, because attachment and result must both fit in memory. Memory. */
export const MAX_ATTACHMENT_BYTES = 24 * 1024 * 1024
/** Encoded bytes. Smaller attachments stay unchanged. Experiment. */
export const MIN_ATTACHMENT_BYTES = 600
/** Bytes of one read of the mail. Memory. */
export const CHUNK_BYTES = 256 * 1024
/** Lines of 76 characters that are encoded as base64 in one step. Experiment. */
export const LINES_AT_ONCE = 2048
/** Characters of one piece of quoted-printable output. Experiment. */
export const FLUSH_CHARACTERS = 64 * 1024

// What a mail may cost

/** White space at the end of a base64 body, in characters. A body with more is not supported. Limit. */
export const MAX_TAIL_CHARACTERS = 4096
/**
 * Bytes of a line that are kept. Longer lines are not mail structure. RFC 5322, 2.1.1 allows 998 characters, but headers of real mails are
 * longer. Limit.
 */
export const MAX_LINE_HEAD_BYTES = 64 * 1024
/** Levels of nested parts. Limit. */
export const MAX_DEPTH = 20
/** Number of parts of one mail. Limit. */
export const MAX_PARTS = 2000
/** Bytes of the headers of one part. Limit. */
export const MAX_HEADER_BYTES = 256 * 1024
