/**
 * `npm run dev [-- --port 8787 --state FOLDER]`: runs `wrangler dev` with all three Workers and their codecs inside workerd, as on
 * Cloudflare. Wrangler rebuilds the Workers when a source file changes. State, secrets and keys are those of `npm start`, which must
 * not use the same folder at the same time.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { provisionDevelopmentAccount } from '../src/local/development-account.ts'
import { useParentDeathSignalForWorkerd, withParentDeathSignal } from '../src/local/parent-death-signal.ts'
import { openReverseProxy } from '../src/local/reverse-proxy.ts'
import { loadSecrets } from '../src/local/secrets.ts'
import { freePort } from '../src/local/service.ts'
import { lockState } from '../src/local/state-lock.ts'
import { CODEC_V8_ENVIRONMENT } from '../src/local/workerd-flags.ts'

const ROOT = resolve(import.meta.dirname, '..')
const CONFIGS = ['wrangler.toml', 'deploy/wrangler.press.toml', 'deploy/wrangler.media.toml']
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 5000

/** Settings of Miniflare: no network access, and no local observability, which makes requests ten times slower. */
const ENVIRONMENT = {
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  ...CODEC_V8_ENVIRONMENT,
}

interface DevOptions {
  readonly state: string
  readonly secretsFile: string
  readonly port: number
}

/** Starts wrangler in a process group of its own. `quiet`: prints nothing. */
async function spawnWrangler({ state, secretsFile, port }: DevOptions, quiet: boolean): Promise<ChildProcess> {
  const inspector = `${await freePort()}`
  const flags = ['--ip', '127.0.0.1', '--port', `${port}`, '--inspector-port', inspector, '--persist-to', state, '--env-file', secretsFile]
  const configs = CONFIGS.flatMap((config) => ['-c', config])
  const wrangler = [
    '--no-warnings',
    // `bin/wrangler.js` would start this program as a child process, which survives a kill.
    join(ROOT, 'node_modules/wrangler/wrangler-dist/cli.js'),
    'dev',
    ...configs,
    ...flags,
    '--show-interactive-dev-session=false',
  ]
  useParentDeathSignalForWorkerd()
  const [program, ...words] = [...withParentDeathSignal(), process.execPath, ...wrangler]
  return spawn(program!, words, {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', quiet ? 'ignore' : 'inherit'],
    env: { ...process.env, ...ENVIRONMENT, ...(quiet && { CI: '1' }) },
  })
}

async function untilHealthy(child: ChildProcess, base: string): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline && child.exitCode === null; await sleep(100)) {
    const healthy = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.ok,
      () => false,
    )
    if (healthy) return
  }
  throw new Error(`wrangler dev was not ready within ${START_TIMEOUT_MS / 1000} s, or ended`)
}

async function stopGroup(child: ChildProcess): Promise<void> {
  const exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal)
    } catch {
      // The process group has ended already.
    }
  }
  kill('SIGTERM')
  await Promise.race([exit, sleep(STOP_TIMEOUT_MS)])
  kill('SIGKILL')
}

export interface WranglerDev {
  readonly baseUrl: string
  /** Process id, which is also the id of its process group. */
  readonly pid: number
  readonly adminToken: string
  stop(): Promise<void>
}

/**
 * Starts `wrangler dev` for tests and measurements. Requests go through the local reverse proxy, which repeats those that wrangler
 * loses.
 */
export async function startWranglerDev(state: string): Promise<WranglerDev> {
  const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const innerPort = await freePort()
  const port = await freePort()
  const child = await spawnWrangler({ state, secretsFile, port: innerPort }, true)
  const proxy = await openReverseProxy(port, innerPort)
  const stop = async () => {
    proxy.close().closeAllConnections()
    await stopGroup(child)
  }
  const baseUrl = `http://127.0.0.1:${port}`
  try {
    await untilHealthy(child, baseUrl)
    return { baseUrl, pid: child.pid!, adminToken, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8787' }, state: { type: 'string', default: '.dev/state' } } })
  const [port, state] = [Number(values.port), resolve(ROOT, values.state)]
  await lockState(state, { pid: process.pid, port, embedded: false })
  const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const child = await spawnWrangler({ state, secretsFile, port }, false)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stopGroup(child))
  child.on('exit', (code) => process.exit(code ?? 0))
  const base = `http://127.0.0.1:${port}`
  await untilHealthy(child, base)
  const existing = await import(join(state, 'keys.json'), { with: { type: 'json' } })
    .then(({ default: keys }) => keys)
    .catch(() => undefined)
  const keys = await provisionDevelopmentAccount(base, adminToken, existing)
  await writeFile(join(state, 'keys.json'), `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  console.log(`\nwrangler dev listens on ${base}\n  key  ${keys.keys.enterprise}   (others: ${join(state, 'keys.json')})`)
}
