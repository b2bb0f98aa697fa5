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
