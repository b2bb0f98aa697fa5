/**
 * Tuning constants of sound conversions. Constants of the standards are beside the code that uses them.
 * Sources: "Set by experiment": measured on the project's fixtures. "Safety limit": a bound on memory or time that no fixture comes near.
 */

// Constants for the resampler

/** Zero crossings of the sinc on each side of its centre. Set by experiment. */
export const SINC_CROSSINGS = 24
/** Kaiser window parameter: about 90 dB stop-band attenuation. Set by experiment. */
export const KAISER_BETA = 9
/** End of the pass band, as a share of the lower rate's Nyquist frequency. Set by experiment. */
export const PASS_BAND = 0.94
/** Number of filter phases. Between two phases the filter is interpolated linearly. Set by experiment. */
export const FILTER_PHASES = 512
// Constants for conversions

/** Sample rates in Hz that are converted. Safety limit: the resampler's memory grows with the ratio of the rates. */
export const CONVERTED_HERTZ = { least: 4000, most: 192_000 } as const
/** Most bytes of tags and covers. Half as much again fits into the part of a result that is patched at the end. Safety limit. */
export const MAX_TAG_BYTES = 3 * 1024 * 1024
/** CPU seconds for a million samples, of all channels together: decode, encode and decode, then decode both to verify. Set by experiment. */
export const SECONDS_PER_MILLION_SAMPLES = 0.45
/** Samples of all channels between two pauses for other jobs. Set by experiment. */
export const SAMPLES_PER_YIELD = 500_000
/** Allowed deficit of the signal-to-noise ratio against the receipt, in dB. Set by experiment. */
export const SNR_TOLERANCE_DB = 0.5
