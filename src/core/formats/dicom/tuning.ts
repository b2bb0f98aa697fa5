/**
 * Tuning constants of the DICOM codec. Constants of the standard (PS3.5, PS3.6, PS3.10) are beside their parser or writer.
 * Sources: "Set by experiment": measured on the project's fixtures. "Safety limit": a bound on memory or time that no fixture comes near.
 */

// Constants for DICOM files without preamble

/** Most bytes before the first element of a file without preamble; some writers leave a few. Set by experiment. */
export const MAX_LEADING_BYTES = 15
/** Number of valid elements that proves a DICOM file. Fewer suffice with other evidence (see `isProved`). Set by experiment. */
export const PROVING_ELEMENTS = 6
/** Bytes of the file in which the `PROVING_ELEMENTS` must be. Set by experiment. */
export const BARE_HEAD_BYTES = 4096

// Constants for reading and memory

/** Bytes of the first read of a file; most elements before the pixel data fit. Set by experiment. */
export const FIRST_WINDOW_BYTES = 256 * 1024
/** Most bytes before, and most bytes after, the pixel data; they are in memory more than once. Safety limit. */
export const MAX_AROUND_BYTES = 16 << 20
/** Largest end of the file meta information, as an offset in bytes. Safety limit. */
export const MAX_META_BYTES = 1 << 16
/** Most bytes of a sequence of undefined length in a large file; it is read in memory to find its end. Safety limit. */
export const MAX_SEQUENCE_BYTES = 16 << 20
/** Most levels of nested sequences; real files have a handful. Safety limit. */
export const MAX_DEPTH = 48
/** Bytes of pixel data per read. Set by experiment. */
export const PIXEL_READ_BYTES = 1 << 20

// Constants for compressed DICOM files, which are decoded first

/** Most bytes of an inflated data set, which is kept in memory. Safety limit. */
export const MAX_INFLATED_BYTES = 24 << 20
/** Most bytes before encapsulated pixel data. Safety limit. */
export const MAX_BEFORE_PIXELS_BYTES = 4 << 20
/** Most bytes of a decoded frame, which is in memory with its code. Safety limit. */
export const MAX_FRAME_BYTES = 16 << 20
/** Most frames of encapsulated pixel data. Safety limit. */
export const MAX_FRAMES = 20_000
/** Bytes of a JPEG stream that are read for the segments before its scan. Safety limit. */
export const MAX_JPEG_HEADER_BYTES = 64 * 1024
/** Huffman codes up to this many bits are decoded with one table lookup. Set by experiment. */
export const LOOKUP_BITS = 10

// Constants for the choice between JPEG-LS and Deflate

/** Most bytes of pixels for which both codings are tried. Above, bands of rows decide. Set by experiment. */
export const TRY_BOTH_BYTES = 6 << 20
/** Bytes of each band of rows that is encoded as a test. Set by experiment. */
export const BAND_BYTES = 256 * 1024
/** Number of bands, spread over frames and rows. Set by experiment. */
export const BANDS = 12
/**
 * Faster Deflate levels that are tried before the best one, which runs only if both stay within `share` of the limit. On pictures the
 * best level saves up to 15 % against level 6 and 7 % against level 9. Level 9 takes a tenth of its time. Set by experiment.
 */
export const QUICK_LEVELS = [
  { level: 6, share: 1.2 },
  { level: 9, share: 1.09 },
] as const

/** Samples of a file that tell the level of a data set for which only Deflate is possible, and the bytes of each. Set by experiment. */
export const SHARE_SAMPLES = 8
export const SHARE_SAMPLE_BYTES = 32 * 1024

// Constants for writing DICOM files

/** Bytes of the data set that are deflated between two pauses for other jobs. Set by experiment. */
export const SEGMENT_BYTES = 1 << 20
/** Most bytes of a frame whose JPEG-LS code is kept in memory. Larger frames are encoded twice. Safety limit. */
export const MAX_BUFFERED_FRAME_BYTES = 8 << 20
/** Bytes reserved for preamble, meta information and headers in the part of a file that can be patched. Safety limit. */
export const PATCH_MARGIN_BYTES = 1 << 17
