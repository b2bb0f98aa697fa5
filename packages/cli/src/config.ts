/** Where the service is and which key opens it: flags, then environment, then a file, then the embedded service. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Trouble } from './trouble.ts'

export interface Server {
  readonly baseUrl: string
  readonly key: string
  /** Name for the journal: the embedded service has another port each time and is still the same. */
  readonly label: string
}

interface ConfigFile {
  server?: string
  key?: string
}

/** `$XDG_CONFIG_HOME/whittle/config.json` or `~/.config/whittle/config.json`: `{ "server": "https://…", "key": "whl_live_…" }`. */
export function configPath(): string {
  return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'whittle', 'config.json')
}

/** undefined: no server was named, so the embedded one is meant. */
export function findServer(flags: { server?: string; key?: string }): Server | undefined {
  const file = readConfig()
  const baseUrl = flags.server || process.env['WHITTLE_SERVER'] || file.server
  const key = flags.key || process.env['WHITTLE_KEY'] || file.key
  if (!baseUrl) return undefined
  if (!key) throw new Trouble('usage', `There is no key for ${baseUrl}: run whittle login, or set WHITTLE_KEY or --key.`)
  return serverAt(baseUrl, key)
}

/** @throws Trouble where the address is none */
export function serverAt(baseUrl: string, key: string): Server {
  const scheme = URL.canParse(baseUrl) ? new URL(baseUrl).protocol : undefined
  if (scheme !== 'https:' && scheme !== 'http:') {
    throw new Trouble('usage', `The server '${baseUrl}' is no URL that begins with https:// or http://.`)
  }
  const trimmed = baseUrl.replace(/\/+$/, '')
  return { baseUrl: trimmed, key, label: trimmed }
}

/** For whoever uses the command after this; nobody else of this machine may read it. */
export function remember({ baseUrl, key }: Server): void {
  mkdirSync(dirname(configPath()), { recursive: true, mode: 0o700 })
  writeFileSync(configPath(), `${JSON.stringify({ ...readConfig(), server: baseUrl, key }, null, 2)}\n`, { mode: 0o600 })
  // The mode above counts for new files alone.
  chmodSync(configPath(), 0o600)
}

/** @returns whether there was something to forget */
export function forget(): boolean {
  const had = existsSync(configPath())
  rmSync(configPath(), { force: true })
  return had
}

function readConfig(): ConfigFile {
  const path = configPath()
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ConfigFile
  } catch (error) {
    throw new Trouble('usage', `${path} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
}
