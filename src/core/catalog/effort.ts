/** How long the search for a small result may take (`effort` in API.md). The quality floors and the receipt are the same for all efforts. */

/**
 * `fast`: few probes and quick coding, at most 10 % larger than `balanced`. `balanced`: default. `best`: never larger than `balanced`, in
 * up to three times its time.
 */
export type Effort = 'fast' | 'balanced' | 'best'

export const EFFORTS = ['fast', 'balanced', 'best'] as const satisfies readonly Effort[]

/** Effort of a job that did not choose one. */
export const DEFAULT_EFFORT: Effort = 'balanced'
