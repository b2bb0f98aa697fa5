/**
 * `npm run deploy`: makes the bucket, the queues and the secrets that are missing, then deploys the three Workers.
 * `--env staging` makes a second Whittle beside it: every name gets `-staging`.
 * `--dry-run` bundles only, needs no account and no network, and prints each Worker's size.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false }, env: { type: 'string', default: '' } } })
if (values.env && !/^[a-z][a-z0-9]{0,19}$/.test(values.env)) throw new Error('--env takes a short word of lower-case letters and digits.')
const root = resolve(import.meta.dirname, '..')
const suffix = values.env && `-${values.env}`

/** The edge last: it binds the other two. */
const EDGE = 'wrangler.toml'
const WORKERS = ['wrangler.press.toml', 'wrangler.media.toml', EDGE] as const
const BUCKETS = ['whittle-blobs']
const QUEUES = ['whittle-press-jobs', 'whittle-press-dead', 'whittle-media-jobs', 'whittle-media-dead']
/** What wrangler is given: it finds a Worker's files from where its configuration lies. Removed in the end. */
const SCRATCH = join(root, 'wrangler.deploy.toml')
const SECRETS = ['SECRET_KEY', 'ADMIN_TOKEN'] as const
/** What a Worker's bundle may have after compression. */
const MAX_GZIP_KIB = 10 * 1024

try {
  if (values['dry-run']) dryRun()
  else deploy()
} finally {
  rmSync(SCRATCH, { force: true })
}

/** The configuration with the environment's names. */
function read(config: string): string {
  return readFileSync(join(root, config), 'utf8').replace(/"(whittle(?:-[a-z]+)*)"/g, `"$1${suffix}"`)
}

/** Lays out the configuration for wrangler. */
function laidOut(text: string): string {
  writeFileSync(SCRATCH, text)
  return SCRATCH
}

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
      const output = must(['deploy', '-c', laidOut(read(config)), '--dry-run', '--outdir', join(out, config)])
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
  for (const bucket of BUCKETS.map((name) => name + suffix)) make(`bucket ${bucket}`, ['r2', 'bucket', 'create', bucket])
  for (const queue of QUEUES.map((name) => name + suffix)) make(`queue ${queue}`, ['queues', 'create', queue])
  const first = !wrangler(['deployments', 'list', '--name', nameOf(EDGE)]).ok
  if (first) bootstrap()
  for (const config of WORKERS) {
    must(['deploy', '-c', laidOut(read(config))])
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
  must(['deploy', '-c', laidOut(read(EDGE).replace(/\[\[services\]\]\n(?:[^[\n][^\n]*\n)*/g, ''))])
  console.log('deployed the edge for the first time')
}

/** Secrets are random and made once; the operator's token is shown here and nowhere else. */
function makeSecrets(): void {
  const config = ['-c', laidOut(read(EDGE))]
  const known = must(['secret', 'list', ...config])
  for (const name of SECRETS) {
    if (known.includes(`"${name}"`)) continue
    const value = randomBytes(32).toString('base64url')
    must(['secret', 'put', name, ...config], value)
    console.log(name === 'ADMIN_TOKEN' ? `made ADMIN_TOKEN, shown only now: ${value}` : `made ${name}`)
  }
}

function nameOf(config: string): string {
  return /^name = "(.+)"$/m.exec(read(config))?.[1] ?? config
}
