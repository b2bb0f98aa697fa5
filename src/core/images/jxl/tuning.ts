/**
 * Tuning constants of JPEG XL encoding. Qualities are steps of libjxl's Butteraugli distance; scores are SSIMULACRA 2.1 points. Constants
 * without a source were set by experiment on the project's fixtures.
 */

/** Distance in thousandths of one quality step. Quality 100 would be distance 0. */
export const DISTANCE_STEP = 90

/** Quality range of all searches: distances 8.28 to 0.18. */
export const QUALITY = { lowest: 8, highest: 98 }

/**
 * Perceptual search. `pointsPerCoarseness`: score points per quality step; `mostAskedByWindows`: points that casts and steps may demand:
 * chroma has its full resolution, but casts of single windows hardly fall with quality.
 */
export const PERCEPTUAL_SCALE = { ...QUALITY, pointsPerCoarseness: 0.6, mostProbes: 4, mostAskedByWindows: 3 }

/** Most probes of large pictures, because each takes about a second a megapixel. */
export const FEW_PROBES = { fromPixels: 8_000_000, mostProbes: 2 }

/** libjxl's effort, by effort of the job. Effort 4 takes half the time without loss, for 4 % more bytes of photographs and 70 % of screens. */
export const EFFORTS = { fast: 5, usual: 7 }

/** Fixed memory in bytes: tables of libjxl, and one tile of 512 × 256 pixels. */
export const BASE_BYTES = 10 * 1024 * 1024

/**
 * Memory in bytes per pixel of a square of 2048 × 2048 pixels: tokens of a photograph, and alpha as a lossless picture. Noise takes up to
 * 27; such pictures may end with `EngineError`.
 */
export const LOSSY_BYTES_PER_PIXEL = 7
export const LOSSY_ALPHA_BYTES_PER_PIXEL = 9

/** Memory in bytes per sample of a square of 1024 × 1024 pixels that is encoded without loss. Measured: 14 to 17. */
export const EXACT_BYTES_PER_SAMPLE = 16

/** Largest memory of an engine in an isolate (wasm/jxl/build-engine.sh). */
export const ISOLATE_ENGINE_BYTES = 88 * 1024 * 1024
