import { LEVELS, type LumaTarget } from '../../quality/levels.ts'

export type Target = LumaTarget

/** What a level asks of the drawing. */
export const TARGETS = LEVELS.drawing

/** Renderers differ among themselves: less is claimed than was measured, and beyond this nothing can be told. */
export const RENDERER_MARGIN_DB = 1.5
export const HIGHEST_CLAIM_DB = 45
