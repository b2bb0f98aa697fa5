/**
 * Numbers that decide how a drawing is rounded and measured. What levels ask of it is in `catalog/levels.ts`; numbers of the format
 * (SVG 2, CSS) stand beside their parser.
 *
 * Sources: "design" is docs/decisions/svg.md, which has the drawings and the figures. "Experiment": set on the project's fixtures and
 * on public drawings, without a bench on record. "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// Rounding

/** Decimals with which the search begins: most drawings keep one. Design, "The search". */
export const USUAL_PRECISION = 1
/** dB that a drawing loses at least with a decimal less; nearly everywhere it is 12 to 20. Design, "The search". */
export const DECIBELS_OF_A_DECIMAL = 10
/** Characters of a text up to which finer roundings are tried, too: sometimes a path is joined only there. Experiment. */
export const SMALL_CHARACTERS = 16 * 1024
/** Decimals of what is no coordinate: offsets, opacities, numbers of filters. Design, "Only coordinates and lengths". */
export const LEAST_DECIMALS = 3
/** Decimals that any number keeps at most. Experiment. */
export const MOST_DECIMALS = 6
/** Steps of a coordinate along the longer side, at least: 1.6 px of 1600. Design, "Only coordinates and lengths". */
export const STEPS_OF_A_SIDE = 1000
/** Share by which a length may change; otherwise it keeps another decimal. Design, "Only coordinates and lengths" (5 %). */
export const LENGTH_TOLERANCE = 0.05
/** Numbers from here on stay: renderers count in 24 bits and disagree. Design, "Only coordinates and lengths". */
export const HUGE_NUMBER = 1e7
/** Radius from which an arc stays: renderers disagree about it. Design, "Only coordinates and lengths". */
export const HUGE_RADIUS = 1e5
/** Share of the text. A candidate that is shorter than this share has lost more than comments. Experiment. */
export const FURTHER_ROUNDING_SHARE = 0.9
/** Share of the exact text of a large drawing. A rounding must be shorter than this share to be worth its loss. Experiment. */
export const LARGE_ROUNDING_SHARE = 0.97
/** Passes of svgo. Limit. */
export const MAX_PASSES = 10
/** Share of the text that the last pass must have saved for another one. Experiment. */
export const WORTH_A_PASS = 0.005
/** Characters of paths that one run of `mergePaths` reads again: svgo compares each path with all before. Limit. */
export const MERGE_READS = 1_000_000

// Measuring

/** dB less than measured that the receipt claims, because renderers differ. Design, "What stays". */
export const RENDERER_MARGIN_DB = 1.5
/** dB that the receipt claims at most. Design, "What stays". */
export const HIGHEST_CLAIM_DB = 45
/** Pixels of the drawing that is compared, whatever its shape. Experiment. */
export const MAX_DRAWN_PIXELS = 1_500_000
/** Pixels of the magnified drawing (1600 wide). Experiment. */
export const MAX_MAGNIFIED_PIXELS = 2_560_000
/** Characters of a text above which it is not magnified: its tree and the pixels do not fit. Design, "above 1 MB of text". */
export const MAX_MAGNIFIED_CHARACTERS = 1024 * 1024
/** Instructions that one drawing may take, one or two seconds: the heaviest known needs half. Experiment. */
export const MOST_WORK_OF_A_DRAWING = 20e9
/** Instructions that all candidates together may take. Experiment. */
export const MOST_WORK_OF_CANDIDATES = 80e9
/** Instructions of one CPU second. Experiment. */
export const WORK_OF_A_SECOND = 15e9
/** Pixels of an enlarged canvas. Design, "3.3 million pixels". */
export const MOST_WIDE_PIXELS = 3_300_000

// What a file may cost

/** Bytes of a text that is read as a tree, and of what an SVGZ unpacks to. Limit. */
export const MAX_TEXT_BYTES = 3 * 1024 * 1024
/** Bytes of a text that the streaming pass reads, which holds no tree. Design, "Large drawings" (24 MB). */
export const MAX_STREAMED_BYTES = 24 * 1024 * 1024
/** Bytes that the trees of svgo and of the renderer hold for an element at their peak. Design, "Large drawings". */
export const BYTES_PER_ELEMENT = 3_500
/** Bytes that both trees hold for a character of text at their peak. Design, "Large drawings". */
export const BYTES_PER_CHARACTER = 55
/** Bytes of both trees. Limit. */
export const MAX_TREE_BYTES = 64 * 1024 * 1024
/** Rules of style sheets times elements: svgo tries each in about 5 µs, in a dozen passes. Limit. */
export const MAX_RULE_TRIALS = 400_000
/** Bytes of a text that is drawn: the renderer's tree takes some eight times as much. Design, "Large drawings" (5 MB). */
export const MAX_DRAWN_BYTES = 5 * 1024 * 1024
