/** A checkout that deploys into a fake account: the real `npm run deploy`, with wrangler and the network replaced. */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '../../..')

/** State of the fake account. */
interface Account {
  accounts: string[]
  workers: Record<string, { versions: string[]; uploaded?: string[]; domains: string[] }>
  buckets: string[]
  /** Location of each bucket, by name. */
  locations?: Record<string, string>
  queues: string[]
  /** Lifecycle rules of each bucket. */
  rules?: Record<string, { conditions: { prefix: string }; deleteObjectsTransition?: { condition: { maxAge: number } } }[]>
  /** DNS addresses by type and name (`A whittle.example.com`), or the error code of the resolver. */
  records?: Record<string, string[] | string>
  /** Names of the edge's secrets. */
  secrets: string[]
  /** Values of secrets that were set. */
  values: string[]
  /** wrangler commands that fail. */
  broken: { command: string; name?: string; path: string; text: string; code: number }[]
  /** HTTP status of `/healthz`. */
  health: number
  /** Error message of Cloudflare's API when asked for the owner of a domain. `undefined`: it responds. */
  api?: string
}

export interface Call {
  command: string
  name?: string
  main?: string
  services?: string[]
  /** Queues that it produces to or consumes. */
  queues?: string[]
  /** Binding, name and jurisdiction of each bucket. */
  buckets?: string[]
  vars?: string[]
  domains?: string[]
  workersDev?: boolean
}

const live = (name: string, domains: string[] = []) => ({ [name]: { versions: [`${name}-v1`], domains } })

/** An account with Whittle deployed at a custom domain. */
export const PRODUCTION: Partial<Account> = {
  workers: { ...live('whittle-press'), ...live('whittle-media'), ...live('whittle', ['whittle.example.com']) },
  buckets: ['whittle-blobs'],
  queues: ['whittle-press-jobs', 'whittle-press-dead', 'whittle-media-jobs', 'whittle-media-dead'],
  secrets: ['SECRET_KEY', 'ADMIN_TOKEN', 'RECEIPT_KEYS'],
}

export class Checkout {
  readonly folder = mkdtempSync(join(tmpdir(), 'whittle-deploy-test-'))

  constructor(account: Partial<Account> = {}) {
    for (const name of [
      'tools/deploy',
      'src/local/budget.ts',
      'src/local/receipt-keys.ts',
      'src/local/node-version.mjs',
      'src/service/lanes.ts',
      'src/core/model/budget.ts',
      'src/service/store/regions.ts',
      'src/service/store/blob-names.ts',
      'package.json',
      'wrangler.toml',
      'deploy/wrangler.press.toml',
      'deploy/wrangler.media.toml',
      'deploy/wrangler.heavy.toml',
    ]) {
      cpSync(join(ROOT, name), join(this.folder, name), { recursive: true })
    }
    mkdirSync(join(this.folder, 'node_modules/wrangler/bin'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules/zod'), join(this.folder, 'node_modules/zod'))
    cpSync(join(import.meta.dirname, 'fake-wrangler.js'), join(this.folder, 'node_modules/wrangler/bin/wrangler.js'))
    writeFileSync(join(this.folder, 'node_modules/wrangler/package.json'), '{ "type": "module" }')
    const none: Account = { accounts: ['acc'], workers: {}, buckets: [], queues: [], secrets: [], values: [], broken: [], health: 200 }
    writeFileSync(join(this.folder, 'account.json'), JSON.stringify({ ...none, ...account }))
  }

  /** Appends text to a file of the checkout. */
  append(file: string, text: string): void {
    const before = existsSync(join(this.folder, file)) ? readFileSync(join(this.folder, file), 'utf8') : ''
    writeFileSync(join(this.folder, file), before + text)
  }

  /** Replaces text in a file of the checkout. @throws Error if the text is not found */
  replace(file: string, from: string, to: string): void {
    const before = readFileSync(join(this.folder, file), 'utf8')
    if (!before.includes(from)) throw new Error(`${file} has no ${from}`)
    writeFileSync(join(this.folder, file), before.replace(from, to))
  }

  /** Runs `npm run deploy -- …args` without a terminal, as in a CI pipeline. */
  deploy(...args: string[]): Promise<{ code: number | null; output: string }> {
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ACCOUNT: join(this.folder, 'account.json'),
      CALLS: join(this.folder, 'calls.jsonl'),
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'fake-fetch.js'))}`,
      CLOUDFLARE_ACCOUNT_ID: undefined,
    }
    return new Promise((done) => {
      const child = spawn(process.execPath, [join(this.folder, 'tools/deploy/deploy.ts'), ...args], { cwd: this.folder, env })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk
        })
      }
      child.once('close', (code) => done({ code, output }))
    })
  }

  get calls(): Call[] {
    const path = join(this.folder, 'calls.jsonl')
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
    return lines.map((line) => JSON.parse(line) as Call)
  }

  get deploys(): Call[] {
    return this.calls.filter(({ command }) => command === 'deploy')
  }

  get account(): Account {
    return JSON.parse(readFileSync(join(this.folder, 'account.json'), 'utf8')) as Account
  }

  read(file: string): { text: string; mode: number } {
    const path = join(this.folder, file)
    return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode & 0o777 }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
