/**
 * Tuning of WebP. Qualities are libwebp's, 0 to 100; scores are points of SSIMULACRA 2.1.
 * Where a comment names no source, the value was set by experiment on the project's fixtures.
 */

/** Memory in bytes per pixel: planes, and twice the result, without tokens. Measured: 44 to 62 MB at 24 to 32 megapixels. */
export const LOSSY_BYTES_PER_PIXEL = 2

/** Memory in bytes of tokens for each byte of the result, where they are held: 12 megapixels in 36 to 69 MB, in 0.6 of the time. */
export const TOKENS_PER_BYTE = 22

/** Memory in bytes above which tokens are not held. */
export const TOKENS_COMFORT_BYTES = 64 * 1024 * 1024

/** Least memory in bytes per pixel of a translucent picture, with large clear areas; smooth transitions take 25, and end as `EngineError`. docs/contributors/memory.md, "to WebP, transparent". */
export const ALPHA_BYTES_PER_PIXEL = 15

/** Memory in bytes per pixel of an exact result. docs/contributors/memory.md, "to WebP, exact". */
export const EXACT_BYTES_PER_PIXEL = 22

/** Memory in bytes of rows and meters beside an engine that uses its full budget. */
export const BESIDE_BYTES = 12 * 1024 * 1024

/** Memory in bytes beside the picture. */
export const BASE_BYTES = 14 * 1024 * 1024

/** Pixels up to which libwebp's method is 5; beyond, method 4 takes a tenth of the time for 1 % more bytes. */
export const THOROUGH_PIXELS = 4_000_000

/** Pictures whose chroma is also fitted (libsharpyuv): share of neighbours with different hues, at least, and pixels, at most, at 13 bytes each. docs/decisions/webp-and-avif.md, "Chroma fitted". */
export const FITTED = { leastContrast: 0.0003, mostPixels: 2_000_000 }

/** Range of the search by luma. */
export const QUALITY = { lowest: 30, highest: 97 }

/** Bytes that the next attempt may take, as a multiple of the last one. */
export const NEXT_GROWTH = 1.3

/** Pixels of a sample, in bands of 64 rows: the probes of a search then cost about one encoding of the picture. */
export const SAMPLE_PIXELS = 1_000_000

/** Perceptual search. `lowest`: quality; `pointsPerCoarseness`: points a step of quality, 0.4 to 0.7 were measured; casts come mostly from the halved chroma. */
export const PERCEPTUAL_SCALE = { lowest: 20, pointsPerCoarseness: 0.55, mostProbes: 4, mostAskedByWindows: 2 }

/** Search by luma: distance above the target from which a sample is trusted, and below it at which the whole picture is accepted (SSIM, dB of PSNR). */
export const SAMPLE_SLACK = { ssim: 0.002, psnrDb: 0.15 }
export const TOLERANCE = { ssim: -0.0005, psnrDb: -0.05 }

/** SSIM, and dB of PSNR, that one step of quality brings after a miss, and the steps that it goes up, at most. */
export const PER_QUALITY_STEP = { ssim: 0.001, psnrDb: 0.2, mostSteps: 10 }
