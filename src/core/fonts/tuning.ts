/**
 * Numbers that bound the work and memory for fonts. Limits of the font formats are beside their parser.
 *
 * Each constant gives its source. "Set by experiment": on the project's fixtures. "Limits memory": it must fit in one job beside the
 * codecs. "Limits the cost of hostile files": no fixture comes near it.
 */

// Limits of charstrings

/** Largest number of nested subroutine calls of a Type 1 charstring. Limits the cost of hostile files. */
export const MAX_TYPE1_DEPTH = 12
/** Largest number of commands and operands of one Type 1 charstring. Limits the cost of hostile files. */
export const MAX_TYPE1_STEPS = 200_000
/** Largest number of operands on the stack of a Type 1 charstring. Limits the cost of hostile files. */
export const MAX_TYPE1_STACK = 64
/**
 * Largest number of operators and operands of one Type 2 charstring that is drawn to verify a conversion. Limits the cost of hostile files.
 */
export const MAX_DRAWING_STEPS = 200_000
/** Largest number of nested subroutine calls of a Type 2 charstring. Limits the cost of hostile files. */
export const MAX_TYPE2_DEPTH = 12
/** Largest number of operators and operands of one Type 2 charstring. Limits the cost of hostile files. */
export const MAX_TYPE2_STEPS = 500_000
/** Largest number of operands on the stack of a Type 2 charstring. Limits the cost of hostile files. */
export const MAX_TYPE2_STACK = 513

// Limits of font programs

/** Largest number of glyphs of a Type 1 program. Limits the cost of hostile files. */
export const MAX_TYPE1_GLYPHS = 20_000
/** Largest number of subroutines of a Type 1 program. Limits the cost of hostile files. */
export const MAX_TYPE1_SUBROUTINES = 65_536
/** Characters of the notice that a converted font keeps. Limits the cost of hostile files. */
export const MAX_NOTICE_CHARACTERS = 600
/** Largest number of tables of a TrueType file. Limits the cost of hostile files. */
export const MAX_TABLES = 64
/** Largest number of codes in one character map. Limits the cost of hostile files. */
export const MAX_MAPPED_CODES = 200_000
/** Bytes of the largest font that is subset for a text. Limits the cost of hostile files. */
export const MAX_FONT_BYTES = 64 * 1024 * 1024
/**
 * Largest number of table entries that are read to find all substitutions. A font that needs more stays unchanged. Limits the cost of
 * hostile files.
 */
export const MAX_SUBSTITUTION_STEPS = 8_000_000
/**
 * Largest number of passes over all substitutions until no new glyph is found. A font that needs more stays unchanged. Limits the cost of
 * hostile files.
 */
export const MAX_SUBSTITUTION_ROUNDS = 64

// Limits of merged font subsets

/** Bytes of glyphs in one union, which is held in memory. Limits memory. */
export const MAX_UNION_BYTES = 4 * 1024 * 1024
/** Largest number of levels of components of a composite glyph. Limits the cost of hostile files. */
export const MAX_COMPONENT_DEPTH = 8
/**
 * Font units. Allowed difference of coordinates and widths between a Type 1 glyph and its CFF form, because both charstring formats round.
 * Set by experiment.
 */
export const OUTLINE_TOLERANCE = 1 / 100
