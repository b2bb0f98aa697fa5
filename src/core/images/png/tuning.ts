/**
 * Tuning of the PNG encoder and of its searches. In an `Effort`, `level` and `trialLevel` are libdeflate's 1 to 12, `strategies` is a bit set of
 * filter strategies (wasm/png/engine.ts), `bandBytes` are bytes of rows that are filtered together, `passes` are rounds of the optimal parser.
 * Where a comment names no source, the value was set by experiment on the project's fixtures.
 */

import type { Effort } from '../../../../wasm/png/engine.ts'
import { LEVELS } from '../../catalog/levels.ts'

/** Pixels whose quantisation errors are passed on to their neighbours; with `none`, every pixel has the nearest colour. */
export type Dither = 'none' | 'everywhere' | 'wide' | 'smooth'

/** Bytes of the quick encoding, as a multiple of the limit, from which the thorough one is not tried. */
export const QUICK_EXCESS = 1.25

/** Bytes; sizes below are in multiples of it. */
export const MEGA = 1 << 20

/** Every filter strategy but the exhaustive one, which deflates each candidate. */
export const ALL_BUT_BRUTE = 0xff

/** Every filter strategy. */
export const EVERYTHING = 0x1ff

/** Filter 0 for every row (W3C PNG, 9.2). */
export const FILTER_NONE = 0x01

/** Bytes of packed rows up to which every form is tried at every effort. */
export const TINY_BYTES = 4096

/** Efforts of quick encodings whose order is about right: with filters and without. */
export const PREVIEWS: readonly Effort[] = [
  { level: 5, trialLevel: 3, strategies: 0x76, bandBytes: 131072, passes: 0 },
  { level: 6, trialLevel: 3, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 },
]

/** The same for pictures up to 256 KiB of rows, which differ by less. */
export const SMALL_PREVIEWS: readonly Effort[] = [
  { level: 9, trialLevel: 5, strategies: 0x76, bandBytes: 65536, passes: 0 },
  { level: 9, trialLevel: 5, strategies: FILTER_NONE, bandBytes: 65536, passes: 0 },
]

/** Effort of the test for even areas. */
export const FLATNESS: Effort = { level: 2, trialLevel: 2, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 }

/** Share of packed bytes below which `FLATNESS` finds a picture of even areas. */
export const FLAT = 1 / 50

/** Efforts of quick encodings for even areas: filters as most encoders choose them, and none. */
export const FLAT_PREVIEWS: readonly Effort[] = [
  { level: 6, trialLevel: 2, strategies: 0x20, bandBytes: 131072, passes: 0 },
  { level: 6, trialLevel: 2, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 },
]

/** Bytes of a quick encoding as a multiple of the full one, at most: in another form, and in the same one. */
export const PREVIEW_EXCESS = { anyForm: 1.6, sameForm: 1.25 }

/** Change of the final effort for even areas: long matches leave the parser little to choose, and skipping inside of them would cost up to 5 %. */
export const FLAT_EFFORT: Partial<Effort> = { passes: 1 }

/** Steps that are tried, in levels of 255, from the finest. */
export const STEPS: readonly number[] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32]

/** Index of the step that a typical photograph bears, by the coarseness of hues; a first guess. */
export const FIRST_GUESS = { 1: STEPS.indexOf(16), 2: STEPS.indexOf(13) } as const

/** Effort of a trial. */
export const NEAR_TRIAL: Effort = { level: 6, trialLevel: 3, strategies: 0x01, bandBytes: 131072, passes: 0 }

/** Attempts on the whole picture. */
export const MOST_NEAR_ATTEMPTS = 4

/** Bits a pixel of a palette below which near-lossless rows cannot win: drawings. */
export const FEW_BITS = 0.7

/** Filters for palette indices: the row with the least entropy; indices rarely gain from others. */
export const FILTER_BY_ENTROPY = 0x41

/** Effort of a trial. */
export const PALETTE_TRIAL: Effort = { level: 6, trialLevel: 3, strategies: FILTER_NONE, bandBytes: 131072, passes: 0 }

/** Share of the unfiltered bytes below which filters are worth their time. */
export const WORTH_FILTERING = 0.98

/** Rounds of k-means that refine a palette. */
export const K_MEANS_ROUNDS = 8

/** Largest tolerance: multiples of the palette's expected error by which a pixel in texture may stray to repeat its neighbour's index. */
export const MOST_TOLERANT = 12

/** dB that twice the colours bring to a typical picture; a first guess. */
export const DB_PER_DOUBLING = 3

/** Probes for the tolerance. */
export const MOST_TOLERANCE_PROBES = 5

/** Probes for the number of colours that go by dB; then it is bisected, because guesses creep where a block decides. */
export const MOST_GUESSES = 3

/** Attempts on the whole picture. */
export const MOST_PALETTE_ATTEMPTS = 5

/** Limits of colour casts and steps while colours are weighed, once for all targets: a little less than `medium` allows (catalog/levels.ts). */
export const MOST_SHADES = { cast: LEVELS.palette.medium.cast * 0.85, steps: LEVELS.palette.medium.steps * 0.9 }

/** Share of an error that goes on to the neighbours, in calm areas and in texture. docs/decisions/png.md, "Palettes": more is noise, less leaves steps. */
export const DITHERS: { readonly [where in Dither]: readonly [share: number, inTexture: number] } = {
  none: [0, 0],
  everywhere: [0.75, 0.5],
  wide: [0.85, 0.5],
  smooth: [0.75, 0],
}

/** Share of the way by which outer palette entries move out, to mix other colours of them. docs/decisions/png.md, "Palettes". */
export const SPREADS: { readonly [where in Dither]: number } = { none: 0, everywhere: 0.5, wide: 0.85, smooth: 0 }

/** Share of the colours that a dithered palette must do with to be tried: it deflates worse. */
export const DITHER_PAYS = { everywhere: 0.9, wide: 0.85, smooth: 0.95 } as const

/** Numbers of colours tried in each factor of two, the same for all targets, so that measurements serve the next target. */
export const STEPS_PER_DOUBLING = 6

/** Part of the sample, one in this many, that the quick estimate of an exact result encodes. */
export const QUICK_ESTIMATE_EVERY = 3

/** Effort of the quick estimate of an exact result; the result is smaller, rarely by a fifth. */
export const QUICK_ESTIMATE: Effort = { level: 3, trialLevel: 2, strategies: 0x13, bandBytes: 131072, passes: 0 }

/** Bytes of filtered rows up to which a PNG is deflated again: three megapixels of one byte, 3 to 4 CPU seconds a candidate. */
export const MOST_ROW_BYTES = 3.2e6

/** Share of the rows that a compressed drawing takes at most: it gains 2 to 9 % by the second Deflate, photographs 0.5 % at most. */
export const DRAWN = 1 / 8

/** Bytes of filtered rows up to which every PNG is deflated again. */
export const ALWAYS_ROW_BYTES = 128 * 1024

/** Compressed bytes in one call of the 16-bit decoder, which limits the rows that wait for the next engine: Deflate expands up to 1,032 times. */
export const FEED_BYTES = 2048

/** Estimates of palettes and near-lossless rows as multiples of each other, at most, where either may be smaller in the end. */
export const MAY_BE_SMALLER = 1.1

/** Bytes of a result up to which no estimate tells plans apart: every plan is made, and compared with exact forms. */
export const FEW_BYTES = 8192
