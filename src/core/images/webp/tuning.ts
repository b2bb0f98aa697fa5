/**
 * Tuning constants of WebP encoding. Qualities are libwebp's, 0 to 100; scores are SSIMULACRA 2.1 points. Constants without a source were
 * set by experiment on the project's fixtures.
 */

/**
 * Memory in bytes per pixel of a lossy encoding without tokens: planes and twice the result. Measured: 44 to 62 MB at 24 to 32 megapixels.
 */
export const LOSSY_BYTES_PER_PIXEL = 2

/** Memory in bytes of tokens per byte of the result, if tokens are stored. Measured: 36 to 69 MB at 12 megapixels, in 0.6 of the time. */
export const TOKENS_PER_BYTE = 22

/** Memory in bytes above which tokens are not stored. */
export const MOST_TOKEN_BYTES = 64 * 1024 * 1024

/**
 * Least memory in bytes per pixel of a translucent picture, with large transparent areas. Smooth transitions take 25; such pictures may
 * end with `EngineError`. Source: docs/contributors/memory.md, "to WebP, transparent".
 */
export const ALPHA_BYTES_PER_PIXEL = 15

/** Memory in bytes per pixel of a lossless encoding. Source: docs/contributors/memory.md, "to WebP, exact". */
export const EXACT_BYTES_PER_PIXEL = 22

/** Memory in bytes for row buffers and metrics when the encoder uses its full budget. */
export const ROW_BUFFER_BYTES = 12 * 1024 * 1024

/** Most bytes of a picture whose samples are kept for the search: 4 megapixels in colour. */
export const MOST_KEPT_BYTES = 12 * 1024 * 1024

/** Fixed memory in bytes of an encoding, in addition to the bytes per pixel. */
export const BASE_BYTES = 14 * 1024 * 1024

/**
 * libwebp's methods by number of pixels. Method 6 takes 1.5 times the time of method 5 for 2 % fewer bytes; method 4 takes a tenth less
 * than method 5 for 1 % more.
 */
export const METHODS = [
  { mostPixels: 300_000, method: 6 },
  { mostPixels: 4_000_000, method: 5 },
]

/** Slowest method of pictures with alpha. Method 6 codes alpha in several times the time, for one file of 192 × 192 pixels in 1.8 s. */
export const METHOD_WITH_ALPHA = 5

/** Method of pictures larger than the largest entry of `METHODS`, and of the effort `fast`. */
export const FASTEST_METHOD = 4

/** Method of the effort `best`. */
export const SLOWEST_METHOD = 6

/** Number of pixels from which a search for a target size computes tokens twice instead of storing them. */
export const FRUGAL_PIXELS = 8_000_000

/**
 * Limits for fitted chroma (libsharpyuv). `leastContrast`: share of neighbouring pixels with different hues; `mostPixels`: number of
 * pixels, at 13 bytes each. `bytesPerPoint`: share of the bytes that a score point costs, to compare both forms.
 */
export const FITTED_CHROMA_LIMITS = { leastContrast: 0.0003, mostPixels: 2_000_000, bytesPerPoint: 0.04 }

/** libwebp's methods of lossless encodings: `small` up to `mostPixels`, `large` above. */
export const EXACT_METHODS = { mostPixels: 1_000_000, small: 6, large: 4 }

/**
 * Quick lossless encoding, in a tenth to a half of the time. From quality 76, it looks for repeats in the whole picture. `leastShare`: least
 * size of the slow one as a share; 0.88 and more was measured (26 pictures). Methods 0 and 1 say nothing: drawings take up to 20 times as much.
 */
export const QUICK_EXACT = { quality: 76, method: 2, leastShare: 0.6 }

/** Method of probes that only predict. It takes a fifth of the time of method 6. */
export const FAST_METHOD = 2

/**
 * Score points that the method of the result gains over method 2: `base`, `perQuality` for each quality above 72, and `perLogBits` for each
 * factor of e in bits a pixel, within limits. `slow`: method 6 (15 pictures; they vary by 0.9 points). `usual`: methods 4 and 5 (13 pictures;
 * 1.2 points).
 */
export const GAIN_OVER_FAST = {
  slow: { base: -0.1, perQuality: 0, perLogBits: 1.15, least: -1.6, most: 1.6 },
  usual: { base: -0.4, perQuality: 0.08, perLogBits: 0, least: -0.8, most: 0.7 },
}

/** Most fast probes of averaged chroma, and the distance from the aim in score points at which the next one is not worth its time. */
export const PREDICTION = { mostProbes: 3, nearPoints: 5 }

/**
 * Cut (cut.ts). `leastPixels`: smallest picture; `mostPixels`: size of the cut of a large one; `every`: one band of so many; `leastBands`:
 * fewest bands; `leastShare`: a picture has at least so many times the bands. `leastHues`: share of the picture's contrast of hues from which
 * the cut chooses the form of chroma. `largePixels`: pictures without such hues have a cut if they are larger. `mostQualityError`: the
 * other form is searched too if the quality is further above the prediction.
 */
export const CUT = {
  ...{ leastPixels: 300_000, mostPixels: 1_000_000, every: 4, leastBands: 3, leastShare: 2 },
  ...{ leastHues: 0.5, largePixels: 2_000_000, mostQualityError: 5 },
}

/** Share of the bytes by which a result may shrink for each score point above the target. */
export const MOST_BYTES_PER_POINT = 0.06

/** Quality range of the search by luma SSIM and PSNR. */
export const QUALITY = { lowest: 30, highest: 97 }

/** Expected growth of the next attempt's size, as a multiple of the last one's. */
export const NEXT_GROWTH = 1.3

/** Pixels of a sample, in bands of 64 rows. All probes of a search then cost about as much as one encoding of the picture. */
export const SAMPLE_PIXELS = 1_000_000

/**
 * Perceptual search for WebP. `lowest`: lowest quality; `pointsPerCoarseness`: score points per quality step, measured 0.4 to 0.7;
 * `mostAskedByWindows`: points that colour casts may demand, which come mostly from halved chroma.
 */
export const PERCEPTUAL_SCALE = { lowest: 20, pointsPerCoarseness: 0.55, mostProbes: 4, mostAskedByWindows: 2 }

/**
 * Search by luma SSIM and PSNR (dB). `SAMPLE_SLACK`: margin that a sample must show above the target; `TOLERANCE`: shortfall at which the
 * whole picture is accepted.
 */
export const SAMPLE_SLACK = { ssim: 0.002, psnrDb: 0.15 }
export const TOLERANCE = { ssim: -0.0005, psnrDb: -0.05 }

/** SSIM, and PSNR in dB, gained by one quality step after a missed pass, and the most steps that the search goes up. */
export const PER_QUALITY_STEP = { ssim: 0.001, psnrDb: 0.2, mostSteps: 10 }
