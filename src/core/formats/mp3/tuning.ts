/**
 * Tuning constants of the MP3 codec. Constants of ISO/IEC 11172-3 and of tag formats are beside their parser. Bit rates from which a level
 * encodes again are in `catalog/levels.ts`.
 * Sources: "Set by experiment": measured on the project's fixtures. "Safety limit": a bound on memory or time that no fixture comes near.
 */

// Constants for reading MP3 files

/** Bytes per read of frames; also the largest tail that is searched for tags. Set by experiment. */
export const WINDOW_BYTES = 1024 * 1024
/** Most bytes between the tags and the first frame. Safety limit. */
export const MAX_GAP_BYTES = 64 * 1024
/**
 * Largest share of the file for unknown bytes after the frames. A larger tail changes the length that players compute, so it is copied.
 * Set by experiment.
 */
export const MAX_UNKNOWN_TAIL_SHARE = 1 / 16
/** Frames to decode, encode and compare between two pauses for other jobs. Set by experiment. */
export const SOUND_FRAMES_PER_YIELD = 128
/** MP3 frame headers to read between two pauses for other jobs. Set by experiment. */
export const HEADERS_PER_YIELD = 16_384

// Constants for tags

/** Bytes reserved after the tags in front for the encoder's own tag, which is patched at the end. Safety limit. */
export const ENCODER_TAG_BYTES = 8192
/** Largest tags in bytes that are shrunk; larger ones are copied. Safety limit. */
export const MAX_FRONT_TAG_BYTES = 16 * 1024 * 1024
/** Smallest picture in bytes that is recompressed. Set by experiment. */
export const MIN_PICTURE_BYTES = 1024

// Constants for repacking and encoding

/** Fewest frames for repacking, so that players still recognise the file. Set by experiment. */
export const MIN_FRAMES = 8
/**
 * Most seconds of sound that are encoded again. Decode, encode and decode run at about 30 times real time; a job has 300 s. Set by
 * experiment.
 */
export const MAX_REENCODED_SECONDS = 6000
/** Fewest seconds of sound that are encoded again. Set by experiment. */
export const MIN_REENCODED_SECONDS = 0.5

// Constants for the verification of MP3 files

/** Most frames that are decoded as a check: two hours. Longer files are compared only bit by bit. Safety limit. */
export const MAX_DECODED_FRAMES = 300_000
/** Allowed deficit of the signal-to-noise ratio against the receipt, in dB. Set by experiment. */
export const SNR_TOLERANCE_DB = 0.5
