/** Limits of the plans (docs/users/limits.md). */
export type PlanId = 'guest' | 'free' | 'basic' | 'pro' | 'enterprise'

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
  /** Maximum number of tasks of the account in Cloudflare's queues, waiting or running. Further tasks wait in the account. */
  readonly maxQueuedTasks: number
  /** CPU seconds of a month above which the account's tasks wait for those of others. `null`: no quota. */
  readonly cpuSeconds: number | null
  /** Estimated CPU seconds that an animation may take, in addition to `ANIMATION_SECONDS_PER_MB`. */
  readonly animationSeconds: number
}

const MB = 1_000_000
const HOUR_MS = 3_600_000
const HOUR_SECONDS = 3600

export const PLANS: { readonly [Id in PlanId]: Plan } = {
  /** Visitors of the front page together, except that requests and files are those of each (`store/guests.ts`). */
  guest: {
    id: 'guest',
    requestsPerMinute: 60,
    maxFileBytes: 20 * MB,
    maxBatchFiles: 1,
    storageBytes: 1000 * MB,
    retentionMs: HOUR_MS,
    callbacks: false,
    maxKeys: 0,
    maxPartsAtOnce: 2,
    maxQueuedTasks: 1,
    // Tasks of guests always wait for those of accounts.
    cpuSeconds: 0,
    animationSeconds: 16,
  },
  free: {
    id: 'free',
    requestsPerMinute: 10,
    maxFileBytes: 20 * MB,
    maxBatchFiles: 5,
    storageBytes: 100 * MB,
    retentionMs: 24 * HOUR_MS,
    callbacks: false,
    maxKeys: 2,
    maxPartsAtOnce: 4,
    maxQueuedTasks: 4,
    cpuSeconds: HOUR_SECONDS,
    animationSeconds: 16,
  },
  basic: {
    id: 'basic',
    requestsPerMinute: 60,
    maxFileBytes: 50 * MB,
    maxBatchFiles: 20,
    storageBytes: 1000 * MB,
    retentionMs: 72 * HOUR_MS,
    callbacks: true,
    maxKeys: 10,
    maxPartsAtOnce: 8,
    maxQueuedTasks: 8,
    cpuSeconds: 10 * HOUR_SECONDS,
    animationSeconds: 16,
  },
  pro: {
    id: 'pro',
    requestsPerMinute: 300,
    maxFileBytes: 100 * MB,
    maxBatchFiles: 50,
    storageBytes: 10_000 * MB,
    retentionMs: 168 * HOUR_MS,
    callbacks: true,
    maxKeys: 50,
    maxPartsAtOnce: 16,
    maxQueuedTasks: 16,
    cpuSeconds: 100 * HOUR_SECONDS,
    animationSeconds: 240,
  },
  enterprise: {
    id: 'enterprise',
    requestsPerMinute: null,
    maxFileBytes: 500 * MB,
    maxBatchFiles: 100,
    storageBytes: 1_000_000 * MB,
    retentionMs: 720 * HOUR_MS,
    callbacks: true,
    maxKeys: 500,
    maxPartsAtOnce: 32,
    maxQueuedTasks: 64,
    cpuSeconds: null,
    animationSeconds: 240,
  },
}

/** Estimated CPU seconds that an animation may take for each MB of its file: about 260 bytes of decoded rows for each byte of the file. */
const ANIMATION_SECONDS_PER_MB = 40

/** Largest estimated CPU time in seconds of an animation of `bytes` bytes. */
export const maxWorkSeconds = ({ animationSeconds }: Plan, bytes: number): number =>
  animationSeconds + (bytes / MB) * ANIMATION_SECONDS_PER_MB
