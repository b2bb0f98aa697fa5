/**
 * Numbers that decide how mails are compressed. Limits of RFC 2045 are beside their parser.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Numbers for attachments

/** Bytes. Larger attachments stay unchanged, because attachment and result must both fit in memory. Limits memory. */
export const MAX_ATTACHMENT_BYTES = 24 * 1024 * 1024
/** Encoded bytes. Smaller attachments stay unchanged. Set by experiment. */
export const MIN_ATTACHMENT_BYTES = 600
/** Bytes of one read of the mail. Limits memory. */
export const CHUNK_BYTES = 256 * 1024
/** Lines of 76 characters that are encoded as base64 in one step. Set by experiment. */
export const LINES_AT_ONCE = 2048
/** Characters of one piece of quoted-printable output. Set by experiment. */
export const FLUSH_CHARACTERS = 64 * 1024

// Limits of work and memory for one mail

/** White space at the end of a base64 body, in characters. A body with more is not supported. Limits the cost of hostile files. */
export const MAX_TAIL_CHARACTERS = 4096
/**
 * Bytes of a line that are kept. Longer lines are not mail structure. RFC 5322, 2.1.1 allows 998 characters, but headers of real mails are
 * longer. Limits the cost of hostile files.
 */
export const MAX_LINE_HEAD_BYTES = 64 * 1024
/** Largest number of levels of nested mail parts. Limits the cost of hostile files. */
export const MAX_DEPTH = 20
/** Largest number of parts of one mail. Limits the cost of hostile files. */
export const MAX_PARTS = 2000
/** Largest size in bytes of the headers of one mail part. Limits the cost of hostile files. */
export const MAX_HEADER_BYTES = 256 * 1024
