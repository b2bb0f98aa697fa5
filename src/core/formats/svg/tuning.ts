/**
 * Tuning constants for rounding and measuring SVG drawings, and limits for memory and time. Targets of levels are in `catalog/levels.ts`;
 * constants of the format (SVG 2, CSS) are next to their parser.
 *
 * Sources: "Design" is docs/decisions/svg.md, which lists the drawings and figures. "Experiment": set with the project's fixtures and
 * public drawings, without a recorded bench. "Limit": no fixture comes near it; it bounds the cost of a hostile file.
 */

// Rounding

/** Number of decimals at which the search starts; most drawings need one. Source: design, "The search". */
export const INITIAL_DECIMALS = 1
/** Minimum PSNR loss in dB for one decimal less; usually it is 12 to 20. Source: design, "The search". */
export const DB_PER_DECIMAL = 10
/**
 * Maximum length in characters of a text for which finer roundings are tried as well. Sometimes svgo merges a path only at a finer
 * precision. Source: experiment.
 */
export const SMALL_CHARACTERS = 16 * 1024
/**
 * Minimum decimals of numbers other than coordinates: offsets, opacities and filter values. Source: design, "Only coordinates and lengths".
 */
export const LEAST_DECIMALS = 3
/** Maximum decimals of any number. Source: experiment. */
export const MOST_DECIMALS = 6
/**
 * Minimum number of coordinate steps along the longer side of a drawing; one step is 1.6 px of 1600. Source: design, "Only coordinates and
 * lengths".
 */
export const MIN_STEPS_PER_SIDE = 1000
/**
 * Maximum relative change of a length by rounding; otherwise it keeps another decimal. Source: design, "Only coordinates and lengths" (5
 * %).
 */
export const LENGTH_TOLERANCE = 0.05
/**
 * Absolute value from which numbers stay unchanged. Renderers use 24-bit precision and disagree on larger numbers. Source: design, "Only
 * coordinates and lengths".
 */
export const HUGE_NUMBER = 1e7
/** Radius from which arcs stay unchanged, because renderers disagree on them. Source: design, "Only coordinates and lengths". */
export const HUGE_RADIUS = 1e5
/** Maximum length of a rounded text, as a share of the source, at which the exact version is not tried. Source: experiment. */
export const FURTHER_ROUNDING_SHARE = 0.9
/**
 * Maximum length of a rounding of a large drawing, as a share of the exact text. A longer rounding is not worth its loss. Source:
 * experiment.
 */
export const LARGE_ROUNDING_SHARE = 0.97
/** Maximum number of svgo passes. Source: limit. */
export const MAX_PASSES = 10
/** Share of the text that an svgo pass must save for another pass to follow. Source: experiment. */
export const MIN_PASS_GAIN = 0.005
/**
 * Smallest length of a rounded text after repeated passes, as a share of its length before. Passes over 199 public drawings saved at most 3
 * %. Source: experiment.
 */
export const LEAST_POLISHED_SHARE = 0.94
/**
 * Maximum characters of path data that one run of `mergePaths` reads again; svgo compares each path with all previous ones. Source: limit.
 */
export const MAX_MERGE_CHARACTERS = 1_000_000

// Measuring

/** Amount in dB by which the receipt declares less than the measured PSNR, because renderers differ. Source: design, "What stays". */
export const RENDERER_MARGIN_DB = 1.5
/** Maximum PSNR in dB that the receipt declares. Source: design, "What stays". */
export const HIGHEST_CLAIM_DB = 45
/** Maximum pixels of a rendering for comparison, for any aspect ratio. Source: experiment. */
export const MAX_DRAWN_PIXELS = 1_500_000
/** Maximum pixels of the magnified rendering, which is 1600 pixels wide. Source: experiment. */
export const MAX_MAGNIFIED_PIXELS = 2_560_000
/**
 * Maximum length in characters of a text that is rendered magnified. For longer texts, element tree and pixels exceed the memory limit.
 * Source: design, "above 1 MB of text".
 */
export const MAX_MAGNIFIED_CHARACTERS = 1024 * 1024
/** Maximum instructions for one rendering: one to two CPU seconds. The most expensive known drawing needs half. Source: experiment. */
export const MAX_RENDERING_INSTRUCTIONS = 20e9
/** Maximum expected instructions of a magnified rendering: half a CPU second. Above, the normal size decides alone. Source: experiment. */
export const MAX_MAGNIFIED_INSTRUCTIONS = 7e9
/** Maximum instructions for the renderings of all candidates of a document. Source: experiment. */
export const MAX_CANDIDATE_INSTRUCTIONS = 80e9
/** Instructions per CPU second. Source: experiment. */
export const INSTRUCTIONS_PER_SECOND = 15e9
/** Maximum pixels of an enlarged canvas. Source: design, "3.3 million pixels". */
export const MAX_ENLARGED_PIXELS = 3_300_000

// Limits for memory and time

/** Maximum bytes of a text that is parsed into a tree, and of a decompressed SVGZ. Source: limit. */
export const MAX_TEXT_BYTES = 3 * 1024 * 1024
/** Maximum bytes of a text for the streaming pass, which builds no tree. Source: design, "Large drawings" (24 MB). */
export const MAX_STREAMED_BYTES = 24 * 1024 * 1024
/** Peak memory in bytes that the trees of svgo and resvg need for one element. Source: design, "Large drawings". */
export const BYTES_PER_ELEMENT = 3_500
/** Peak memory in bytes that both trees need for one character of text. Source: design, "Large drawings". */
export const BYTES_PER_CHARACTER = 55
/** Maximum memory in bytes of the trees of svgo and resvg. Source: limit. */
export const MAX_TREE_BYTES = 64 * 1024 * 1024
/** Maximum product of style rules and elements. svgo matches each pair in about 5 µs, in about twelve passes. Source: limit. */
export const MAX_RULE_TRIALS = 400_000
/**
 * Maximum bytes of a text that is rendered. The renderer's tree takes about eight times as much. Source: design, "Large drawings" (5 MB).
 */
export const MAX_DRAWN_BYTES = 5 * 1024 * 1024
