/**
 * `npm run deploy`: makes the bucket, the queues and the secrets that are missing, then deploys the three Workers.
 * `--dry-run` bundles only, needs no account and no network, and prints each Worker's size.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
const root = resolve(import.meta.dirname, '..')

/** The edge last: it binds the other two. */
const WORKERS = ['wrangler.press.toml', 'wrangler.media.toml', 'wrangler.toml'] as const
const BUCKETS = ['whittle-blobs']
const QUEUES = ['whittle-press-jobs', 'whittle-press-dead', 'whittle-media-jobs', 'whittle-media-dead']
const SECRETS = ['SECRET_KEY', 'ADMIN_TOKEN'] as const
/** What a Worker's bundle may have after compression. */
const MAX_GZIP_KIB = 10 * 1024

if (values['dry-run']) dryRun()
else deploy()

function wrangler(command: readonly string[], input?: string): { ok: boolean; output: string } {
  const binary = join(root, 'node_modules/wrangler/bin/wrangler.js')
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CI: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...command], { cwd: root, env, input, encoding: 'utf8' })
  return { ok: status === 0, output: `${stdout}\n${stderr}` }
}

function must(command: readonly string[], input?: string): string {
  const { ok, output } = wrangler(command, input)
  if (ok) return output
  console.error(output)
  throw new Error(`wrangler ${command.join(' ')} failed`)
}

function dryRun(): void {
  const out = mkdtempSync(join(tmpdir(), 'whittle-deploy-'))
  let tooLarge = false
  try {
    for (const config of WORKERS) {
      const output = must(['deploy', '-c', config, '--dry-run', '--outdir', join(out, config)])
      const match = /Total Upload: ([\d.]+ \w+) \/ gzip: ([\d.]+) (\w+)/.exec(output)
      if (!match) throw new Error(`wrangler did not tell the size of ${config}:\n${output}`)
      const kib = Number(match[2]) * (match[3] === 'MiB' ? 1024 : 1)
      tooLarge ||= kib > MAX_GZIP_KIB
      console.log(`${nameOf(config).padEnd(16)} ${match[1]!.padStart(14)}   gzip ${kib.toFixed(0).padStart(6)} KiB`)
    }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
  if (tooLarge) throw new Error(`A Worker is larger than ${MAX_GZIP_KIB} KiB after gzip.`)
}

function deploy(): void {
  for (const bucket of BUCKETS) make(`bucket ${bucket}`, ['r2', 'bucket', 'create', bucket])
  for (const queue of QUEUES) make(`queue ${queue}`, ['queues', 'create', queue])
  const first = !wrangler(['deployments', 'list', '--name', nameOf('wrangler.toml')]).ok
  if (first) bootstrap()
  for (const config of WORKERS) {
    must(['deploy', '-c', config])
    console.log(`deployed ${nameOf(config)}`)
  }
  makeSecrets()
}

/** Creates what is not there yet. */
function make(what: string, command: readonly string[]): void {
  const { ok, output } = wrangler(command)
  if (ok) console.log(`made ${what}`)
  else if (/already (exists|taken|own)|is already/i.test(output)) console.log(`found ${what}`)
  else {
    console.error(output)
    throw new Error(`${what} could not be made`)
  }
}

/**
 * The Workers bind each other (Durable Objects one way, services the other), and a binding's target must exist: the very
 * first time the edge is deployed once without its services.
 */
function bootstrap(): void {
  const file = join(root, 'wrangler.bootstrap.toml')
  const text = readFileSync(join(root, 'wrangler.toml'), 'utf8').replace(/\[\[services\]\]\n(?:[^[\n][^\n]*\n)*/g, '')
  writeFileSync(file, text)
  try {
    must(['deploy', '-c', file])
    console.log('deployed the edge for the first time')
  } finally {
    rmSync(file)
  }
}

/** Secrets are random and made once; the operator's token is shown here and nowhere else. */
function makeSecrets(): void {
  const config = ['-c', 'wrangler.toml']
  const known = must(['secret', 'list', ...config])
  for (const name of SECRETS) {
    if (known.includes(`"${name}"`)) continue
    const value = randomBytes(32).toString('base64url')
    must(['secret', 'put', name, ...config], value)
    console.log(name === 'ADMIN_TOKEN' ? `made ADMIN_TOKEN, shown only now: ${value}` : `made ${name}`)
  }
}

function nameOf(config: string): string {
  return /^name = "(.+)"$/m.exec(readFileSync(join(root, config), 'utf8'))?.[1] ?? config
}
