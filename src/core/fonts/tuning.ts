/**
 * Numbers that bound the work and memory for fonts. Limits of the font formats are beside their parser.
 *
 * Sources: "Experiment": set by experiment on the project's fixtures. "Memory": what fits in the memory of one job beside the codecs.
 * "Limit": no fixture comes near it; it bounds what a hostile file can cost.
 */

// Charstrings

/** Nested subroutine calls of a Type 1 charstring. Limit. */
export const MAX_TYPE1_DEPTH = 12
/** Commands and operands of one Type 1 charstring. Limit. */
export const MAX_TYPE1_STEPS = 200_000
/** Operands on the stack of a Type 1 charstring. Limit. */
export const MAX_TYPE1_STACK = 64
/** Operators and operands of one Type 2 charstring that is drawn to verify a conversion. Limit. */
export const MAX_DRAWING_STEPS = 200_000
/** Nested subroutine calls of a Type 2 charstring. Limit. */
export const MAX_TYPE2_DEPTH = 12
/** Operators and operands of one Type 2 charstring. Limit. */
export const MAX_TYPE2_STEPS = 500_000
/** Operands on the stack of a Type 2 charstring. Limit. */
export const MAX_TYPE2_STACK = 513

// Font programs

/** Number of glyphs of a Type 1 program. Limit. */
export const MAX_TYPE1_GLYPHS = 20_000
/** Number of subroutines of a Type 1 program. Limit. */
export const MAX_TYPE1_SUBROUTINES = 65_536
/** Characters of the notice that a converted font keeps. Limit. */
export const MAX_NOTICE_CHARACTERS = 600
/** Number of tables of a TrueType file. Limit. */
export const MAX_TABLES = 64
/** Number of codes in one character map. Limit. */
export const MAX_MAPPED_CODES = 200_000
/** Bytes of the largest font that is subset for a text. Limit. */
export const MAX_FONT_BYTES = 64 * 1024 * 1024
/** Table entries that are read to find all substitutions. A font that needs more stays unchanged. Limit. */
export const MAX_SUBSTITUTION_STEPS = 8_000_000
/** Passes over all substitutions until no new glyph is found. A font that needs more stays unchanged. Limit. */
export const MAX_SUBSTITUTION_ROUNDS = 64

// Unions of subsets

/** Bytes of glyphs in one union, which is held in memory. Memory. */
export const MAX_UNION_BYTES = 4 * 1024 * 1024
/** Levels of components of a composite glyph. Limit. */
export const MAX_COMPONENT_DEPTH = 8
/**
 * Font units. Allowed difference of coordinates and widths between a Type 1 glyph and its CFF form, because both charstring formats round.
 * Experiment.
 */
export const OUTLINE_TOLERANCE = 1 / 100
