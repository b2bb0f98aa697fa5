/**
 * Tuning constants of AVIF encoding. Qualities are libavif's, 0 to 100; speeds are libaom's, 0 (slowest) to 10; scores are SSIMULACRA 2.1
 * points. Constants without a source were set by experiment on the project's fixtures.
 */

// Constants for pictures that are encoded as one AV1 key frame.

/**
 * Memory of the encoder for photographs: fixed, and in bytes per pixel by chroma format. Source:
 * docs/decisions/webp-and-avif.md.
 */
export const ENCODER_BASE_BYTES = 6_000_000
export const ENCODER_BYTES = { halved: 20.5, full: 36 }

/** Largest memory of the encoder for probes of full chroma: what the pool keeps (wasm/memories), so that verification uses it again. */
export const FULL_PROBE_BYTES = 64 * 1024 * 1024

/** Memory in bytes per pixel that the encoder takes in addition at `FRAME_SPEED` if the shorter side has fewer than `side` pixels. */
export const SMALL_BLOCKS = { side: 1080, bytes: 12 }

/** Memory of a single-frame encoding besides encoder, pixels and meter: fixed, and the decoder's in bytes per pixel, by channels. */
export const FRAME_BASE_BYTES = 8_000_000
export const DECODER_BYTES = { 3: 3.8, 4: 5.5 }

/** Encoder speed for pictures of one key frame. Source: docs/decisions/webp-and-avif.md, "Speed and tiles". */
export const FRAME_SPEED = 6

/** Quality range of the search by luma SSIM and PSNR. */
export const QUALITY = { lowest: 25, highest: 95 }

/** Most perceptual probes of a one-frame picture until one reaches the target. */
export const FRAME_PROBES = 4

// Constants for pictures that are encoded as a grid of AV1 tiles.

/**
 * Fixed memory in bytes of a grid encoding: encoder, decoder, row reader and sample. Source: docs/contributors/memory.md, "to AVIF,
 * large".
 */
export const GRID_BASE_BYTES = 64 * 1024 * 1024

/** Memory in bytes of the perceptual meter per pixel of picture width, by number of channels. */
export const PERCEPTUAL_METER_BYTES = { 3: 700, 4: 2000 }

/**
 * Encoder speed by number of pixels. One speed slower takes 3 % fewer bytes and 1.7 times the time. Source:
 * docs/decisions/webp-and-avif.md, "Speed and tiles".
 */
export const GRID_SPEEDS = [
  { pixels: 1_000_000, speed: 6 },
  { pixels: 16_000_000, speed: 7 },
]

/** Encoder speed for pictures larger than the largest entry of `GRID_SPEEDS` and `HDR_SPEEDS`. */
export const FASTEST_SPEED = 8

/** Last index of the quality steps 26, 29 … 95 in the search of an AVIF grid. */
export const LAST_GRID_STEP = 23

/** Most probes of the sample tiles until one reaches the target. */
export const SAMPLE_PROBES = 3

/** Most probes of the whole grid until one reaches the target. */
export const WHOLE_PROBES = { few: 2, usual: 3 }

/** Number of pixels from which `WHOLE_PROBES.few` applies, because each probe takes half a minute. */
export const FEW_PROBES_PIXELS = 8_000_000

/** Safety margin that a sample must show above the target: SSIM, and PSNR in dB. */
export const SAMPLE_SLACK = { ssim: 0.002, psnrDb: 0.15 }

/** Shortfall from the target at which a whole picture is accepted: SSIM, and PSNR in dB. */
export const TOLERANCE = { ssim: -0.001, psnrDb: -0.1 }

/** Lowest encoder quality of alpha tiles, because errors at transparent edges are visible. */
export const LEAST_ALPHA_QUALITY = 75

/**
 * Number of sample tiles. `large` applies above 50 megapixels, where there is no time for three encodings of the whole picture. Source:
 * docs/decisions/webp-and-avif.md, "Above 50 megapixels".
 */
export const SAMPLE_TILES = { usual: 4, large: 8 }

/** Most tiles of a grid whose search probes all of them instead of a sample. */
export const MOST_TILES_WITHOUT_SAMPLE = 9

// Constants of the perceptual search for AVIF.

/**
 * Exponent that makes the score roughly linear in `(100 − quality) ** CURVE`. Scores fall by 1.1 points a quality step at 46 and by 0.45 at
 * 61.
 */
export const CURVE = 2

/** Score points lost for each unit of `(100 − quality) ** CURVE`. */
export const POINTS_PER_COARSENESS = 0.0075

/** Share of an AVIF file's bytes that one score point costs, at any level. */
export const BYTES_PER_POINT = 0.05

/** Encoder speed of probes that only steer the search. A probe takes about a tenth of the time of one at `FRAME_SPEED`. */
export const PROBE_SPEED = 9

/** Most fast probes for the quality, and the distance from the aim in score points at which the next one is not worth its time. */
export const FAST_PROBES = 3
export const NEAR_PREDICTION = 4

/**
 * What a probe at `PROBE_SPEED` loses, compared with `FRAME_SPEED` at the same quality. `score`, `worstTile`, `ssim`: ratio of the
 * distances from a perfect figure. `cast`: ratio. `psnrDb`: difference. Medians of 13 pictures, three encodings each.
 */
export const FAST_LOSS = { score: 1.3, worstTile: 1.33, cast: 1.1, ssim: 1.5, psnrDb: 1.75 }

/**
 * Difference of two expected sizes, as a logarithm, up to which fast probes cannot tell the smaller one: drawings grow by up to 25 %
 * more with full chroma than at the final speed.
 */
export const UNCERTAIN_SIZE = 0.06

/**
 * Score points lost by halving chroma, from which fitted chroma is tried; photographs lose less. Source: docs/decisions/webp-and-avif.md,
 * "Chroma fitted".
 */
export const POINTS_LOST_BY_HALVING = 1.5

/** Quality range of the perceptual search for AVIF. */
export const PERCEPTUAL_RANGE = { lowest: 20, highest: 97 }

/**
 * Search limits above 50 megapixels, where a probe takes a minute or two. The second probe aims 1.5 points too high, so that it is likely
 * the last.
 */
export const TWO_PROBES = { mostProbes: 1, mostMisses: 2, aimPoints: 1.5, tileSlope: 2 }

/**
 * Most score points that casts and steps may demand, by chroma format. Casts come mostly from halved chroma, and a higher quality does not
 * remove them.
 */
export const ASKED_BY_WINDOWS = { full: 6, halved: 2 }

// Constants for HDR pictures encoded as AVIF.

/** Fixed memory in bytes of an HDR encoding: encoder, decoder and row reader. */
export const HDR_BASE_BYTES = 64 * 1024 * 1024

/** Memory in bytes per pixel of a band of HDR rows: original and decoded samples. */
export const BAND_BYTES = 16

/** Memory in bytes of the HDR meters per pixel of picture width. */
export const METER_BYTES = 5_000

/** Encoder speed by number of pixels; 10-bit tiles take twice the time of 8-bit tiles. */
export const HDR_SPEEDS = [
  { pixels: 500_000, speed: 6 },
  { pixels: 4_000_000, speed: 7 },
]

/** Last index of the quality steps 26, 29 … 95. All levels use the same steps, so that a lower target never ends at a higher quality. */
export const LAST_HDR_STEP = 23

/** Most score points that one step gains, at low qualities; at high qualities it gains one. And the most steps taken at once. */
export const [MOST_POINTS_PER_STEP, MOST_SKIPPED] = [3, 5]

/** Number of pixels above which the search starts at the level's usual step, because a bisection encodes the whole picture four times. */
export const BISECTED_PIXELS = 1_000_000

/** Lowest encoder quality of HDR alpha tiles, because errors at transparent edges are visible. */
export const LEAST_HDR_ALPHA_QUALITY = 75
