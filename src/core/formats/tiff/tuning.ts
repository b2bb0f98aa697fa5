/**
 * Tuning constants of the TIFF codec. Shares are of the decoded sample bytes, unless stated otherwise. Source, unless stated otherwise:
 * set by experiment on photographs, maps, scans and drawings of the project's fixtures.
 *
 * Speed in MB per CPU second on photographs: libdeflate level 12: 4; level 10: 3 to 6; SAMPLES_CLOSE: 5 to 7; SAMPLES_FAST: 18 with the
 * size of level 10. On noise, SAMPLES_FAST does 43 and beats the size of level 12. Native libdeflate 9, which libtiff and GDAL use, does 5
 * to 12, and 60 on noise.
 */

const KIB = 1024
const MIB = 1024 * 1024
const MB = 1_000_000

/** Strip sizes, in decoded bytes. */
export const STRIPS = {
  /** Strips with fewer decoded bytes are merged. */
  smallBytes: 128 * KIB,
  /** Strips with more decoded bytes are split. */
  largeBytes: 4 * MIB,
  /** Target size of new strips, in decoded bytes. */
  targetBytes: 512 * KIB,
} as const

/** Tile layout, used if tiles are smaller than strips. */
export const TILES = {
  /** Tile side in pixels. Of 64, 128, 256, 512 and 1024, this side, GDAL's default, was best or within 1 % of the best. */
  side: 256,
  /** Tile sides are multiples of this many pixels (TIFF 6.0, section 15). */
  step: 16,
  /** Largest size in new tiles, as a share of the size in the present strips or tiles: not every reader supports tiles. */
  maxShare: 0.99,
  /** Most tiles of all planes, so that directories before the tiles can still be patched. */
  most: 100_000,
  /** Most decoded bytes of a picture that is tried in full. */
  wholeBytes: 768 * KIB,
  /** Decoded bytes of each of the two bands tried of a larger picture, and the fewest rows of a band. */
  bandBytes: 384 * KIB,
  leastBandRows: 64,
  /** Most bytes of a band's row. In longer rows, Deflate's window does not reach the row above. */
  bandLineBytes: 48 * KIB,
  /** Most decoded bytes of a strip before a band; these are decoded too. */
  spreadBytes: 16 * MIB,
  /** Share of the job's memory budget for rows of tiles while they are filled or compared. */
  heldShare: 0.25,
} as const

/** Samples that are compressed to predict the result, in decoded bytes. */
export const SAMPLES = {
  /** Positions in the picture from which samples are taken. */
  places: 8,
  /** Decoded bytes of a sample at each position. */
  bytes: 128 * KIB,
  /** Bytes per position in a fax. Pages are taken in full, because their tops are not typical. */
  faxBytes: 4 * MIB,
  /** Most decoded bytes of a strip or tile before a sample; these are decoded too. */
  spreadBytes: 16 * MIB,
  /** One in this many samples suffices to compare levels and predictors. */
  fewAreOneIn: 4,
} as const

/** File sizes that select the Deflate levels: decoded bytes of all pictures. */
export const FILE_SIZES = {
  /** Up to this size, the fast and the best level are both tried, because their time is negligible. */
  smallBytes: 0.3 * MB,
  /** Up to this size the slowest level is 12, above it SAMPLES_CLOSE. */
  mediumBytes: 4 * MB,
  /** From this size on, a slower level must save more: `SLOWER_LEVEL_SHARE.large`. */
  largeBytes: 20 * MB,
} as const

/** Redundancy of the samples: share of bytes that fast Deflate leaves. */
export const REPEATS = {
  /** Above this share, samples are photographs or noise, for which slower levels find no more. */
  noneAbove: 0.5,
  /** Below this share, few samples are not representative, because repeats are spread unevenly. */
  unevenBelow: 0.15,
  /** Below this share, level 9 finds all repeats, at 100 MB per CPU second or more. */
  evenBelow: 0.02,
} as const

/**
 * Predictors are dropped if their size exceeds the best one by this factor: on few samples, on redundant ones, and before slower levels
 * are tried.
 */
export const NEAR_BEST = { usually: 1.02, whereUneven: 1.15, atAnyLevel: 1.08 } as const

/** Largest size at a slower level, as a share of fast Deflate's size. Photographs gain less; maps and drawings gain 2 to 30 %. */
export const SLOWER_LEVEL_SHARE = { small: 0.985, large: 0.94 } as const
/** Largest size at the slowest level, as a share of level 9's size. */
export const SLOWEST_LEVEL_SHARE = { small: 0.985, large: 0.97 } as const

/** If Group 4 is below this share of fast Deflate, even the best Deflate level is larger. */
export const GROUP4_WINS_BELOW = 0.8
/** Most stored bytes of a fax strip that is recompressed; pictures with longer strips are copied. */
export const MAX_FAX_STORED_BYTES = 8 * MIB

/** An estimate from few samples may be too low by this share of the stored bytes. */
export const ESTIMATE_ERROR = 0.1

// Constants for JPEG strips and tiles

/**
 * Largest JPEG strip or tile in bytes that is optimised; larger ones are copied. Its coefficients take twice its bytes, plus the output.
 */
export const MAX_JPEG_CHUNK_BYTES = 8 * 1024 * 1024
/** Number of JPEG strips or tiles that are optimised as a test. */
export const JPEG_SAMPLES = 6
/** Largest size of the optimised samples, as a share of their stored bytes. */
export const MAX_JPEG_SHARE = 0.995

// Constants for unreferenced bytes

/** Gaps up to this many bytes are alignment, or GDAL's lengths around tiles. */
export const ALIGNMENT_BYTES = 16
/** Most bytes of a non-zero tail that is copied. Private fields may refer into a longer one. */
export const MAX_TAIL_BYTES = 1024
/** Bytes per read when a range is checked for zeros. */
export const ZERO_SCAN_BYTES = 64 * 1024
/** Most gaps that are recorded; the last entry covers all remaining ones. */
export const MAX_GAPS = 1000
/** Most values of a field that may be offsets; a field with more values is a table of other data. */
export const MAX_FIELD_OFFSETS = 4096
/** Most numbers of private fields that are compared with the gaps. */
export const MAX_PRIVATE_NUMBERS = 1_000_000
