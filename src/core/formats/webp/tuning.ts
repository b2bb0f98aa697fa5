/** Limits of WebP input, and constants of its compression. Constants without a source were set by experiment on the project's fixtures. */

/** Most chunks of a file, and most frames of an animation. Limits the work for hostile files. */
export const MAX_CHUNKS = 65_536

/** Most bytes of metadata and unknown chunks, which a job holds in memory. */
export const MAX_METADATA_BYTES = 16 * 1024 * 1024

/**
 * Memory in bytes per pixel while a lossless picture is decoded: libwebp's pixels, its RGBA output and a copy of that, with room for the
 * encoder that runs beside it.
 */
export const LOSSLESS_BYTES_PER_PIXEL = 14

/** Memory in bytes per pixel while a lossy picture with alpha is decoded: the alpha plane, for the upload and the result. */
export const ALPHA_BYTES_PER_PIXEL = 4

/** Copies of the file in memory: read from the source, and in the engines that decode it. */
export const COPIES_OF_FILE = 3

/** Fixed memory in bytes of a decoder, in addition to the bytes per pixel. */
export const BASE_BYTES = 6 * 1024 * 1024

/**
 * Largest size of a lossy result relative to a lossy original. Otherwise the original stays, to avoid a generation loss for little gain.
 * Source: docs/decisions/quality-levels.md.
 */
export const LOSSY_RATIO = 0.95

/** Memory in bytes per pixel of the canvas of an animation: the canvases of both files, and a frame. */
export const CANVAS_BYTES_PER_PIXEL = 24

/**
 * Most pixels of all frames, and most pixels of all canvases (size of the canvas times number of frames). They limit CPU time, because
 * every frame is searched and every canvas is measured.
 */
export const MOST_ANIMATION_PIXELS = {
  frames: { isolate: 30_000_000, roomy: 500_000_000 },
  canvases: { isolate: 120_000_000, roomy: 2_000_000_000 },
}

/**
 * Number of pixels of a frame up to which gentler levels are also encoded, and the smallest result is used. Sizes of small pictures vary
 * more than levels differ, and `low` must not be larger than `medium`.
 */
export const SMALL_FRAME_PIXELS = 512 * 512
