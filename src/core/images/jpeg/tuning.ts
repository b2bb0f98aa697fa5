/**
 * Tuning of the JPEG encoder and of its searches. Qualities are on MozJPEG's scale, 1 to 100; scores are points of SSIMULACRA 2.1.
 * Where a comment names no source, the value was set by experiment on the project's fixtures.
 */

/**
 * Memory in bytes per pixel. `stored`: coefficients as they come and requantised, and the result, of noisy photographs. `streamed`: the usual result
 * alone; the engine is watched. Source: docs/contributors/memory.md, rows "to JPEG".
 */
export const BYTES_PER_PIXEL = { stored: 3.6, streamed: 0.6 }

/** Memory in bytes beside the picture: instance, output buffers, JavaScript. Source: docs/contributors/memory.md. */
export const ENCODER_BASE_BYTES = 17 * 1024 * 1024

/** Memory in bytes per pixel of width: rows and windows of engines and meters, and with `stored` those of the job. Source: `npm run conformance -- wide`. */
export const BYTES_PER_COLUMN = { streamed: 1200, stored: 1900 }

/** Least memory in bytes that a streaming engine gets: an engine that holds next to nothing. */
export const LEAST_WATCHED_BYTES = 6 * 1024 * 1024

/** Memory in bytes above which coefficients are streamed although the budget would allow to store them. */
export const COMFORT_BYTES = 62 * 1024 * 1024

/** Result as a share of its estimate, at least: an estimate is of an ideal sequential coder, and progressive scans come below it by less than this. */
export const MOST_GAINED = 0.75

/** Width that the DCT leaves, as a multiple of the final width, so that a Lanczos filter makes the last step. */
export const RESAMPLED_AT_LEAST = 1.5

/** Rows that the decoder hands out at a time. */
export const STRIP_ROWS = 16

/** Lowest quality of the search by luma. */
export const LOWEST_QUALITY = 35

/** Highest quality of any search. */
export const HIGHEST_QUALITY = 95

/** Distance above the target from which a sample is trusted: a share of what SSIM lacks to 1, and dB of PSNR. */
export const SAMPLE_MARGIN = { ssimShare: 0.015, psnrDb: 0.05 }

/** Distance above the target that is expected of the quality after a miss: SSIM, and dB of PSNR. A third pass costs more than a step of quality. */
export const CLIMB_MARGIN = { ssim: 0.0003, psnrDb: 0.03 }

/** Distance below the target at which a whole picture is accepted: SSIM, and dB of PSNR. */
export const TOLERANCE = { ssim: 0.0005, psnrDb: 0.05 }

/** Pixels below which the whole picture serves as its sample. */
export const SAMPLE_PIXELS = 250_000

/** Pixels below which samples are small: a full pass corrects what they say, and a second one follows where it pays. */
export const SMALL_PIXELS = 800_000

/** Steps of quality above what is needed from which a full pass is repeated. */
export const STEPS_TO_GAIN = 1

/** Steps of quality above a pass that missed from which a quality in between is tried. */
export const FAR_STEPS = 4

/** Pairs of MCU rows in a sample: two a megapixel, within these limits. */
export const SAMPLE_PAIRS = { least: 11, most: 40 }

/** Qualities that may be probed; the lowest quality of each level is among them (catalog/levels.ts). */
export const QUALITY_GRID = [LOWEST_QUALITY, 42, 50, 57, 65, 73, 81, 88, 92, HIGHEST_QUALITY] as const

/** Pixels above which a second pass costs as much as reading the file again. */
export const LARGE_PIXELS = 8e6

/** Factor of `SAMPLE_MARGIN` where a second pass reads the file again. */
export const STREAMED_CAUTION = 2.5

/** Factor of `TOLERANCE` where a second pass reads the file again. */
export const STREAMED_TOLERANCE = 2

/** Bytes of Huffman codes as a multiple of an ideal coder, at least; 1.009 to 1.05 were measured. */
export const HUFFMAN_LEAST = 1.009

/** Bytes below which the tables of several scans may cost more than the scans save. */
export const TINY_BYTES = 30_000

/** SSIM, and dB of PSNR, that one step of quality brings near the target. */
export const PER_QUALITY_STEP = { ssim: 0.0015, psnrDb: 0.15 }

/** Steps of quality that the search goes up after a miss, at most. */
export const MOST_STEPS_UP = 12

/** Perceptual search. `lowest`: quality; `pointsPerCoarseness`: points that one unit of the logarithm of step sizes takes, as a first guess. */
export const PERCEPTUAL_SCALE = { lowest: 25, pointsPerCoarseness: 11, mostProbes: 3, mostAskedByWindows: 6 }

/** Perceptual search on bands of pictures above 50 megapixels: a coding takes 0.05 s a megapixel, so there is time for more than other codecs have. */
export const PERCEPTUAL_BANDS = { mostProbes: 6, closePoints: 2.5, aimPoints: 1 }
