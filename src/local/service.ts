/** Runs the service as a child process group: starts it, watches it, and stops it with everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { FreeSpace } from './free-space.ts'
import { COMPILE_CACHE, SERVE } from './installation.ts'
import { LogFile } from './log-file.ts'
import type { OperatingMetrics } from './observability/metrics.ts'
import { PoolQuestion } from './observability/pool-question.ts'
import { type Readiness, readinessOf } from './observability/readiness.ts'
import type { MessageFromService } from './observability/service-messages.ts'
import { COMMANDS, DRAINED, type ServeOptions, type STEP_LIMITS, VARIABLES } from './options.ts'
import { withParentDeathSignal } from './parent-death-signal.ts'
import { workerdUsage } from './processor-time.ts'
import { openReverseProxy, REQUEST_ID } from './reverse-proxy.ts'
import { Watchdog } from './watchdog.ts'
import { EDGE_V8_ENVIRONMENT } from './workerd-flags.ts'

export interface ServiceOptions {
  readonly root: string
  /** State folder. */
  readonly state: string
  /** Port of the service. 0: any free port. */
  readonly port: number
  /** Address to listen on. Default: loopback. */
  readonly host?: string
  readonly inspectorPort: number
  /** Free bytes of the state folder's disk below which uploads are refused. Default: uploads are not refused. */
  readonly diskReserveBytes?: number
  readonly secretsFile: string
  /** Additional variables of the Workers, which may be secrets. Default: none. */
  readonly variables?: Readonly<Record<string, string>>
  /** The https origin of a proxy in front of the service. `undefined`: clients are on this machine only. */
  readonly publicUrl?: string
  readonly verbose: boolean
  /** Metrics of this and all later services of the same process. Default: nothing is counted. */
  readonly metrics?: OperatingMetrics
  /** Token for `/metrics/service`. `undefined`: that path does not exist. */
  readonly metricsToken?: string
  /** CPU time in milliseconds without any response, after which workerd counts as hung. Default: 60,000. */
  readonly hangTimeoutMs?: number
  /** Options of the worker pool. Default: `DEFAULT_POOL`. */
  readonly pool?: PoolOptions
}

export interface PoolOptions {
  /** Number of steps of the slow lane that run in parallel. At least 1. */
  readonly workers: number
  /** Memory limit of one press process, in bytes. */
  readonly memoryBytes: number
  /** Other limits of a press process. Default: `STEP_LIMITS`. */
  readonly limits?: Partial<typeof STEP_LIMITS>
  /** Path of FFmpeg, or "none". Default: the first on the PATH. */
  readonly ffmpeg?: string
  /** True if SIGUSR2 to the service process resets all Durable Objects. Default: false. */
  readonly resettable?: boolean
}

/** Default pool: one press process for the slow lane, with the default memory limit of `npm start` (1,536 MB). */
const DEFAULT_POOL: PoolOptions = { workers: 1, memoryBytes: 1536 * 2 ** 20 }
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 5000
/** Most milliseconds in which running requests and jobs may end before a stop. With the stop itself, 30 s. */
const DRAIN_TIMEOUT_MS = 24_000
const IDLE_CHECK_MS = 100
/** Default hang timeout in milliseconds of CPU time. Far more than any request needs. */
const HANG_TIMEOUT_MS = 60_000
/** CPU time in milliseconds that workerd may use before its first response, even if the hang timeout is shorter. */
const MIN_START_CPU_MS = 60_000
const MAX_CHECK_INTERVAL_MS = 5000
/** Share of wall-clock time that counts as CPU time on systems without /proc. */
const CLOCK_SHARE = 0.1
/** Time limit of one health request, in milliseconds. */
const HEALTH_TIMEOUT_MS = 60_000

/** Settings of Miniflare: no network access, and no local observability, which makes requests ten times slower. */
const MINIFLARE_ENVIRONMENT = { X_LOCAL_OBSERVABILITY: 'false', X_LOCAL_EXPLORER: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

/**
 * Size limit of V8's young generation in MB. The pool process allocates little and runs for months. V8's default of 16 would retain 48
 * MB.
 */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=4'

export class Service {
  readonly logFile: string
  readonly #options: ServiceOptions
  #child: ChildProcess | undefined
  #proxy: Server | undefined
  /** Miniflare's port, behind the reverse proxy. */
  #innerPort = 0
  readonly #lastLines: string[] = []
  #resolveExited!: (code: string) => void
  #resolveDrained!: () => void
  /** Settles when the service process runs no step any more, after `drain`. */
  readonly #drained = new Promise<void>((resolve) => {
    this.#resolveDrained = resolve
  })
  #childExit: Promise<unknown> = Promise.resolve()
  #watchdog: Watchdog | undefined
  #disk: FreeSpace | undefined
  #isServing = false
  readonly #draining = new AbortController()
  readonly #pool = new PoolQuestion((question) => {
    if (this.#child?.connected) this.#child.send(question, () => undefined)
  })
  #hung = false
  /** Settles with the reason when the child process has ended or hangs. */
  readonly exited = new Promise<string>((resolve) => {
    this.#resolveExited = resolve
  })

  constructor(options: ServiceOptions) {
    this.#options = options
    this.logFile = join(options.state, 'service.log')
  }

  /** Process id of the child, which is also the id of its process group. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** True if the service was ended because it hung. */
  get hung(): boolean {
    return this.#hung
  }

  /** Port that the service listens on. 0 before the start. */
  get port(): number {
    return (this.#proxy?.address() as AddressInfo | undefined)?.port ?? 0
  }

  /** Fires a cron trigger, which Miniflare does not do itself. `sweep`: the hourly clean-up. `look`: the health check. */
  async fireCron(which: 'sweep' | 'look'): Promise<void> {
    const cron = which === 'look' ? '*/10 * * * *' : '17 * * * *'
    await fetch(`http://127.0.0.1:${this.#innerPort}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent(cron)}`).then((response) =>
      response.arrayBuffer(),
    )
  }

  /**
   * Starts the service. Resolves when its health check succeeds.
   * @throws Error if the port is taken or the service does not become healthy within 2 minutes
   */
  async start(): Promise<void> {
    const { root, port, host, publicUrl, state, diskReserveBytes, metrics, metricsToken } = this.#options
    const innerPort = await freePort()
    this.#innerPort = innerPort
    // The public port is opened first: a port that is only tested for being free may be taken a moment later.
    const disk = diskReserveBytes === undefined ? undefined : new FreeSpace(state, diskReserveBytes)
    const onAnswer = () => this.#watchdog?.recordHeartbeat()
    const operator = { readiness: () => this.readiness(), metrics: () => metrics?.text() ?? Promise.resolve(''), token: metricsToken }
    const onRefusal = (status: number, reason: string) => metrics?.refused(status, reason)
    this.#disk = disk
    const draining = this.#draining.signal
    const proxyOptions = { host, publicUrl, disk, operator, draining, onAnswer, onRefusal }
    this.#proxy = await openReverseProxy(port, innerPort, proxyOptions).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? new Error(`Port ${port} is already in use. Choose another one with --port.`) : error
    })
    const [program, ...words] = [...withParentDeathSignal(), process.execPath, SMALL_YOUNG_GENERATION, SERVE]
    const child = spawn(program!, [...words, JSON.stringify(await this.#serveOptions())], {
      cwd: root,
      // A process group of its own, which can be killed as a whole, and a pipe that closes when this process ends.
      detached: true,
      serialization: 'advanced',
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      env: {
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...process.env,
        ...MINIFLARE_ENVIRONMENT,
        ...EDGE_V8_ENVIRONMENT,
        [VARIABLES]: JSON.stringify(this.#options.variables ?? {}),
      },
    })
    this.#child = child
    this.#childExit = new Promise((resolve) => child.on('exit', resolve))
    child.on('message', (message) => this.#receive(message as MessageFromService))
    metrics?.serviceStarted({ group: child.pid ?? 0, poolState: () => this.#pool.ask(), readiness: () => this.readiness() })
    child.on('exit', (code, signal) => {
      this.#isServing = false
      this.#resolveExited(signal ?? `code ${code}`)
    })
    process.on('exit', () => this.#kill('SIGKILL'))
    this.#log(child)
    this.#watch(child.pid!, `http://127.0.0.1:${innerPort}/healthz`)
    await this.#untilHealthy(`http://127.0.0.1:${innerPort}/healthz`)
    this.#watchdog?.recordHeartbeat()
    this.#isServing = true
  }

  /** Checks if the service may take work. */
  readiness(): Promise<Readiness> {
    return readinessOf({
      isServing: () => this.#isServing && !this.#hung,
      isDraining: () => this.#draining.signal.aborted,
      poolState: () => this.#pool.ask(),
      hasDiskSpace: async () => (await this.#disk?.fits(0)) ?? true,
    })
  }

  #receive(message: MessageFromService): void {
    const { metrics } = this.#options
    if (message.kind === 'pool') this.#pool.answer(message.pool)
    else if (message.kind === 'job') metrics?.jobEnded(message.job)
    else metrics?.pressEnded(message.why)
  }

  async #serveOptions(): Promise<ServeOptions> {
    const { root, state, inspectorPort, secretsFile, publicUrl, pool = DEFAULT_POOL } = this.#options
    return {
      root,
      state,
      port: this.#innerPort,
      taskApiPort: await freePort(),
      ...(inspectorPort ? { inspectorPort } : {}),
      secretsFile,
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...pool,
    }
  }

  /** Ends the service when its workerd hangs. The pool process watches the press processes. */
  #watch(group: number, url: string): void {
    const { hangTimeoutMs = HANG_TIMEOUT_MS } = this.#options
    const watched = { requestHeartbeat: () => hasAnswered(url), sample: () => workerdUsage(group) }
    const limits = { silentMs: hangTimeoutMs, startMs: MIN_START_CPU_MS }
    const everyMs = Math.min(MAX_CHECK_INTERVAL_MS, hangTimeoutMs / 4)
    const watchdog = new Watchdog(watched, { limits, everyMs, startedMs: 0, clockShare: CLOCK_SHARE })
    this.#watchdog = watchdog
    void watchdog.verdict.then(() => {
      this.#hung = true
      this.#resolveExited(`it gave no response in ${Math.round(watchdog.silence.usedMs / 1000)} s of CPU time`)
    })
  }

  #log(child: ChildProcess): void {
    const { metrics } = this.#options
    const file = new LogFile(this.logFile, undefined, () => metrics?.logLineDropped())
    child.once('close', () => file.close())
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream! }).on('line', (line) => {
        file.writeLine(line)
        metrics?.readLogLine(line)
        if (line === DRAINED) this.#resolveDrained()
        this.#lastLines.push(line)
        if (this.#lastLines.length > 40) this.#lastLines.shift()
        if (this.#options.verbose || /"level":"error"/.test(line)) console.error(line)
      })
    }
  }

  async #untilHealthy(url: string): Promise<void> {
    let hasExited = false
    void this.exited.then(() => {
      hasExited = true
    })
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; ) {
      if (hasExited) break
      const healthy = await isOk(url)
      if (healthy) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`The service did not come up:\n${this.#lastLines.join('\n')}`)
  }

  /**
   * Stops the service after running requests and jobs have ended, for which they have 24 s. New connections are refused at once. Jobs
   * that still run are handed back to their tasks.
   */
  async drain(): Promise<void> {
    this.#draining.abort()
    if (this.#child && !this.#hung) {
      const late = new Promise((resolve) => setTimeout(resolve, DRAIN_TIMEOUT_MS))
      this.#command(COMMANDS.drain)
      await Promise.race([Promise.all([endRequests(this.#proxy), this.#drained]), this.#childExit, late])
    }
    await this.stop()
  }

  /** Tells the service process to end, and sends SIGKILL to its whole group after five seconds. */
  async stop(): Promise<void> {
    this.#watchdog?.stop()
    this.#proxy?.close()
    this.#proxy?.closeAllConnections()
    if (!this.#child) return
    // A hung process does not react to SIGTERM.
    if (this.#hung) this.#kill('SIGKILL')
    else this.#command(COMMANDS.stop)
    const late = new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS))
    await Promise.race([this.#childExit, late])
    this.#kill('SIGKILL')
  }

  #command(command: string): void {
    this.#child?.stdin?.write(`${command}\n`, () => undefined)
  }

  #kill(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      // The group has ended already.
    }
  }
}

/** Closes a server. Resolves when its running requests have ended. */
async function endRequests(server: Server | undefined): Promise<void> {
  if (!server) return
  const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  await new Promise((resolve) => server.close(resolve))
  clearInterval(timer)
}

/** True if the URL returns success within 10 s. */
async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

/** True if the Worker itself responds, with any status. Miniflare responds in its place if the Worker is gone. */
async function hasAnswered(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
    await response.arrayBuffer()
    return response.headers.has(REQUEST_ID)
  } catch {
    return false
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/**
 * Finds a free port below 32768, where systems begin to assign ports to outgoing connections. So the port stays free until it is used.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(16_384, 32_768)
    if (await isFree(port)) return port
  }
  throw new Error('No free port was found between 16384 and 32767.')
}
