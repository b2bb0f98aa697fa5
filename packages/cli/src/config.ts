/** Finds the address and key of the service: flags, then environment, then the configuration file. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError } from './trouble.ts'

export interface Server {
  readonly baseUrl: string
  readonly key: string
  /** Name of the service in the journal. */
  readonly label: string
}

interface ConfigFile {
  server?: string
  key?: string
}

/**
 * Path of the configuration file: `$XDG_CONFIG_HOME/whittle/config.json` or `~/.config/whittle/config.json`. Content: `{ "server":
 * "https://…", "key": "whl_live_…" }`.
 */
export function configPath(): string {
  return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'whittle', 'config.json')
}

/**
 * Address and key. `undefined`: no server is configured, so files are compressed in this process.
 * @throws Trouble if a server has no key, or its address is invalid
 */
export function findServer(flags: { server?: string; key?: string }): Server | undefined {
  const file = readConfig()
  const baseUrl = flags.server || process.env['WHITTLE_SERVER'] || file.server
  const key = flags.key || process.env['WHITTLE_KEY'] || file.key
  if (!baseUrl) return undefined
  if (!key) throw new CliError('usage', `No API key for ${baseUrl}. Run whittle login, set WHITTLE_KEY, or pass --key.`)
  return parseServer(baseUrl, key)
}

/** Checks the address. @throws Trouble if it is no http or https URL */
export function parseServer(baseUrl: string, key: string): Server {
  const scheme = URL.canParse(baseUrl) ? new URL(baseUrl).protocol : undefined
  if (scheme !== 'https:' && scheme !== 'http:') {
    throw new CliError('usage', `Invalid server '${baseUrl}': expected a URL that begins with https:// or http://.`)
  }
  const trimmed = baseUrl.replace(/\/+$/, '')
  return { baseUrl: trimmed, key, label: trimmed }
}

/** Saves address and key for later commands, readable by the owner only. */
export function saveServer({ baseUrl, key }: Server): void {
  mkdirSync(dirname(configPath()), { recursive: true, mode: 0o700 })
  writeFileSync(configPath(), `${JSON.stringify({ ...readConfig(), server: baseUrl, key }, null, 2)}\n`, { mode: 0o600 })
  // The mode of `writeFileSync` applies only to new files.
  chmodSync(configPath(), 0o600)
}

/** Deletes the saved address and key. @returns true if there was a file */
export function deleteSavedServer(): boolean {
  const existed = existsSync(configPath())
  rmSync(configPath(), { force: true })
  return existed
}

function readConfig(): ConfigFile {
  const path = configPath()
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ConfigFile
  } catch (error) {
    throw new CliError('usage', `${path} is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}
