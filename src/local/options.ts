/** Limits of a press process for one step. See `WatchdogLimits`. */
export interface JobLimits {
  readonly processorMs: number
  readonly silentMs: number
  readonly stalledMs: number
  /** Resident memory, in bytes. */
  readonly memoryBytes: number
}

/**
 * Default limits of a step: 900 s CPU time in all (three times Cloudflare's limit per message), 60 s CPU time between heartbeats, 120
 * s without any computation.
 */
export const STEP_LIMITS: Omit<JobLimits, 'memoryBytes'> = { processorMs: 900_000, silentMs: 60_000, stalledMs: 120_000 }

/**
 * Environment variable with further variables of the edge, as JSON. They may be secrets, so they are no arguments, which other users of
 * the machine can read. They are in no file either, because they change with every start, also on a full disk.
 */
export const VARIABLES = 'WHITTLE_VARIABLES'

/** Lines on the standard input of the service process. `drain`: start no more steps. `stop`: hand running steps back and end. */
export const COMMANDS = { drain: 'drain', stop: 'stop' } as const

/** Log line of the service process when no step runs any more after `drain`. */
export const DRAINED = JSON.stringify({ level: 'info', event: 'drained' })

/** Options of the local service process. */
export interface ServeOptions {
  readonly root: string
  readonly state: string
  readonly port: number
  /** Port of the task API Worker, through which press processes reach tasks and blobs. */
  readonly taskApiPort: number
  readonly inspectorPort?: number
  /** File with secrets and variables of the edge, one NAME=value per line. */
  readonly secretsFile: string
  readonly publicUrl?: string
  readonly workers: number
  /** Memory limit of one press process, in bytes. */
  readonly memoryBytes: number
  /** Other limits of a press process. Default: `STEP_LIMITS`. */
  readonly limits?: Partial<typeof STEP_LIMITS>
  /** Path of FFmpeg, or "none". Default: the first on the PATH. */
  readonly ffmpeg?: string
  /** True if SIGUSR2 resets all Durable Objects. Default: false. */
  readonly resettable?: boolean
}
