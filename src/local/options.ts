import type { LifeLimits } from './liveness.ts'

/**
 * Of one step: processor time in all (thrice what Cloudflare gives a message) and without coming back to its loop (the longest calls
 * of honest files take seconds), and how long one that computes nothing, and waits for nobody, is not yet taken for lost.
 */
export const STEP_LIMITS: LifeLimits = { processorMs: 900_000, silentMs: 60_000, stalledMs: 120_000 }

/** What the local service is started with. */
export interface ServeOptions {
  readonly root: string
  readonly state: string
  readonly port: number
  readonly doorPort: number
  readonly inspectorPort?: number
  /** Secrets and variables of the edge: NAME=value, a line each. */
  readonly variableFiles: readonly string[]
  readonly publicUrl?: string
  readonly workers: number
  /** Of one press, in bytes. */
  readonly memoryBytes: number
  /** Path of FFmpeg; "none", or the first on the PATH. */
  readonly ffmpeg?: string
  /** SIGUSR2 resets all Durable Objects. */
  readonly resettable?: boolean
}
