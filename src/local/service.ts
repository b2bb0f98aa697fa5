/** The service as one child process group: started, watched, and stopped with everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { LogFile } from './log-file.ts'
import type { ServeOptions, STEP_LIMITS } from './options.ts'
import { withParentDeathSignal } from './parent-death-signal.ts'
import { workerdUsage } from './processor-time.ts'
import { newReceiptKeys } from './receipt-keys.ts'
import { openReverseProxy, REQUEST_ID } from './reverse-proxy.ts'
import { Watchdog } from './watchdog.ts'
import { EDGE_ENVIRONMENT } from './workerd-flags.ts'

export interface ServiceOptions {
  readonly root: string
  /** Folder of everything that is kept. */
  readonly state: string
  /** 0: any free one, here and below. */
  readonly port: number
  /** The address to listen on. Default: loopback. */
  readonly host?: string
  readonly inspectorPort: number
  readonly secretsFile: string
  /** More variables, in a file of that kind. */
  readonly variablesFile?: string
  /** The https origin under which a proxy serves it; without one it serves this machine only. */
  readonly publicUrl?: string
  readonly verbose: boolean
  /** Milliseconds of processor time without any answer, after which workerd counts as hung. Default: a minute. */
  readonly hangTimeoutMs?: number
  /** The processes that compress. Default: `POOL`. */
  readonly pool?: PoolOptions
}

export interface PoolOptions {
  /** Steps of the slow lane that run at the same time. At least 1. */
  readonly workers: number
  /** Most memory of one press, in bytes. */
  readonly memoryBytes: number
  /** Other limits of a press. Default: `STEP_LIMITS`. */
  readonly limits?: Partial<typeof STEP_LIMITS>
  /** Path of FFmpeg; "none", or the first on the PATH. */
  readonly ffmpeg?: string
  /** SIGUSR2 to its process resets all Durable Objects. Default: it does not. */
  readonly resettable?: boolean
}

/** One press for the slow lane, with the memory that `npm start` gives it. */
export const POOL: PoolOptions = { workers: 1, memoryBytes: 1536 * 2 ** 20 }
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 5000
/** Far more than any request takes of workerd. */
const HANG_TIMEOUT_MS = 60_000
/** Before its first answer workerd may use at least this much, however small the time-out is. */
const START_PROCESSOR_MS = 60_000
const MOST_CHECK_PAUSE_MS = 5000
/** Where there is no processor time to read, a tenth of the clock counts as processor time. */
const CLOCK_SHARE = 0.1
/** A question that is not answered within this time is asked again. */
const ASK_TIMEOUT_MS = 60_000

/** Offline, and without the observability that makes local requests ten times slower. */
const MINIFLARE_ENVIRONMENT = { X_LOCAL_OBSERVABILITY: 'false', X_LOCAL_EXPLORER: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

/** Compiled programs, kept for the next start; `node-version.mjs` names the same folder to the first process. */
const PARSED = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../../.dev/compiled') }

/**
 * Megabytes of V8's young generation. The parent of the presses makes little garbage for each job and lives for months: V8's default of
 * 16 would be 48 MB that it never gives back.
 */
const SMALL_GARBAGE = '--max-semi-space-size=4'

/** The secrets of one state folder, made once and readable by their owner only. */
export async function loadSecrets(file: string): Promise<{ file: string; adminToken: string }> {
  const known = await readFile(file, 'utf8').catch(() => undefined)
  const text =
    known ??
    [
      `SECRET_KEY=${randomBytes(32).toString('base64url')}`,
      `ADMIN_TOKEN=${randomBytes(32).toString('base64url')}`,
      'ENVIRONMENT=local',
      'LEASE_MS=30000',
      '',
    ].join('\n')
  // A state folder of an older release has no keys for receipts yet.
  const missing = /^RECEIPT_KEYS=/m.test(text) ? '' : `RECEIPT_KEYS=${newReceiptKeys()}\n`
  if (known === undefined || missing) await writeFile(file, text + missing, { mode: 0o600 })
  const adminToken = /^ADMIN_TOKEN=(.+)$/m.exec(text)?.[1]
  if (!adminToken) throw new Error(`${file} has no ADMIN_TOKEN; remove it to make a new one`)
  return { file, adminToken }
}

export class Service {
  readonly logFile: string
  readonly #options: ServiceOptions
  #child: ChildProcess | undefined
  #proxy: Server | undefined
  /** Miniflare's, behind the reverse proxy. */
  #innerPort = 0
  readonly #lastLines: string[] = []
  #ended!: (code: string) => void
  #gone: Promise<unknown> = Promise.resolve()
  #watchdog: Watchdog | undefined
  #hung = false
  /** Settles when the child is gone or hangs. */
  readonly exited = new Promise<string>((resolve) => {
    this.#ended = resolve
  })

  constructor(options: ServiceOptions) {
    this.#options = options
    this.logFile = join(options.state, 'service.log')
  }

  /** The child's process id; its group has the same. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** True if it ended because it hung. */
  get hung(): boolean {
    return this.#hung
  }

  /** The port it listens on, once started. */
  get port(): number {
    return (this.#proxy?.address() as AddressInfo | undefined)?.port ?? 0
  }

  /** Fires a cron trigger, which this machine does not do by itself: the hourly sweep, or the health check of all parts. */
  async fireCron(which: 'sweep' | 'look'): Promise<void> {
    const cron = which === 'look' ? '*/10 * * * *' : '17 * * * *'
    await fetch(`http://127.0.0.1:${this.#innerPort}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent(cron)}`).then((answer) =>
      answer.arrayBuffer(),
    )
  }

  /** Resolves when the service reports that all of its parts answer. */
  async start(): Promise<void> {
    const { root, port, host, publicUrl } = this.#options
    const inner = await freePort()
    this.#innerPort = inner
    // Taken first: a port that is only found free may belong to somebody else a moment later.
    this.#proxy = await openReverseProxy(port, inner, { host, publicUrl, onAnswer: () => this.#watchdog?.hear() }).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken; choose another with --port.`) : error
      },
    )
    const [program, ...words] = [...withParentDeathSignal(), process.execPath, SMALL_GARBAGE, join(root, 'src/local/serve.ts')]
    const child = spawn(program!, [...words, JSON.stringify(await this.#serveOptions())], {
      cwd: root,
      // A group of its own, which can be killed as one; and a pipe that closes when this process ends.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...PARSED, ...process.env, ...MINIFLARE_ENVIRONMENT, ...EDGE_ENVIRONMENT },
    })
    this.#child = child
    this.#gone = new Promise((resolve) => child.on('exit', resolve))
    child.on('exit', (code, signal) => this.#ended(signal ?? `code ${code}`))
    process.on('exit', () => this.#kill('SIGKILL'))
    this.#log(child)
    this.#watch(child.pid!, `http://127.0.0.1:${inner}/healthz`)
    await this.#untilHealthy(`http://127.0.0.1:${inner}/healthz`)
    this.#watchdog?.hear()
  }

  async #serveOptions(): Promise<ServeOptions> {
    const { root, state, inspectorPort, secretsFile, variablesFile, publicUrl, pool = POOL } = this.#options
    return {
      root,
      state,
      port: this.#innerPort,
      taskApiPort: await freePort(),
      ...(inspectorPort ? { inspectorPort } : {}),
      variableFiles: variablesFile ? [secretsFile, variablesFile] : [secretsFile],
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...pool,
    }
  }

  /** Ends the service when its workerd hangs. The presses are watched by their parent, each for itself. */
  #watch(group: number, url: string): void {
    const { hangTimeoutMs = HANG_TIMEOUT_MS } = this.#options
    const watched = { ask: () => hasAnswered(url), sample: () => workerdUsage(group) }
    const limits = { silentMs: hangTimeoutMs, startMs: START_PROCESSOR_MS }
    const everyMs = Math.min(MOST_CHECK_PAUSE_MS, hangTimeoutMs / 4)
    const watchdog = new Watchdog(watched, { limits, everyMs, startedMs: 0, clockShare: CLOCK_SHARE })
    this.#watchdog = watchdog
    void watchdog.verdict.then(() => {
      this.#hung = true
      this.#ended(`it answered nothing while it was busy for ${Math.round(watchdog.silence.usedMs / 1000)} s of processor time`)
    })
  }

  #log(child: ChildProcess): void {
    const file = new LogFile(this.logFile)
    child.once('close', () => file.close())
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream! }).on('line', (line) => {
        file.line(line)
        this.#lastLines.push(line)
        if (this.#lastLines.length > 40) this.#lastLines.shift()
        if (this.#options.verbose || /"level":"error"/.test(line)) console.error(line)
      })
    }
  }

  async #untilHealthy(url: string): Promise<void> {
    let gone = false
    void this.exited.then(() => {
      gone = true
    })
    for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; ) {
      if (gone) break
      const healthy = await isOk(url)
      if (healthy) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`The service did not come up:\n${this.#lastLines.join('\n')}`)
  }

  /** Asks the whole group to end, and kills it after five seconds. */
  async stop(): Promise<void> {
    this.#watchdog?.stop()
    this.#proxy?.close()
    this.#proxy?.closeAllConnections()
    if (!this.#child) return
    // A hung process does not react to SIGTERM.
    this.#kill(this.#hung ? 'SIGKILL' : 'SIGTERM')
    const late = new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS))
    await Promise.race([this.#gone, late])
    this.#kill('SIGKILL')
  }

  #kill(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      // The group is gone.
    }
  }
}

/** False also if the answer does not come in time, or stops half-way. */
async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

/** True if the Worker itself answers, whatever it says. Miniflare answers in its place when it is gone. */
async function hasAnswered(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })
    await answer.arrayBuffer()
    return answer.headers.has(REQUEST_ID)
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

/** A free port below those that systems give to outgoing connections (32768 and up), so that it is still free a moment later. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(16_384, 32_768)
    if (await isFree(port)) return port
  }
  throw new Error('No free port was found.')
}
