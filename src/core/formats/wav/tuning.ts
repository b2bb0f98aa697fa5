/**
 * Tuning constants of the WAVE codec. Tables of a standard or a paper (G.711, IMA, critical bands) are beside the code that uses them.
 * Quality floors are in `catalog/floors.ts`.
 * Sources: "Set by experiment": measured on the project's fixtures. "Safety limit": a bound on memory or time that no fixture comes near.
 */

// Constants for reading and writing WAVE files

/** Bytes of samples in memory at a time, approximately. Set by experiment. */
export const SAMPLE_BLOCK_BYTES = 512 * 1024
/** Bytes of a chunk that are copied at a time. Set by experiment. */
export const COPY_BYTES = 1024 * 1024
/** Largest LIST or broadcast chunk in bytes that is read as tags. Safety limit. */
export const MAX_TAG_CHUNK_BYTES = 256 * 1024
/** Most bytes of an ID3 tag that is copied in front of a result. The encoder's tag after it must still be patchable. Safety limit. */
export const MAX_ID3_BYTES = 4 * 1024 * 1024

// Constants for the test of inaudible noise

/** Assumed level of the file's loudest sample in dB SPL, because listeners turn quiet recordings up. Set by experiment. */
export const LOUDEST_DB_SPL = 96
/** Margin in dB between the noise and the level that the sound masks. Set by experiment. */
export const HIDDEN_MARGIN_DB = 6
/**
 * Margin in dB between the noise and the threshold in quiet. Background noise in the quietest rooms exceeds it by about 10 dB.
 * Set by experiment.
 */
export const QUIET_MARGIN_DB = 3
/** Largest width of a spectrum bin in Hz: half of the narrowest critical band. Zwicker, JASA 33, 1961. */
export const MAX_BIN_HERTZ = 50
/** Largest spectrum window, as a power of two. Limits 64 channels at extreme rates to 8 MB. Safety limit. */
export const MAX_WINDOW_BITS = 14

// Constants for ADPCM

/**
 * Number of paths in the IMA encoder's beam search. Each sample is tried with the nearest nibble and its two neighbours. Set by
 * experiment.
 */
export const IMA_BEAM = 4
/** Seconds of sound that are encoded as ADPCM to predict its noise, spread evenly over the file. Set by experiment. */
export const ADPCM_TRIAL_SECONDS = 60
/** dB by which the ratio below 4 kHz may be lower than the ratio of the whole sound. Set by experiment. */
export const LOW_BAND_MARGIN_DB = 6

/** Highest sample rate in Hz that is converted to MP3. Safety limit. */
export const MAX_MP3_SOURCE_HERTZ = 768_000

// Constants for FLAC

/** libFLAC compression level. The exhaustive model search (`flac -e`) is off: it is slow and gains 0.1 %. Set by experiment. */
export const FLAC_LEVEL = 8
/** Most bytes of chunks that are stored as foreign metadata. Safety limit. */
export const MAX_FOREIGN_BYTES = 4 * 1024 * 1024
/** Most chunks that are stored as foreign metadata. Safety limit. */
export const MAX_FOREIGN_CHUNKS = 200
/** Samples of the original that are read ahead of the FLAC decoder during verification. Set by experiment. */
export const MAX_WAITING_SAMPLES = 4_000_000

// Constants for size estimates of other outputs

/** Number of stretches that are encoded to estimate a size. Shorter sound is encoded in full. Set by experiment. */
export const STRETCHES = 5
/** Seconds of each stretch that is encoded to estimate a size. Set by experiment. */
export const STRETCH_SECONDS = 2
/** Most samples of a stretch, for any sample rate and channel count. Safety limit. */
export const MAX_STRETCH_SAMPLES = 1 << 20

// Constants for the verification of WAVE files

/** Tolerance in dB for sums over blocks of another size. Set by experiment. */
export const ROUNDING_DB = 1e-6
