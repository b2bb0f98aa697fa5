/** Runs wrangler, and reads what it answers. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export interface Answer {
  readonly ok: boolean
  readonly stdout: string
  /** Everything that was printed. */
  readonly output: string
}

export class Wrangler {
  readonly #root: string
  readonly #env: NodeJS.ProcessEnv

  constructor(root: string, accountId: string | undefined) {
    this.#root = root
    const own = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CI: '1' }
    // CLOUDFLARE_ENV would rename the Workers once more.
    this.#env = { ...process.env, ...own, CLOUDFLARE_ENV: undefined, ...(accountId ? { CLOUDFLARE_ACCOUNT_ID: accountId } : {}) }
  }

  run(command: readonly string[], input?: string): Answer {
    const binary = join(this.#root, 'node_modules/wrangler/bin/wrangler.js')
    const options = { cwd: this.#root, env: this.#env, input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...command], options)
    return { ok: status === 0, stdout, output: `${stdout}\n${stderr}` }
  }

  /** @throws Error with what wrangler said, when it fails. */
  must(command: readonly string[], input?: string): Answer {
    const answer = this.run(command, input)
    if (!answer.ok) throw new Error(`wrangler ${command.join(' ')} failed:\n${answer.output.trim()}`)
    return answer
  }

  /** Creates what is not there yet. */
  make(what: string, command: readonly string[]): void {
    const { ok, output } = this.run(command)
    if (ok) console.log(`made ${what}`)
    else if (/already (exists|taken|own)|is already/i.test(output)) console.log(`found ${what}`)
    else throw new Error(`${what} could not be made:\n${output.trim()}`)
  }

  /**
   * Whether a Worker is there, and the version that most of its requests get.
   * @throws Error when the answer is neither: an outage is no reason to take a live Worker for a new one.
   */
  live(name: string): { exists: boolean; version?: string } {
    const { ok, stdout, output } = this.run(['deployments', 'list', '--name', name, '--json'])
    if (ok) return { exists: true, ...newestVersion(stdout) }
    if (/\[code: 10007\]|Worker does not exist/i.test(output)) return { exists: false }
    throw new Error(`Whether ${name} is deployed could not be found out; nothing was deployed:\n${output.trim()}`)
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
