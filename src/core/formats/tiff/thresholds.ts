/**
 * What the plan of a TIFF picture is decided by. Shares are of the samples' own bytes, not compressed, unless said otherwise;
 * they were found on photographs, maps, scans and drawings, where one level of Deflate begins to pay for its time.
 *
 * libdeflate's 12 goes at 4 MB per CPU second on photographs, 10 at 3 to 6, SAMPLES_CLOSE at 5 to 7; SAMPLES_FAST at 18 and with
 * the bytes of 10, on noise at 43 and with fewer than 12. Native libdeflate 9, what libtiff and GDAL come with, does 5 to 12 in
 * such strips, and 60 on noise.
 */

const KIB = 1024
const MIB = 1024 * 1024
const MB = 1_000_000

/** How strips are cut, in decoded bytes of a strip. */
export const STRIPS = {
  /** Smaller ones are merged. */
  smallBytes: 128 * KIB,
  /** Larger ones are split. */
  largeBytes: 4 * MIB,
  /** About what new ones have. */
  targetBytes: 512 * KIB,
} as const

/** How tiles are cut where they take less than strips. */
export const TILES = {
  /** Pixels a side: of 64, 128, 256, 512 and 1024, those that GDAL cuts come out best or within 1 % of it. */
  side: 256,
  /** TIFF 6.0: sides are multiples of 16. */
  step: 16,
  /** What tiles must save of the bytes of strips, or of the tiles that are there: not everything reads tiles. */
  worthIt: 0.99,
  /** Tiles of all planes, so that directories that come first can still be patched. */
  most: 100_000,
  /** Planes of up to so many bytes are tried whole. */
  wholeBytes: 768 * KIB,
  /** Bytes of one of two bands of rows that are tried of larger ones, and the rows that it has at least. */
  bandBytes: 384 * KIB,
  leastBandRows: 64,
  /** A band's row at most: beyond, Deflate does not reach the row above anyway. */
  bandLineBytes: 48 * KIB,
  /** How far into a strip a band lies: all before it is decoded, too. */
  spreadBytes: 16 * MIB,
  /** What rows of tiles may take while they are filled or compared, of the memory of the job: a quarter. */
  heldShare: 0.25,
} as const

/** What is compressed to see what comes of it, in decoded bytes. */
export const SAMPLES = {
  /** Places in the picture. */
  places: 8,
  /** Of each place. */
  bytes: 128 * KIB,
  /** Of each place in a fax: pages are looked at whole, because their beginnings say little. */
  faxBytes: 4 * MIB,
  /** How far into a strip or tile samples go: all before them is decoded, too. */
  spreadBytes: 16 * MIB,
  /** One sample in so many is enough to tell levels and predictors apart. */
  fewAreOneIn: 4,
} as const

/** Levels of Deflate by the decoded bytes of all pictures in the file. */
export const FILE_SIZES = {
  /** Up to here the time for the quick level and the best one together is nothing. */
  smallBytes: 0.3 * MB,
  /** Up to here the closest look is level 12, above it SAMPLES_CLOSE. */
  mediumBytes: 4 * MB,
  /** From here on more time must bring more: `WORTH_TIME.large`. */
  largeBytes: 20 * MB,
} as const

/** How much repeats itself in the samples, as the share that quick Deflate leaves of them. */
export const REPEATS = {
  /** Above this it is a photograph or noise, where slower levels find no more. */
  noneAbove: 0.5,
  /** Below this, few samples say little: what repeats itself does so unevenly. */
  unevenBelow: 0.15,
  /** Below this level 9 finds everything, at 100 MB per CPU second and more. */
  evenBelow: 0.02,
} as const

/** Predictors that come to more than this times the best one on few samples are out, and before a closer look at levels. */
export const NEAR_BEST = { usually: 1.02, whereUneven: 1.15, atAnyLevel: 1.08 } as const

/** The share of quick Deflate's bytes that a slower level must come below: photographs do without, maps and drawings gain 2 to 30 %. */
export const WORTH_TIME = { small: 0.985, large: 0.94 } as const
/** The share of level 9's bytes that the closest level must come below. */
export const WORTH_MORE_THAN_9 = { small: 0.985, large: 0.97 } as const

/** Where Group 4 comes to less than this share of quick Deflate, the best Deflate is no match for it. */
export const GROUP4_WINS_BELOW = 0.8
/** Stored bytes of a strip of fax; longer ones are left as they are. */
export const MAX_FAX_STORED_BYTES = 8 * MIB

/** By this share of the stored bytes an estimate from few samples may be too low. */
export const ESTIMATE_DOUBT = 0.1
