/**
 * Tuning of AVIF. Qualities are libavif's, 0 to 100, speeds libaom's, 0 (slowest) to 10; scores are points of SSIMULACRA 2.1.
 * Where a comment names no source, the value was set by experiment on the project's fixtures.
 */

// One key frame.

/** Memory in bytes per pixel of encoder, decoder and both pictures, measured at 0.8 megapixels. docs/contributors/memory.md, "to AVIF". */
export const BYTES_PER_PIXEL = 175

/** Memory in bytes beside the pictures. */
export const FRAME_BASE_BYTES = 30 * 1024 * 1024

/** Speed of one key frame. docs/decisions/webp-and-avif.md, "Speed and tiles". */
export const FRAME_SPEED = 6

/** Range of the search by luma. */
export const QUALITY = { lowest: 25, highest: 95 }

/** Probes of a picture, where one is good enough. */
export const FRAME_PROBES = 3

// Grids of tiles.

/** Memory in bytes of encoder, decoder, the reader of the picture and the sample. docs/contributors/memory.md, "to AVIF, large". */
export const GRID_BASE_BYTES = 64 * 1024 * 1024

/** Memory in bytes of the perceptual meter per pixel of width, by channels. */
export const PERCEPTUAL_METER_BYTES = { 3: 700, 4: 2000 }

/** Speed by the number of pixels: a slower speed takes 3 % fewer bytes and 1.7 times the time. docs/decisions/webp-and-avif.md, "Speed and tiles". */
export const GRID_SPEEDS = [
  { pixels: 1_000_000, speed: 6 },
  { pixels: 16_000_000, speed: 7 },
]

/** Speed above the largest of `GRID_SPEEDS` and `HDR_SPEEDS`. */
export const FASTEST = 8

/** Last step of the qualities that are tried: 26, 29 … 95. */
export const LAST_GRID_STEP = 23

/** Probes of the sample, where one is good enough. */
export const SAMPLE_PROBES = 3

/** Probes of the whole picture, where one is good enough. */
export const WHOLE_PROBES = { few: 2, usual: 3 }

/** Pixels from which `WHOLE_PROBES.few` holds: each takes half a minute. */
export const FEW_PROBES_PIXELS = 8_000_000

/** Distance above the target from which a sample is trusted: SSIM, and dB of PSNR. */
export const SAMPLE_SLACK = { ssim: 0.002, psnrDb: 0.15 }

/** Distance to the target at which a whole picture is accepted: SSIM, and dB of PSNR. */
export const TOLERANCE = { ssim: -0.001, psnrDb: -0.1 }

/** Least quality of alpha, whose edges show. */
export const LEAST_ALPHA_QUALITY = 75

/** Tiles of a sample; more where there is no time to code the whole picture three times. docs/decisions/webp-and-avif.md, "Above 50 megapixels". */
export const SAMPLE_TILES = { usual: 4, large: 8 }

// Perceptual search.

/** Exponent that makes scores a straight line over quality: they fall by 1.3 points a step at quality 30 and by 0.5 at 85. */
export const CURVE = 1.6

/** Points that one unit of `(100 − quality) ** CURVE` takes. */
export const POINTS_PER_COARSENESS = 0.066

/** Share of the bytes that one point of the score takes, at any level. */
export const BYTES_PER_POINT = 0.04

/** Further probes where chroma is fitted: what is wanted is far below the quality that halving asked for. */
export const PROBES_OF_FITTED = 2

/** Points that halving chroma takes, from which fitting is tried; photographs lose less. docs/decisions/webp-and-avif.md, "Chroma fitted". */
export const LOST_BY_HALVING = 1.5

/** Qualities of the perceptual search. */
export const PERCEPTUAL_RANGE = { lowest: 20, highest: 97 }

/** Search of pictures above 50 megapixels, where a probe takes a minute or two: the second aims a little higher, to be the last. */
export const TWO_PROBES = { mostProbes: 1, mostMisses: 2, aimPoints: 1.5, tileSlope: 2 }

/** Points that casts and steps may ask for, by chroma: casts come mostly from halved chroma, which no quality mends. */
export const ASKED_BY_WINDOWS = { full: 6, halved: 2 }

// HDR.

/** Memory in bytes of encoder, decoder and the reader of the picture. */
export const HDR_BASE_BYTES = 64 * 1024 * 1024

/** Memory in bytes per pixel of a band: samples of the picture and decoded ones. */
export const BAND_BYTES = 16

/** Memory in bytes per pixel of width in the meters. */
export const METER_BYTES = 5_000

/** Speed by the number of pixels: 10 bits take twice the time of 8. */
export const HDR_SPEEDS = [
  { pixels: 500_000, speed: 6 },
  { pixels: 4_000_000, speed: 7 },
]

/** Last step of the qualities that are tried: 26, 29 … 95. Every level climbs the same steps, so that a lower target never ends higher. */
export const LAST_HDR_STEP = 23

/** Pixels above which the search begins at the level's usual step: a bisection codes the whole picture four times. */
export const BISECTED_PIXELS = 1_000_000

/** Least quality of alpha, whose edges show. */
export const LEAST_HDR_ALPHA_QUALITY = 75
