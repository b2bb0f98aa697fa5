/**
 * Tuning constants of PDF compression, and limits for memory and time. Constants of the format itself (ISO 32000-2) are next to their
 * parser.
 *
 * Sources: "Design" is docs/decisions/pdf.md, which lists the documents and figures. "Experiment": set with the project's fixtures and
 * public PDFs, without a recorded bench. "Limit": no fixture comes near it; it bounds the cost of a hostile file.
 */

// Pictures: minimum gain of a change

/** Minimum downsampling factor per side. A smaller reduction blurs the picture more than it saves. Source: experiment. */
export const SMALLEST_REDUCTION = 1.25
/** Minimum downsampling factor per side to a resolution that the caller asked for. Below it, downsampling only blurs the picture. */
export const SMALLEST_REQUESTED_REDUCTION = 1.03
/** Maximum size of a lossy result, as a share of the lossless size. Source: experiment. */
export const LOSSY_GAIN = 0.92
/**
 * If a lossy result is below this share of the fast Deflate size, no thorough Deflate is tried. Thorough Deflate gains less than the
 * difference. Source: experiment.
 */
export const CLEARLY_SMALLER = 0.6
/**
 * Maximum size of a JBIG2 stream, as a share of the fax stream. A fax stream is preferred because every PDF reader supports it. Source:
 * experiment.
 */
export const FAX_GAIN = 0.95
/** Minimum stored size in bytes for lossy coding of a picture. Smaller pictures stay lossless. Source: experiment. */
export const SMALLEST_LOSSY_BYTES = 1024
/** Minimum number of pixels for photo detection. A smaller photo has few tones, so it resembles a drawing. Source: experiment. */
export const MIN_PHOTO_PIXELS = 20_000
/**
 * Minimum number of pixels on the page for a comparison at page resolution. PDF renderers differ too much on smaller pictures. Source:
 * experiment.
 */
export const LEAST_VIEW_PIXELS = 1024
/**
 * Maximum size in bytes of a picture for which a gentler level is tried after one level has succeeded. A further level takes as long as the first one.
 * Source: experiment.
 */
export const MAX_GENTLER_LEVEL_BYTES = { reduced: 16 * 1024, coarser: 64 * 1024 }
/** Factors for the target resolution, tried in order before a picture keeps its size. Source: experiment. */
export const DOWNSAMPLE_RESOLUTION_FACTORS = [1, 1.6]
/**
 * Number of consecutive large pictures that may fail after downsampling. After that, no other picture is downsampled to that resolution.
 * Source: experiment.
 */
export const MAX_DOWNSAMPLE_FAILURES = 2
/** Maximum share of pixels that equal their neighbour in a photo. A picture with more is a drawing. Source: experiment. */
export const MOST_EQUAL_NEIGHBOURS = 0.35
/** Maximum number of colours that are counted in a picture. Source: experiment. */
export const MOST_COLOURS_COUNTED = 2000
/** Maximum size of a fast trial, as a factor of the smallest trial. Larger candidates are dropped. Source: experiment. */
export const CLOSE_TRIAL = 1.1
/** Opacity, 0 to 255. Pixels below this opacity are invisible and keep their samples. Source: experiment. */
export const MIN_VISIBLE_OPACITY = 13
/** Opacity, 0 to 255, from which colours are clearly visible. Source: experiment. */
export const CLEARLY_VISIBLE_OPACITY = 128
/** Minimum difference, in 8-bit levels, of hidden and visible colours in a block that makes a rim visible. Source: design, "Images". */
export const RIM_LEVELS = 24
/** PSNR in dB by which chroma may be worse than luma. Source: experiment. */
export const CHROMA_TOLERANCE_DB = 4
/**
 * Maximum pixels of a picture whose chroma is kept at full resolution below level `high`. Full chroma doubles the memory of a job. Source:
 * design, "Images" (4 megapixels).
 */
export const MOST_WHOLE_CHROMA_PIXELS = 4e6

// Pictures: search for an encoder quality

/** Lowest JPEG quality that is tried, on MozJPEG's scale from 0 to 100. Source: experiment. */
export const LOWEST_QUALITY = 8
/** Highest JPEG quality that is tried, on MozJPEG's scale from 0 to 100. Source: experiment. */
export const HIGHEST_QUALITY = 95
/** Number of sampled pixels on which the quality search measures. Source: experiment. */
export const SAMPLED_PIXELS = 1_000_000
/** Maximum distance of sampled blocks: at least one block of pixels in 16 is measured. Source: experiment. */
export const MAX_SAMPLED_EVERY = 16
/** Maximum number of encodings in one quality search. Source: experiment. */
export const MAX_SEARCH_PROBES = 7
/** Distance to the target PSNR, in dB, at which the quality search stops. Source: experiment. */
export const CLOSE_ENOUGH_TO_TARGET_DB = 0.12
/** Assumed PSNR change in dB for one step of JPEG quality, before any measurement. Both values are cautious. Source: experiment. */
export const SLOPE_DB = { down: 0.13, up: 0.22 }
/** Maximum number of quality corrections after the whole picture was measured. Source: experiment. */
export const MAX_CORRECTIONS = 4
/** Minimum final size as a share of the estimated size, after progressive coding and the last search step. Source: experiment. */
export const MIN_FINAL_SIZE_SHARE = 0.75
/**
 * Maximum number of encodings of one downsampled picture. Each encodes the whole picture. Source: experiment on scans, whose pages resemble
 * each other.
 */
export const MAX_DOWNSAMPLE_PROBES = 4
/** Sample size for downsampled pictures, as a factor of `SAMPLED_PIXELS`. Source: experiment on scans. */
export const FINER_SAMPLE = 3
/** JPEG quality at which the first search of a document starts. Source: experiment. */
export const FIRST_QUALITY_GUESS = 40
/**
 * Distance to the target PSNR, in dB, at which the search for a downsampled picture stops. The first picture of a document has a smaller
 * tolerance. Source: experiment.
 */
export const CLOSE_ENOUGH_REDUCED_DB = { first: 0.3, later: 0.7 }
/** Points of the SSIMULACRA 2.1 score that correspond to one dB of PSNR. Source: experiment. */
export const POINTS_PER_DB = 3
/** CPU seconds per megapixel for the palette search. Source: design, "Images" (5 s; a screenshot of 0.7 megapixels took 3.9 s). */
export const SECONDS_PER_MEGAPIXEL = 5.5
/** Maximum pixels for the palette search, per picture and per document. Source: design, "Images". */
export const MOST_PALETTE_PIXELS = { ofPicture: 2e6, ofDocument: 3e6 }
/**
 * Maximum pixels for the perceptual score, per picture and per document. Each probe takes 0.1 to 0.3 s per megapixel. Source: design,
 * "Images".
 */
export const MOST_SCORED_PIXELS = { ofPicture: 12e6, ofDocument: 60e6 }
/** Maximum number of page sizes at which one picture is compared. Source: design, "Images". */
export const MAX_COMPARED_SIZES = 4
/** Maximum pixels of a picture at page size. Larger sizes are compared at a lower resolution. Source: design, "Images". */
export const MAX_COMPARED_PIXELS = 16_000_000
/**
 * Minimum PSNR in dB for verification. It is far below every level: verification detects errors, encoders enforce the levels. Source:
 * experiment.
 */
export const LEAST_VERIFIED_PSNR_DB = 24
/** Maximum side in pixels to which verification reduces both pictures. Source: experiment. */
export const COMPARED_SIDE_PIXELS = 192

// Streams and file structure

/** Maximum decoded bytes for which both variants, with and without predictor, are deflated at full effort. Source: experiment. */
export const TRIAL_BYTES = 128 * 1024
/** Maximum decoded bytes for the slowest Deflate level. Source: experiment. */
export const THOROUGH_BYTES = 256 * 1024
/** Maximum factor by which fast Deflate (`QUICK_LEVEL`) is larger than the best Deflate. Source: experiment. */
export const QUICK_EXCESS = 1.35
/** Compression level of libdeflate for a fast trial. Source: experiment. */
export const QUICK_LEVEL = 4
/** Maximum number of objects in one object stream. Source: experiment. */
export const OBJECTS_PER_STREAM = 500
/** Maximum decoded bytes of one object stream. Source: experiment. */
export const NEW_OBJECT_STREAM_BYTES = 128 * 1024
/** Length in characters from which a value of a stream dictionary becomes a separate object, which is compressed. Source: experiment. */
export const HOIST_CHARACTERS = 64
/**
 * Maximum size of uncompressed XMP, as a share of the file. Uncompressed XMP can be searched by other tools (ISO 32000-2, 14.3.2). Source:
 * experiment.
 */
export const METADATA_SHARE = 0.01
/**
 * Maximum rounds of the search for duplicate streams. Streams that refer to duplicates may become equal in a later round. Source:
 * experiment.
 */
export const DUPLICATE_ROUNDS = 4
/** Maximum size of a merged font, as a share of its separate font programs. Source: experiment. */
export const MERGED_FONT_SHARE = 0.97
/** Maximum number of groups of incompatible programs of one font that are merged separately. Source: experiment. */
export const MAX_FONT_UNIONS = 8

// Limits for memory and time

/** Bytes of memory per object for tables, marks and numbers. Source: design, "Limits", and docs/contributors/memory.md. */
export const BYTES_PER_OBJECT = 28
/** Maximum share of the memory budget for objects. Pictures need the rest. Source: experiment. */
export const OBJECTS_SHARE = 1 / 2
/** Maximum number of streams that are compared for duplicates. More would cost more time than they save bytes. Source: limit. */
export const MAX_COMPARED_STREAMS = 200_000
/** Maximum number of pictures and forms drawn by one content stream. Source: limit. */
export const MAX_DRAWS = 20_000
/** Maximum decoded bytes of all content streams. The lexer reads about 15 MB/s. Source: limit. */
export const MAX_ALL_CONTENT_BYTES = 400 * 1024 * 1024
/** Maximum number of recorded picture placements. Source: limit. */
export const MAX_PLACEMENTS = 100_000
/** File size in bytes from which objects are read in file order in one pass. Source: design, "Reads". */
export const MIN_INDEXED_FILE_BYTES = 4 * 1024 * 1024
/** Maximum bytes of object heads in memory; ten thousand pages take 2 MB. Source: design, "Reads". */
export const MAX_HEAD_INDEX_BYTES = 6 * 1024 * 1024
/** Maximum bytes of a result kept in memory until it is known to fit `target_size`. Larger results are produced twice. Source: limit. */
export const MAX_BUFFERED_RESULT_BYTES = 12 * 1024 * 1024
/** Maximum number of unused objects that are read and counted for the receipt. Source: limit. */
export const MOST_UNUSED_READ = 5000

/** Limits of the reader: caches and nesting. */
export const READER_LIMITS = {
  /** Maximum total size of cached objects, in bytes of the file. In memory they take about ten times as much. Source: experiment. */
  cachedObjectBytes: 512 * 1024,
  /** Maximum total size of cached object streams in bytes, decoded. Source: experiment. */
  cachedStreamBytes: 4 * 1024 * 1024,
  /** Maximum size of one object stream in bytes, decoded. Source: limit. */
  objectStreamBytes: 24 * 1024 * 1024,
  /** Maximum number of cached stream lengths. Source: limit. */
  cachedLengths: 100_000,
  /** Maximum number of references that lead from one to the next. Source: limit. */
  referenceSteps: 32,
  /** Depth of nested dictionaries in an encryption dictionary: the dictionary, the list of crypt filters, one crypt filter. */
  securityDepth: 3,
  /** Bytes of a stream that are read at once. Source: experiment. */
  pieceBytes: 256 * 1024,
} as const

/** Limits of the page scan: content, forms and drawn images. */
export const SCAN_LIMITS = {
  /** Maximum size of one content stream in bytes, decoded. Source: limit. */
  contentBytes: 16 * 1024 * 1024,
  /** Maximum number of drawn images in a document, forms included. Source: limit. */
  drawnImages: 500_000,
  /** Maximum depth of forms in forms. Source: limit. */
  formDepth: 12,
  /** Maximum number of ancestors in the page tree that an inherited attribute is searched in. Source: limit. */
  inheritance: 64,
  /** Maximum number of cached forms. Source: limit. */
  cachedForms: 5000,
} as const
