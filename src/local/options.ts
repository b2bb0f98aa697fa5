/** What a press may use for one step: see `WatchdogLimits`. */
export interface JobLimits {
  readonly processorMs: number
  readonly silentMs: number
  readonly stalledMs: number
  /** Resident memory. */
  readonly memoryBytes: number
}

/**
 * What a press may use for one step: processor time in all (three times what Cloudflare gives a message), processor time in one call
 * (the longest calls of honest files take seconds), and how long it may compute nothing while it waits for nobody.
 */
export const STEP_LIMITS: Omit<JobLimits, 'memoryBytes'> = { processorMs: 900_000, silentMs: 60_000, stalledMs: 120_000 }

/** What the local service is started with. */
export interface ServeOptions {
  readonly root: string
  readonly state: string
  readonly port: number
  /** Port of the Worker through which presses reach tasks and blobs. */
  readonly taskApiPort: number
  readonly inspectorPort?: number
  /** Secrets and variables of the edge: NAME=value, a line each. */
  readonly variableFiles: readonly string[]
  readonly publicUrl?: string
  readonly workers: number
  /** Most memory of one press, in bytes. */
  readonly memoryBytes: number
  /** Other limits of a press. Default: `STEP_LIMITS`. */
  readonly limits?: Partial<typeof STEP_LIMITS>
  /** Path of FFmpeg; "none", or the first on the PATH. */
  readonly ffmpeg?: string
  /** SIGUSR2 resets all Durable Objects. */
  readonly resettable?: boolean
}
