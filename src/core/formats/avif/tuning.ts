/**
 * Largest size of a result relative to the original. Otherwise the original stays, to avoid a generation loss for little gain. Source:
 * docs/decisions/quality-levels.md.
 */
export const LOSSY_RATIO = 0.95
