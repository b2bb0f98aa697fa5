/** Whether a way through a job fits into its memory, by what it is reckoned to take. */
import type { Options } from './codec.ts'

export type Affordable = Pick<Options, 'memoryBudget' | 'estimated'>

/** Is there so much heap and Wasm memory? Formulas ask here, so that `npm run bench -- memory` can hold them against what a job took. */
export function affords(options: Affordable, bytes: number, most = options.memoryBudget): boolean {
  if (bytes > Math.min(most, options.memoryBudget)) return false
  options.estimated?.(bytes)
  return true
}
