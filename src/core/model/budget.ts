/** Whether a way through a job fits into its memory, by what it is reckoned to take. */
import type { MostPixels } from '../catalog/format.ts'
import type { Options } from './codec.ts'

export type Affordable = Pick<Options, 'memoryBudget' | 'estimated'>

/** Is there so much heap and Wasm memory? Formulas ask here, so that `npm run bench -- memory` can hold them against what a job took. */
export function affords(options: Affordable, bytes: number, most = options.memoryBudget): boolean {
  if (bytes > Math.min(most, options.memoryBudget)) return false
  options.estimated?.(bytes)
  return true
}

/**
 * Heap and Wasm memory of a job in bytes, where the caller names no other: what fits into a Cloudflare isolate of 128 MB. A job with more
 * memory compresses whatever fits into this in the same way, so that results are the same byte for byte.
 */
export const STANDARD_MEMORY_BYTES = 96 * 1024 * 1024

/** True if a job has more memory than the standard. */
export const isRoomy = ({ memoryBudget }: { readonly memoryBudget: number }): boolean => memoryBudget > STANDARD_MEMORY_BYTES

/** Most pixels that this job may decode, of a format's limits. */
export const pixelsWithin = ({ isolate, roomy }: MostPixels, job: { readonly memoryBudget: number }): number =>
  isRoomy(job) ? roomy : isolate
