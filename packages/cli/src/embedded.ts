/** The embedded service: runs the Workers on this machine while the command runs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Server } from './config.ts'
import { CliError } from './trouble.ts'

/** Start timeout in milliseconds, a little longer than the service's own. */
const START_MS = 130_000
/** Most characters kept of the service's error output. */
const MAX_ERROR_CHARS = 4000

/**
 * Starts the Workers of this checkout on a free local port.
 * @throws Trouble if there is no checkout or the service does not start
 */
export async function startEmbedded(): Promise<Server & { stop(): void }> {
  const script = fileURLToPath(new URL('../../../src/local/start.ts', import.meta.url))
  if (!existsSync(script)) {
    throw new CliError(
      'usage',
      'No server is configured. Run whittle login, set WHITTLE_SERVER and WHITTLE_KEY, or run this command in a checkout of Whittle.',
    )
  }
  const state = process.env['WHITTLE_STATE'] ?? join(homedir(), '.local', 'share', 'whittle')
  const port = await freePort()
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const service = spawn(process.execPath, [script, '--port', String(port), '--state', state, '--embedded'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let errorOutput = ''
  service.stderr.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk).slice(-MAX_ERROR_CHARS)
  })
  // `close` fires after all error output has been read.
  let hasExited = false
  service.once('close', () => {
    hasExited = true
  })
  const stop = () => stopGroup(service)
  process.once('exit', stop)
  const baseUrl = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    if (hasExited) break
    const key = keyIn(join(state, 'keys.json'), baseUrl)
    if (
      key &&
      (await fetch(`${baseUrl}/healthz`).then(
        (response) => response.ok,
        () => false,
      ))
    )
      return { baseUrl, key, label: 'embedded', stop }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  stop()
  return useRunningService(state, service.pid, errorOutput.trim())
}

/**
 * Finds the service that holds the state folder. A service of `npm start` is used; another command's service ends with that command.
 * @throws Trouble if no service can be used
 */
async function useRunningService(state: string, ownPid: number | undefined, errorOutput: string): Promise<Server & { stop(): void }> {
  const holder = holderOf(state)
  if (!holder || holder.pid === ownPid) {
    throw new CliError('service', `The embedded service did not start: ${errorOutput || `see the log ${join(state, 'service.log')}`}`)
  }
  const baseUrl = `http://127.0.0.1:${holder.port}`
  const key = keyIn(join(state, 'keys.json'), baseUrl)
  if (key && !holder.embedded) return { baseUrl, key, label: 'embedded', stop: () => undefined }
  const owner = holder.embedded ? 'Another whittle command' : 'A service that is still starting'
  throw new CliError(
    'service',
    `${owner} (pid ${holder.pid}) uses the state folder ${state}. Wait until it has finished, or set WHITTLE_STATE to another folder.`,
  )
}

function holderOf(state: string): { pid: number; port: number; embedded: boolean } | undefined {
  try {
    return JSON.parse(readFileSync(join(state, 'service.json'), 'utf8')) as { pid: number; port: number; embedded: boolean }
  } catch {
    return undefined
  }
}

function keyIn(path: string, baseUrl: string): string | undefined {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as { base_url: string; keys: Record<string, string> }
    return file.base_url === baseUrl ? file.keys['enterprise'] : undefined
  } catch {
    return undefined
  }
}

/** Sends SIGTERM to the whole process group, so that no Worker process remains. */
function stopGroup(service: ChildProcess) {
  try {
    if (service.pid && service.exitCode === null) process.kill(-service.pid, 'SIGTERM')
  } catch {
    // The process group has ended already.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
