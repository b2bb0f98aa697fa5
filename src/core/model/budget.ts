/** Memory budget of a job. */
import type { PixelLimits } from '../catalog/format.ts'
import type { Options } from './codec.ts'

export type MemoryBudget = Pick<Options, 'memoryBudget' | 'estimated'>

/**
 * True if a step that needs `bytes` of heap and Wasm memory fits into the budget and into `most` bytes. Reports the estimate, so that
 * `npm run bench -- memory` can compare it with the measured memory.
 */
export function fitsMemoryBudget(options: MemoryBudget, bytes: number, most = options.memoryBudget): boolean {
  if (bytes > Math.min(most, options.memoryBudget)) return false
  options.estimated?.(bytes)
  return true
}

/**
 * Default memory budget of a job in bytes, heap and Wasm together: what fits into a Cloudflare isolate of 128 MB. A job with a larger
 * budget still compresses every file that fits into this one identically, byte for byte.
 */
export const STANDARD_MEMORY_BYTES = 96 * 1024 * 1024

/** True if the memory budget of a job is larger than the standard. */
export const hasLargeMemoryBudget = ({ memoryBudget }: { readonly memoryBudget: number }): boolean => memoryBudget > STANDARD_MEMORY_BYTES

/** Largest number of pixels that this job may decode, chosen from the limits of a format. */
export const maxPixelsOf = ({ isolate, roomy }: PixelLimits, job: { readonly memoryBudget: number }): number =>
  hasLargeMemoryBudget(job) ? roomy : isolate
