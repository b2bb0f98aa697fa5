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
/** Most bytes of a packet that is decoded. Safety limit. */
export const MAX_PACKET_BYTES = 1024 * 1024
/** Samples of all channels that are decoded between two pauses for other jobs. Set by experiment. */
export const SAMPLES_PER_YIELD = 1_000_000
/** CPU seconds for a million samples of Opus, of all channels together: decode, encode, decode, then decode both to verify. Set by experiment. */
export const OPUS_SECONDS_PER_MILLION_SAMPLES = 0.4
/** Shortest sound in seconds that is encoded again. Set by experiment. */
export const MIN_REENCODED_SECONDS = 0.5
/** Most samples, of all channels together, that are encoded again: 100 minutes of stereo. A job has 300 s. Set by experiment. */
export const MAX_REENCODED_SAMPLES = 576_000_000
/** Allowed deficit of the signal-to-noise ratio against the receipt, in dB. Set by experiment. */
export const SNR_TOLERANCE_DB = 0.5
