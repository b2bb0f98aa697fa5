/** Estimated CPU time of a task, before anything of it was measured. */
import type { Effort } from '../../core/catalog/effort.ts'
import { FORMATS, type FormatId } from '../../core/catalog/index.ts'
import { dependsOnEffort } from '../../core/catalog/outputs.ts'
import { averageSeconds } from '../../core/model/work-estimate.ts'
import type { MeasuredCost } from '../store/accounts.ts'
import type { Task } from '../store/task.ts'

/** CPU time of each effort relative to `balanced`. Measured on pictures, documents and packed text: `fast` 0.3 to 1, `best` 1.1 to 2.9. */
const EFFORT_FACTORS = { fast: 0.6, balanced: 1, best: 2 } as const satisfies Record<Effort, number>

/** CPU time that files of a format take at one effort. */
export interface EffortCost {
  /** CPU seconds for each megabyte (10^6 bytes) of the upload. */
  readonly secondsPerMb: number
  /** Number of completed tasks that the figure is measured on. 0: it is estimated. */
  readonly measuredTasks: number
}

/** Returns what an effort costs for a format: measured where tasks of this effort have run, otherwise estimated. */
export function effortCost(format: FormatId, effort: Effort, measured: readonly MeasuredCost[]): EffortCost {
  const own = measured.find((cost) => cost.format === format && cost.effort === effort)
  if (own && own.original > 0) return { secondsPerMb: own.cpu_ms / 1000 / (own.original / 1e6), measuredTasks: own.tasks }
  return { secondsPerMb: estimatedSeconds({ format, originalSize: 1e6, effort }), measuredTasks: 0 }
}

/** Returns the CPU seconds that a task takes on average, by its format, size and effort. Single tasks may take a fifth or five times as much. */
export function estimatedSeconds({ format, originalSize, effort = 'balanced' }: Pick<Task, 'format' | 'originalSize' | 'effort'>): number {
  if (format === 'unknown') return averageSeconds(undefined, originalSize)
  const seconds = averageSeconds(FORMATS[format].family, originalSize)
  return dependsOnEffort(FORMATS[format]) ? seconds * EFFORT_FACTORS[effort] : seconds
}
