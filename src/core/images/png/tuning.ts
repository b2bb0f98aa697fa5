/**
 * Tuning constants of the PNG encoder and its searches. In an `Effort`, `level` and `trialLevel` are libdeflate's 1 to 12, `strategies` is
 * a bit set of filter strategies (wasm/png/engine.ts), `bandBytes` are bytes of rows that are filtered together, `passes` are rounds of
 * the optimal parser. Constants without a source were set by experiment on the project's fixtures.
 */

import type { Effort } from '../../../../wasm/png/engine.ts'
import { LEVELS } from '../../catalog/levels.ts'

/** Where quantisation errors are diffused to neighbouring pixels. `none`: every pixel gets the nearest colour. */
export type Dither = 'none' | 'everywhere' | 'wide' | 'smooth'

/** Ratio of the quick encoding's size to the limit, above which the thorough encoding is not tried. */
export const QUICK_EXCESS = 1.25

/** Bytes in a mebibyte, the unit of the size limits in this file. */
export const MEBIBYTE = 1 << 20

/** Bit set of all filter strategies except the exhaustive one, which deflates each candidate row. */
export const ALL_BUT_EXHAUSTIVE = 0xff

/** Bit set of all PNG filter strategies. */
const ALL_FILTERS = 0x1ff

/** Bit set of the strategy that uses filter type 0 in every row (W3C PNG, 9.2). */
export const FILTER_NONE = 0x01

/** Builds an `Effort` from positional values. `passes` 0: the default of the level. */
const effort = (level: number, trialLevel: number, strategies: number, bandBytes: number, passes = 0): Effort => ({
  level,
  trialLevel,
  strategies,
  bandBytes,
  passes,
})

/** Efforts of the final lossless encodings, by size in bytes of the packed rows. All efforts of an entry are tried. */
export const LOSSLESS_EFFORTS: readonly { readonly mostBytes: number; readonly efforts: readonly Effort[] }[] = [
  {
    mostBytes: MEBIBYTE / 4,
    efforts: [effort(12, 7, ALL_FILTERS, 8192, 15), effort(12, 7, ALL_FILTERS, 65536, 15), effort(12, 7, FILTER_NONE, 65536, 15)],
  },
  { mostBytes: 2 * MEBIBYTE, efforts: [effort(12, 7, ALL_FILTERS, 32768, 10), effort(12, 7, ALL_BUT_EXHAUSTIVE, 131072, 10)] },
  { mostBytes: 12 * MEBIBYTE, efforts: [effort(12, 6, ALL_BUT_EXHAUSTIVE, 65536)] },
  { mostBytes: 48 * MEBIBYTE, efforts: [effort(12, 6, 0x7f, 131072)] },
  { mostBytes: 150 * MEBIBYTE, efforts: [effort(11, 5, 0x77, 131072)] },
]

/** Effort of the final lossless encoding above the largest entry of `LOSSLESS_EFFORTS`. */
export const HUGE_EFFORT: Effort = effort(10, 4, 0x37, 131072)

/** Size in bytes of the packed rows up to which a fast search saves no time, so that it does not change the result. */
export const ALWAYS_THOROUGH_BYTES = 32 * 1024

/** Change of the final efforts if the search is fast: Deflate by one pass of the lazy parser. */
export const FAST_EFFORT: Pick<Effort, 'level' | 'trialLevel' | 'passes'> = { level: 9, trialLevel: 4, passes: 0 }

/** Size in bytes of the packed rows up to which the effort `best` tries more than the usual efforts. */
export const MOST_BYTES_OF_BEST = 48 * MEBIBYTE

/** Size in bytes of the packed rows up to which every form is tried at every effort. */
export const TINY_BYTES = 4096

/** Efforts of quick encodings that rank the forms, with filters and without. */
export const PREVIEWS: readonly Effort[] = [
  { level: 5, trialLevel: 3, strategies: 0x76, bandBytes: 131072, passes: 0 },
  { level: 6, trialLevel: 3, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 },
]

/** Efforts of quick encodings for pictures up to 256 KiB of rows, whose forms differ by less. */
export const SMALL_PREVIEWS: readonly Effort[] = [
  { level: 9, trialLevel: 5, strategies: 0x76, bandBytes: 65536, passes: 0 },
  { level: 9, trialLevel: 5, strategies: FILTER_NONE, bandBytes: 65536, passes: 0 },
]

/** Effort of the test for large areas of one colour. */
export const FLATNESS: Effort = { level: 2, trialLevel: 2, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 }

/** Share of the packed bytes below which the `FLATNESS` test finds large areas of one colour. */
export const FLATNESS_SHARE = 1 / 50

/** Efforts of quick encodings for pictures with large areas of one colour: the filters of most encoders, and no filters. */
export const FLAT_PREVIEWS: readonly Effort[] = [
  { level: 6, trialLevel: 2, strategies: 0x20, bandBytes: 131072, passes: 0 },
  { level: 6, trialLevel: 2, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 },
]

/**
 * Largest expected ratio of a quick encoding's size to the full one's: in another form, in the same form, and in any form of a small picture
 * (1.84 for the worst of 186 icons and drawings).
 */
export const PREVIEW_EXCESS = { anyForm: 1.6, sameForm: 1.25, smallPicture: 2 }

/**
 * Change of the final effort for large areas of one colour. Their long matches leave the parser little choice; no optimal pass would cost
 * up to 5 %.
 */
export const FLAT_EFFORT: Partial<Effort> = { passes: 1 }

/** Near-lossless steps that are tried, in levels of 0 to 255, finest first. */
export const NEAR_LOSSLESS_STEPS: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32]

/** Index of the first near-lossless step to try, by hue steps: typical for photographs. */
export const FIRST_STEP_INDEX = { 1: NEAR_LOSSLESS_STEPS.indexOf(16), 2: NEAR_LOSSLESS_STEPS.indexOf(13) } as const

/** Effort of a near-lossless trial on the sample. */
export const NEAR_TRIAL: Effort = { level: 6, trialLevel: 3, strategies: 0x01, bandBytes: 131072, passes: 0 }

/** Most near-lossless plans that are measured on the whole picture. */
export const MOST_NEAR_ATTEMPTS = 4

/** Bits a pixel of a palette below which near-lossless rows cannot be smaller; such pictures are drawings. */
export const LEAST_BITS_PER_PIXEL = 0.7

/** Filter strategies of palette indices: none, or the row filter with the least entropy. Other filters rarely help. */
export const FILTER_BY_ENTROPY = 0x41

/** Effort of a palette trial on the sample. */
export const PALETTE_TRIAL: Effort = { level: 6, trialLevel: 3, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 }

/** Ratio of filtered to unfiltered bytes of palette indices below which filters are used. */
export const FILTERING_RATIO = 0.98

/** Rounds of k-means that refine a palette. */
export const K_MEANS_ROUNDS = 8

/** Largest tolerance. In texture, a pixel may differ by this multiple of the palette's expected error to repeat its neighbour's index. */
export const LARGEST_TOLERANCE = 12

/** PSNR gain in dB of twice the colours in a typical picture (first guess of the search). */
export const DB_PER_DOUBLING = 3

/** Most probes of the search for a palette's tolerance. */
export const MOST_TOLERANCE_PROBES = 5

/**
 * Probes for the number of colours that extrapolate by dB. Later probes bisect, because extrapolation is slow if a single block decides.
 */
export const MOST_GUESSES = 3

/** Most palette plans that are measured on the whole picture. */
export const MOST_PALETTE_ATTEMPTS = 5

/** Limits of colour cast and steps while palette colours are weighted: a little below what level `medium` allows (catalog/levels.ts). */
export const MOST_SHADES = { cast: LEVELS.palette.medium.cast * 0.85, steps: LEVELS.palette.medium.steps * 0.9 }

/**
 * Share of a pixel's error that is diffused to its neighbours, in smooth areas and in texture. More adds noise, less leaves visible steps.
 * Source: docs/decisions/png.md, "Palettes".
 */
export const DITHERS: { readonly [where in Dither]: readonly [share: number, inTexture: number] } = {
  none: [0, 0],
  everywhere: [0.75, 0.5],
  wide: [0.85, 0.5],
  smooth: [0.75, 0],
}

/**
 * Fraction by which outer palette entries move outwards, so that dithering can mix colours at the edge of the gamut. Source:
 * docs/decisions/png.md, "Palettes".
 */
export const SPREADS: { readonly [where in Dither]: number } = { none: 0, everywhere: 0.5, wide: 0.85, smooth: 0 }

/** Largest share of the undithered palette's colours that a dithered palette may need, because dithered indices compress worse. */
export const MOST_DITHERED_COLOURS = { everywhere: 0.9, wide: 0.85, smooth: 0.95 } as const

/** Numbers of colours that are tried in each doubling. All targets use the same numbers, so that trial results can be reused. */
export const STEPS_PER_DOUBLING = 6

/** Sampling interval of the quick estimate of a lossless result, within the sample. */
export const QUICK_ESTIMATE_EVERY = 3

/** Effort of the quick estimate of a lossless result. The result is smaller, rarely by more than a fifth. */
export const QUICK_ESTIMATE: Effort = { level: 3, trialLevel: 2, strategies: 0x13, bandBytes: 131072, passes: 0 }

/** Size in bytes of the filtered rows up to which a PNG is deflated again: 3 megapixels of one byte, 3 to 4 CPU seconds a candidate. */
export const MOST_ROW_BYTES = 3.2e6

/** Rounds of the optimal parser before a second Deflate. 15 rounds hardly ever choose others. */
export const PASSES_BEFORE_REDEFLATE = 5

/** Largest compressed share of the rows of a drawing. A second Deflate saves 2 to 9 % of drawings and at most 0.5 % of photographs. */
export const MOST_DRAWING_SHARE = 1 / 8

/** Size in bytes of the filtered rows up to which every PNG is deflated again. */
export const ALWAYS_ROW_BYTES = 128 * 1024

/** Compressed bytes that the 16-bit decoder gets in one call. This limits the rows in memory, because Deflate expands up to 1,032 times. */
export const FEED_BYTES = 2048

/** Ratio of the estimates of palettes and near-lossless rows up to which either may be smaller in the end. */
export const UNCERTAIN_ESTIMATE_RATIO = 1.1

/** Size in bytes of a result up to which estimates are too coarse: every plan is encoded and compared with lossless forms. */
export const FEW_BYTES = 8192
