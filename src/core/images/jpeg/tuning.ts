/**
 * Tuning constants of the JPEG encoder and its searches. Qualities are on MozJPEG's scale, 1 to 100; scores are SSIMULACRA 2.1 points.
 * Constants without a source were set by experiment on the project's fixtures.
 */

/**
 * Memory in bytes per pixel. `stored`: original and requantised coefficients and the result, for noisy photographs. `streamed`: the usual
 * result only; a limit on the engine stops larger ones. Source: docs/contributors/memory.md, rows "to JPEG".
 */
export const BYTES_PER_PIXEL = { stored: 3.6, streamed: 0.6 }

/** Fixed memory in bytes: WebAssembly instance, output buffers and JavaScript. Source: docs/contributors/memory.md. */
export const ENCODER_BASE_BYTES = 17 * 1024 * 1024

/**
 * Memory in bytes per pixel of picture width: rows and windows of encoder and meters. `stored` includes the rows of the job. Source: `npm
 * run conformance -- wide`.
 */
export const BYTES_PER_COLUMN = { streamed: 1200, stored: 1900 }

/** Smallest memory limit in bytes of a streaming engine, which stores almost nothing. */
export const LEAST_WATCHED_BYTES = 6 * 1024 * 1024

/** Memory in bytes above which coefficients are streamed, even if the budget would allow to store them. */
export const STORED_COEFFICIENTS_MAX_BYTES = 62 * 1024 * 1024

/**
 * Lowest ratio of result size to estimated size. The estimate assumes an ideal sequential coder; progressive scans save less than 25 % of
 * it.
 */
export const LEAST_ESTIMATE_RATIO = 0.75

/** Minimum ratio of DCT-scaled width to final width, so that a Lanczos filter makes the last reduction step. */
export const LEAST_RESAMPLING_RATIO = 1.5

/** The same ratio for renditions, whose size the caller chose. With 2, the filter sees every detail that the result can show. */
export const LEAST_RENDITION_RATIO = 2

/** Pixel rows in one strip of the decoder's output. */
export const STRIP_ROWS = 16

/** Lowest quality of the search by luma SSIM and PSNR. */
export const LOWEST_QUALITY = 35

/** Highest JPEG quality of any search. */
export const HIGHEST_QUALITY = 95

/**
 * Safety margin that a sample must show above the target. `ssimShare`: share of the distance between target SSIM and 1; `psnrDb`: dB of
 * PSNR.
 */
export const SAMPLE_MARGIN = { ssimShare: 0.015, psnrDb: 0.05 }

/**
 * Expected distance above the target after a missed pass: SSIM, and PSNR in dB. It avoids a third pass, which costs more than one quality
 * step.
 */
export const CLIMB_MARGIN = { ssim: 0.0003, psnrDb: 0.03 }

/** Shortfall from the target at which a whole picture is accepted: SSIM, and PSNR in dB. */
export const TOLERANCE = { ssim: 0.0005, psnrDb: 0.05 }

/** Number of pixels below which the whole picture is used as the sample. */
export const SAMPLE_PIXELS = 250_000

/**
 * Number of pixels below which samples are small. A full pass then corrects the sample's estimate, and a second one follows if it saves
 * bytes.
 */
export const SMALL_PIXELS = 800_000

/** Number of quality steps too high from which a full pass is repeated at the lower quality. */
export const STEPS_TO_GAIN = 1

/** Number of quality steps between a missed pass and a passed one, from which a quality in between is tried. */
export const FAR_STEPS = 4

/** Limits of the number of MCU row pairs in a sample, which has two pairs a megapixel. */
export const SAMPLE_PAIRS = { least: 11, most: 40 }

/** Qualities that the search may probe. The lowest quality of each level is among them (catalog/levels.ts). */
export const QUALITY_GRID = [LOWEST_QUALITY, 42, 50, 57, 65, 73, 81, 88, 92, HIGHEST_QUALITY] as const

/** Number of pixels above which a second pass costs as much as reading the file again. */
export const LARGE_PIXELS = 8e6

/** Factor of `SAMPLE_MARGIN` if a second pass would read the file again. */
export const STREAMED_CAUTION = 2.5

/** Factor of `TOLERANCE` if a second pass would read the file again. */
export const STREAMED_TOLERANCE = 2

/** Lowest ratio of Huffman-coded bytes to the bytes of an ideal coder; measured ratios are 1.009 to 1.05. */
export const HUFFMAN_LEAST = 1.009

/** File size in bytes below which the Huffman tables of several scans may cost more than the scans save. */
export const TINY_BYTES = 30_000

/** SSIM, and PSNR in dB, gained by one quality step near the target. */
export const PER_QUALITY_STEP = { ssim: 0.0015, psnrDb: 0.15 }

/** Most quality steps that the search goes up after a missed pass. */
export const MOST_STEPS_UP = 12

/**
 * Perceptual search. `lowest`: lowest quality; `pointsPerCoarseness`: score points lost for each unit of the logarithm of step sizes
 * (first guess).
 */
export const PERCEPTUAL_SCALE = { lowest: 25, pointsPerCoarseness: 11, mostProbes: 3, mostAskedByWindows: 6 }

/**
 * Perceptual search above 50 megapixels, where bands are scored. JPEG encodes 20 megapixels a second, so it may probe more often than
 * other codecs.
 */
export const PERCEPTUAL_BANDS = { mostProbes: 6, closePoints: 2.5, aimPoints: 1 }

/**
 * Search on a cut (cut-search.ts). `leastPixels`: smallest picture; `every`: one band of so many is in the cut. `lossShare`: share of the
 * whole picture's loss that the cut has; on 25 pictures of 1.5 to 13 megapixels it was 0.95 at 82 points, 0.93 at 72 and 60, with a
 * standard deviation of 0.02. `tileLead`: points by which the worst tile of the cut is better. `aimPoints`: points above its target that the
 * cut aims at. `nearPoints` and `nearCoarseness`: distance from `aimPoints`, and to the next quality, from which the cut needs no further
 * probe. `surePoints`: a quality that is predicted to miss the target by more is not probed. `closePoints`: as in `QualityScale`, for the
 * whole picture.
 */
export const CUT = {
  ...{ leastPixels: 0.7e6, every: 4, lossShare: 0.968, lossSharePerPoint: 0.00105, tileLead: 4 },
  ...{ aimPoints: 0.8, nearPoints: 2, nearCoarseness: 0.15, surePoints: 1.5, mostProbes: 3, closePoints: 2 },
}

/**
 * Surplus of SSIMULACRA 2 points which shows that colour or a single tile, not the score, determined the quality. Full chroma is then
 * tried. Source: docs/decisions/quality-levels.md, "Halved chroma".
 */
export const FULL_CHROMA_POINTS = 3
