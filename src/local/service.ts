/** The three Workers as one child process group: started, watched, and stopped without a rest. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { LogFile } from './log-file.ts'
import type { ServeOptions } from './options.ts'
import { processorMs } from './processor-time.ts'
import { newReceiptKeys } from './receipt-keys.ts'
import { MARK, openFront } from './reverse-proxy.ts'
import { Watchdog } from './watchdog.ts'
import { EDGE_ENVIRONMENT, WORKERD_ENVIRONMENT } from './workerd-flags.ts'

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
  /** Milliseconds of processor time without any answer, after which it hangs. Default: a minute. */
  readonly patienceMs?: number
  /** Presses as processes of their own. Without it all three Workers run inside workerd, as they do on Cloudflare. */
  readonly pool?: PoolOptions
}

export interface PoolOptions {
  /** Steps of the slow lane side by side. */
  readonly workers: number
  /** Of one press, in bytes. */
  readonly memoryBytes: number
  /** Path of FFmpeg; "none", or the first on the PATH. */
  readonly ffmpeg?: string
  /** SIGUSR2 to its process resets all Durable Objects. Default: it does not. */
  readonly resettable?: boolean
}

const CONFIGS = ['wrangler.toml', 'deploy/wrangler.press.toml', 'deploy/wrangler.media.toml']
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 5000
/** Far beyond the longest single call of any codec, and within what one job has. */
const PATIENCE_MS = 60_000
/** A service that is late with this is asked again meanwhile. */
const ASK_TIMEOUT_MS = 60_000
/** wrangler starts a new workerd then, behind a proxy that waits for the old one: every request would hang for ever. Workers' own lines are JSON. */
const CRASHED = /^[^{]*Workers runtime crashed/

/** Quiet, offline, and without the observability that slows local requests tenfold. */
const ENVIRONMENT = {
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CI: '1',
}

/** Programs that Node has parsed and compiled once, for the next start; `node-version.mjs` says the same to the first process. */
const PARSED = { NODE_COMPILE_CACHE: resolve(import.meta.dirname, '../.dev/compiled') }

/** Megabytes of V8's. The parent of the presses makes little garbage for each job, and lives for months: room for 16 is 48 MB that it never gives back. */
const SMALL_GARBAGE = '--max-semi-space-size=4'

/** The secrets of one state folder: made once, readable by their owner only, handed to wrangler as a file. */
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
  #front: Server | undefined
  /** wrangler's, behind the door. */
  #innerPort = 0
  readonly #lastLines: string[] = []
  #ended!: (code: string) => void
  #gone: Promise<unknown> = Promise.resolve()
  #watchdog: Watchdog | undefined
  #hung = false
  /** Settles when the child is gone, or has lost its workerd. */
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

  /** Was it ended because it hung? */
  get hung(): boolean {
    return this.#hung
  }

  /** The port it listens on, once started. */
  get port(): number {
    return (this.#front?.address() as AddressInfo | undefined)?.port ?? 0
  }

  /** Cron triggers do not fire by themselves here: the hourly one, or the one that looks whether all parts answer. */
  async fireCron(which: 'sweep' | 'look'): Promise<void> {
    const cron = which === 'look' ? '*/10 * * * *' : '17 * * * *'
    await fetch(`http://127.0.0.1:${this.#innerPort}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent(cron)}`).then((answer) =>
      answer.arrayBuffer(),
    )
  }

  /** Resolves when the service answers that all of its parts do. */
  async start(): Promise<void> {
    const { root, port, host, publicUrl, pool } = this.#options
    const inner = await freePort()
    this.#innerPort = inner
    // Held from the beginning: a port that is found free and taken later may be somebody else's by then.
    this.#front = await openFront(port, inner, { host, publicUrl, onAnswer: () => this.#watchdog?.hear() }).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken; choose another with --port.`) : error
      },
    )
    const program = pool ? await this.#withPool(pool, inner) : await this.#withWrangler(inner)
    const child = spawn(process.execPath, [join(import.meta.dirname, 'leash.ts'), ...program], {
      cwd: root,
      // A group of its own, so that nothing of it survives; and a pipe that ends when this process does.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...PARSED, ...process.env, ...ENVIRONMENT, ...(pool ? EDGE_ENVIRONMENT : WORKERD_ENVIRONMENT) },
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

  /** All three Workers inside workerd, under `wrangler dev`. */
  async #withWrangler(inner: number): Promise<string[]> {
    const { root, state, inspectorPort, secretsFile, variablesFile, publicUrl } = this.#options
    const inspector = inspectorPort || (await freePort())
    const flags = ['--ip', '127.0.0.1', '--port', `${inner}`, '--inspector-port', `${inspector}`, '--persist-to', state]
    const quiet = ['--env-file', secretsFile, '--show-interactive-dev-session=false']
    if (variablesFile) quiet.push('--env-file', variablesFile)
    if (publicUrl) quiet.push('--var', `PUBLIC_URL:${publicUrl}`)
    const configs = CONFIGS.flatMap((config) => ['-c', config])
    return [join(root, 'node_modules/wrangler/bin/wrangler.js'), 'dev', ...configs, ...flags, ...quiet]
  }

  /** The edge inside workerd, the presses as processes beside it. */
  async #withPool(pool: PoolOptions, inner: number): Promise<string[]> {
    const { root, state, inspectorPort, secretsFile, variablesFile, publicUrl } = this.#options
    const options: ServeOptions = {
      root,
      state,
      port: inner,
      doorPort: await freePort(),
      ...(inspectorPort ? { inspectorPort } : {}),
      variableFiles: variablesFile ? [secretsFile, variablesFile] : [secretsFile],
      ...(publicUrl === undefined ? {} : { publicUrl }),
      ...pool,
    }
    return [SMALL_GARBAGE, join(root, 'src/local/serve.ts'), JSON.stringify(options)]
  }

  #watch(group: number, url: string): void {
    const watched = { ask: () => isThere(url), processorMs: () => processorMs(group) }
    const watchdog = new Watchdog(watched, this.#options.patienceMs ?? PATIENCE_MS)
    this.#watchdog = watchdog
    void watchdog.hung.then((why) => {
      this.#hung = true
      this.#ended(why)
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
        if (CRASHED.test(line)) this.#ended('workerd crashed')
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

  /** Asks the whole group to end, then makes it. */
  async stop(): Promise<void> {
    this.#watchdog?.stop()
    this.#front?.close()
    this.#front?.closeAllConnections()
    if (!this.#child) return
    // What hangs hears no signal.
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

/** A service that is late, even in the middle of its answer, is not up yet. */
async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

/** Does the Worker itself answer, whatever it says? wrangler answers in its place when it is gone. */
async function isThere(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ASK_TIMEOUT_MS) })
    await answer.arrayBuffer()
    return answer.headers.has(MARK)
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

/** Below the ports that systems give to connections by themselves (32768 and up): what is free now is free in a moment. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(16_384, 32_768)
    if (await isFree(port)) return port
  }
  throw new Error('No free port was found.')
}
