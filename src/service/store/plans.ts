/** Limits of the plans (docs/users/limits.md). */
export type PlanId = 'free' | 'basic' | 'pro' | 'enterprise'

export interface Plan {
  readonly id: PlanId
  /** Maximum number of requests in any 60 seconds for each key. `null`: unlimited. */
  readonly requestsPerMinute: number | null
  readonly maxFileBytes: number
  readonly maxBatchFiles: number
  readonly storageBytes: number
  readonly retentionMs: number
  readonly callbacks: boolean
  /** Maximum number of keys made by users. Each key has its own rate window. */
  readonly maxKeys: number
  /** Maximum number of film parts queued or running at the same time, over all tasks of the account. */
  readonly maxPartsAtOnce: number
}

const MB = 1_000_000
const HOUR_MS = 3_600_000

function plan(id: PlanId, requestsPerMinute: number | null, sizes: readonly number[], hours: number, maxima: readonly number[]): Plan {
  const [fileMB = 0, maxBatchFiles = 0, storageMB = 0] = sizes
  const [maxKeys = 0, maxPartsAtOnce = 1] = maxima
  const bytes = { maxFileBytes: fileMB * MB, maxBatchFiles, storageBytes: storageMB * MB }
  return { id, requestsPerMinute, ...bytes, retentionMs: hours * HOUR_MS, callbacks: id !== 'free', maxKeys, maxPartsAtOnce }
}

export const PLANS: { readonly [Id in PlanId]: Plan } = {
  free: plan('free', 10, [20, 5, 100], 24, [2, 4]),
  basic: plan('basic', 60, [50, 20, 1_000], 72, [10, 8]),
  pro: plan('pro', 300, [100, 50, 10_000], 168, [50, 16]),
  enterprise: plan('enterprise', null, [500, 100, 1_000_000], 720, [500, 32]),
}
