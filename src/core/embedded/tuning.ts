/**
 * Numbers that decide how pictures and other files inside documents are compressed.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

import type { RowSample } from '../../../wasm/scale/scale.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../catalog/floors.ts'
import type { Quality } from '../model/codec.ts'
import type { PictureHeader } from './image-header.ts'

// Numbers for downsampling to the displayed size

/** Ratio of sides. A picture is only downsampled to a smaller ratio; otherwise the loss is not worth it. Set by experiment. */
export const MAX_DOWNSAMPLE_SCALE = 0.8
/**
 * Ratio of sides up to which a picture is downsampled to a resolution that the caller asked for. A smaller reduction would only blur it.
 */
export const MAX_REQUESTED_SCALE = 0.97
/**
 * SSIM that a downsampled result must have after upscaling. It is above the quality floor, so that other implementations of SSIM agree.
 * Set by experiment.
 */
export const MIN_UPSCALED_SSIM = FLOOR_SSIM + 0.01
/** PSNR of luma in dB that a downsampled result must have after upscaling. It is above the quality floor. Set by experiment. */
export const MIN_UPSCALED_PSNR_DB = FLOOR_PSNR_DB + 0.5
/** PSNR of RGB in dB that a downsampled result must have after upscaling. Set by experiment. */
export const MIN_UPSCALED_RGB_PSNR_DB = 26
/** SSIM by which the encoding of a level may exceed its target, because smooth pictures keep a minimum quality. Set by experiment. */
export const SSIM_MARGIN: Record<Quality, number> = { ultra: 0.02, low: 0.02, medium: 0.002, high: 0.002 }
/** Pixels. Encoding a smaller picture takes no longer than estimating the similarity of its result. Set by experiment. */
export const MIN_ESTIMATED_PIXELS = 100_000
/** Bands of rows that represent a whole picture in an estimate: 64 of every 384 rows. Set by experiment. */
export const SAMPLED_BANDS: RowSample = { period: 384, span: 64 }
/** Bytes of the largest sample that is cached while several sizes are tried. Larger samples are decoded again. Limits memory. */
export const MAX_CACHED_SAMPLE_BYTES = 8_000_000

// Numbers for the choice of the result

/** Bytes that renaming may add to the texts that refer to a picture. A picture that saves less keeps its name. Set by experiment. */
export const RENAMING_BYTES = 192
/** Share of the old bytes. A drawing or screenshot becomes JPEG only if the JPEG is smaller than this share. Set by experiment. */
export const DRAWN_JPEG_SHARE = 0.2
/** Bytes. In smaller pictures, headers and tables matter as much as pixels, so more forms are tried. Set by experiment. */
export const SMALL_PICTURE_BYTES = 64 * 1024
/**
 * Share of the old bytes. A downsampled picture below it is smaller than any result with more pixels, so none is tried. Set by experiment.
 */
export const GENTLER_TRIAL_SHARE = { jpg: 0.5, png: 0.25 }
/**
 * Share of a compressed file's bytes. If Deflate saves more, the file has large flat areas whose compressed bytes repeat. Set by
 * experiment.
 */
export const DEFLATES_AGAIN_SHARE = 0.03
/** zlib level that estimates the size of a file after a package deflates it. Set by experiment. */
export const PACKAGE_DEFLATE_LEVEL = 6
/** Bytes. Larger pictures stay unchanged, because picture and result must both fit in memory. Limits memory. */
export const MAX_PICTURE_BYTES = 24 * 1024 * 1024
/** Bytes. Smaller pictures stay unchanged: they save less than they cost. Set by experiment. */
export const MIN_PICTURE_BYTES = 600
/** Share by which downsampling may change the aspect ratio of a picture. Set by experiment. */
export const ASPECT_TOLERANCE = 0.02
/** Bytes of results that are kept between planning and writing. When they are used up, further PNGs keep their names. Limits memory. */
export const MAX_READY_BYTES = 16 * 1024 * 1024
/** Largest number of different receipt steps about removed data that are listed. Further steps are only counted. Set by experiment. */
export const MAX_REMOVED_STEPS = 12
/** Bytes of one text that may refer to pictures. If a text is larger, no picture is renamed. Limits memory. */
export const MAX_REFERRING_BYTES = 16 * 1024 * 1024
/** Bytes of all texts that may refer to pictures. If they are larger, no picture is renamed. Limits memory. */
export const MAX_ALL_REFERRING_BYTES = 32 * 1024 * 1024
/** Pixels of the largest BMP or TIFF that is converted to PNG. Limits the cost of hostile files. */
export const MAX_REPLACED_PIXELS = 64_000_000
/** Bytes of the largest colour profile that is copied from a TIFF to a PNG. Limits the cost of hostile files. */
export const MAX_PROFILE_BYTES = 4 * 1024 * 1024
/** Bytes of the largest text that is copied from a TIFF to a PNG. Limits the cost of hostile files. */
export const MAX_TEXT_BYTES = 4096

// Numbers for the detection of photographs

/** Width and height in pixels of the blocks that are examined. Set by experiment. */
export const BLOCK_PIXELS = 8
/**
 * Sample levels between the darkest and the brightest sample of a block. At or below it, the block is flat: sky, paper, the background of a
 * product. Set by experiment.
 */
export const FLAT_LEVELS = 6
/** Share of pixels that equal their left neighbour. A block with edges and a larger share counts as drawn. Set by experiment. */
export const DRAWN_SHARE = 0.4
/** Largest share of drawn blocks, among blocks with edges, in a photograph. docs/decisions/packages.md, "Pictures". */
export const MAX_DRAWN_SHARE = 0.1
/** Colours that a photograph has for each pixel in blocks with edges. `ENOUGH_COLOURS` are always enough. Set by experiment. */
export const MIN_COLOURS_PER_PIXEL = 0.1
/** Largest number of colours from which a picture may be a photograph, however many pixels it has. Set by experiment. */
export const ENOUGH_COLOURS = 500

// Estimates of CPU time

/**
 * CPU seconds of pictures by kind: a fixed part, a part for each megapixel and a part for each megabyte (noisy pictures take longer).
 * Measured at all levels; the largest values are used.
 * Small PNGs are tried with every method, and the search in large photographs uses samples, so the first megabyte takes longest. PNG: 0.4
 * megapixels (0.5 MB) 3.6 s at `medium`; 0.8 (1.0 MB) 4.8 s, and 6.8 s at `low`; 1.9 (4.8 MB) 10 s.
 */
export const PICTURE_SECONDS = {
  jpg: { ofPicture: 0.02, ofMegapixel: 0.15, ofFirstMegabyte: 1, ofMegabyte: 1 },
  png: { ofPicture: 0.1, ofMegapixel: 0.5, ofFirstMegabyte: 5.5, ofMegabyte: 2 },
  gif: { ofPicture: 0.01, ofMegapixel: 0.5, ofFirstMegabyte: 2, ofMegabyte: 2 },
  bmp: { ofPicture: 0.05, ofMegapixel: 3, ofFirstMegabyte: 0.5, ofMegabyte: 0.5 },
} as const satisfies Record<PictureHeader['kind'], object>
/** CPU seconds of lossless JPEG recompression. Measured: 0.06 to 0.25 s a megabyte on photographs of 9 to 18 megapixels. */
export const LOSSLESS_JPEG_SECONDS = { ofPicture: 0.02, ofMegabyte: 0.25 }
/** CPU seconds of a file that is not a picture, whatever its size. Set by experiment. */
export const FILE_SECONDS = 0.05
/**
 * CPU seconds for each megabyte of a file that is not a picture. Its codec is not known yet, so the slowest (Brotli) is assumed.
 * Set by experiment.
 */
export const FILE_SECONDS_PER_MEGABYTE = 2.5
