/**
 * Tuning constants of the FLAC codec. Constants of RFC 9639 are beside the code that uses them.
 * Sources: "Set by experiment": measured on the project's fixtures. "Safety limit": a bound on memory or time that no fixture comes near.
 */

/** Compression level of libFLAC, 0 to 8. */
export const FLAC_LEVEL = 8
/** Samples of a frame that libFLAC writes at that level. */
export const BLOCK_SAMPLES = 4096
/** Most samples, of all channels together, that are encoded with every precision of the predictor. Set by experiment. */
export const MAX_PRECISE_SAMPLES = 300_000_000
/** The same for samples of more than 16 bits, which take about 1.4 s for a million. Set by experiment. */
export const MAX_PRECISE_DEEP_SAMPLES = 20_000_000
/** CPU seconds for a million samples, of all channels together: decode, encode, decode both for verification. Set by experiment. */
export const SECONDS_PER_MILLION_SAMPLES = 0.3
/** Most samples of all channels together. Frames of silence hold 500,000 samples in 16 bytes, so the file's size is no bound. Safety limit. */
export const MAX_SAMPLES = 8_000_000_000

/** Most metadata blocks. Safety limit. */
export const MAX_BLOCKS = 10_000
/** Largest picture block in bytes that is recompressed. Safety limit. */
export const MAX_PICTURE_BYTES = 8 * 1024 * 1024
/** Most bytes of smaller pictures in memory. Safety limit. */
export const MAX_PICTURES_BYTES = 16 * 1024 * 1024
/** Smallest picture in bytes that is recompressed. Set by experiment. */
export const MIN_PICTURE_BYTES = 1024
/** Largest comment block in bytes whose comments are removed one by one. Safety limit. */
export const MAX_COMMENT_BYTES = 4 * 1024 * 1024
/** Samples of all channels that are decoded between two pauses for other jobs. Set by experiment. */
export const SAMPLES_PER_YIELD = 2_000_000
/** Bytes that are read, copied or pushed into the decoder at a time. Set by experiment. */
export const PIECE_BYTES = 64 * 1024
