/** Runs wrangler and parses its output. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export interface Answer {
  readonly ok: boolean
  readonly stdout: string
  /** Standard output and standard error. */
  readonly output: string
}

export class Wrangler {
  readonly #root: string
  readonly #env: NodeJS.ProcessEnv

  constructor(root: string, accountId: string | undefined) {
    this.#root = root
    const settings = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CI: '1' }
    // CLOUDFLARE_ENV would change the names of the Workers again.
    this.#env = { ...process.env, ...settings, CLOUDFLARE_ENV: undefined, ...(accountId ? { CLOUDFLARE_ACCOUNT_ID: accountId } : {}) }
  }

  run(command: readonly string[], input?: string): Answer {
    const binary = join(this.#root, 'node_modules/wrangler/bin/wrangler.js')
    const options = { cwd: this.#root, env: this.#env, input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...command], options)
    return { ok: status === 0, stdout, output: `${stdout}\n${stderr}` }
  }

  /** Runs wrangler. @throws Error with its output if it fails */
  must(command: readonly string[], input?: string): Answer {
    const result = this.run(command, input)
    if (!result.ok) throw new Error(`wrangler ${command.join(' ')} failed:\n${result.output.trim()}`)
    return result
  }

  /** Creates a resource if it does not exist. */
  make(what: string, command: readonly string[]): void {
    const { ok, output } = this.run(command)
    if (ok) console.log(`created ${what}`)
    else if (/already (exists|taken|own)|is already/i.test(output)) console.log(`found ${what}`)
    else throw new Error(`${what} could not be created:\n${output.trim()}`)
  }

  /**
   * Checks if a Worker exists, and finds the version that serves most of its requests.
   * @throws Error if wrangler fails for another reason, because an outage must not be mistaken for a missing Worker
   */
  live(name: string): { exists: boolean; version?: string } {
    const { ok, stdout, output } = this.run(['deployments', 'list', '--name', name, '--json'])
    if (ok) return { exists: true, ...newestVersion(stdout) }
    if (/\[code: 10007\]|Worker does not exist/i.test(output)) return { exists: false }
    throw new Error(`Could not check if ${name} is deployed. Nothing was deployed:\n${output.trim()}`)
  }
}

interface Deployment {
  created_on: string
  versions: { version_id: string; percentage: number }[]
}

function newestVersion(json: string): { version?: string } {
  const deployments = JSON.parse(json.slice(Math.max(0, json.indexOf('[')))) as Deployment[]
  const newest = deployments.sort((a, b) => a.created_on.localeCompare(b.created_on)).at(-1)
  const version = newest?.versions.sort((a, b) => a.percentage - b.percentage).at(-1)?.version_id
  return version === undefined ? {} : { version }
}
