/** The embedded service: the same Workers on this machine, for as long as the command runs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Server } from './config.ts'
import { Trouble } from './trouble.ts'

/** A little longer than the service itself waits for its parts. */
const START_MS = 130_000
/** Of what the service says when it cannot start. */
const MAX_SAID = 4000

/** Starts the Workers of this checkout on a free port of loopback. */
export async function startEmbedded(): Promise<Server & { stop(): void }> {
  const script = fileURLToPath(new URL('../../../src/local/start.ts', import.meta.url))
  if (!existsSync(script)) {
    throw new Trouble('usage', 'No server is named. Set WHITTLE_SERVER and WHITTLE_KEY, or run this from a checkout of Whittle.')
  }
  const state = process.env['WHITTLE_STATE'] ?? join(homedir(), '.local', 'share', 'whittle')
  const port = await freePort()
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const service = spawn(process.execPath, [script, '--port', String(port), '--state', state, '--embedded'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let said = ''
  service.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-MAX_SAID)
  })
  // Not before all that it said has come.
  let isGone = false
  service.once('close', () => {
    isGone = true
  })
  const stop = () => stopGroup(service)
  process.once('exit', stop)
  const baseUrl = `http://127.0.0.1:${port}`
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    if (isGone) break
    const key = keyIn(join(state, 'keys.json'), baseUrl)
    if (
      key &&
      (await fetch(`${baseUrl}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      ))
    )
      return { baseUrl, key, label: 'embedded', stop }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  stop()
  return running(state, service.pid, said.trim())
}

/** Two services cannot have one folder: that of `npm start` serves this command as well, another command's ends with it. */
async function running(state: string, ownPid: number | undefined, said: string): Promise<Server & { stop(): void }> {
  const holder = holderOf(state)
  if (!holder || holder.pid === ownPid) {
    throw new Trouble('service', `The embedded service did not start: ${said || `its log is ${join(state, 'service.log')}`}`)
  }
  const baseUrl = `http://127.0.0.1:${holder.port}`
  const key = keyIn(join(state, 'keys.json'), baseUrl)
  if (key && !holder.embedded) return { baseUrl, key, label: 'embedded', stop: () => undefined }
  const who = holder.embedded ? 'Another whittle command' : 'A service that is only starting'
  throw new Trouble('service', `${who} (pid ${holder.pid}) uses ${state}. Wait for it, or name another folder in WHITTLE_STATE.`)
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

/** SIGTERM to the whole group, so that no Worker process stays behind. */
function stopGroup(service: ChildProcess) {
  try {
    if (service.pid && service.exitCode === null) process.kill(-service.pid, 'SIGTERM')
  } catch {
    // It has gone by itself.
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
