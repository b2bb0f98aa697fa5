/**
 * `npm run deploy`: creates missing buckets, queues and secrets, deploys the three Workers, and checks their health.
 *
 * `--domain whittle.example.com` deploys the edge to a custom domain.
 * `--replace-dns` allows it to replace an existing DNS record.
 * `--gradual` sends 5 % of the calls to new versions of press and media for five minutes (`--soak SECONDS`), then all.
 * `--heavy` adds containers for jobs that do not fit an isolate (docs/decisions/containers.md). Needs Docker.
 * `--env staging` deploys a second Whittle, with `-staging` in every name.
 * `--dry-run` only bundles and prints the size of each Worker. Needs no account and no network.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { newReceiptKeys } from '../../src/local/receipt-keys.ts'
import type { Region } from '../../src/service/store/regions.ts'
import {
  configurationOf,
  EDGE,
  HEAVY,
  nameOf,
  SERVICES,
  STUB,
  stubConfiguration,
  withDomain,
  withLogShare,
  withoutAddress,
  withTraces,
  withVariable,
} from './configuration.ts'
import { assertLeadsNowhere, isFree } from './domain.ts'
import { sickness } from './health.ts'
import { LIFECYCLE } from './lifecycle.ts'
import { queueNames, withHeavy, withQueues } from './queues.ts'
import { type Bucket, bucketsIn, jurisdictionOf, placeOf, withRegion, withRegions } from './regions.ts'
import { goBack, rollOut } from './roll-out.ts'
import { readSettings } from './settings.ts'
import { Wrangler } from './wrangler.ts'

const root = resolve(import.meta.dirname, '../..')
/** Temporary configuration for wrangler, which resolves paths relative to it. Removed at the end. */
const TEMPORARY_CONFIG = join(root, 'wrangler.deploy.toml')
const STUB_MAIN = 'wrangler.deploy.mjs'
const RULES = 'wrangler.deploy.json'
const randomText = () => randomBytes(32).toString('base64url')
const SECRETS = { SECRET_KEY: randomText, ADMIN_TOKEN: randomText, RECEIPT_KEYS: () => newReceiptKeys() }
/** Most KiB of a Worker's bundle after gzip. */
const MAX_GZIP_KIB = 10 * 1024

try {
  const settings = readSettings(root, process.argv.slice(2))
  const { suffix, shards, logShare, regions, traces } = settings
  const wrangler = new Wrangler(root, settings.accountId)
  const observed = (configuration: string) => withTraces(withLogShare(configuration, logShare), traces)
  const common = (configuration: string) => observed(withRegions(configuration, regions, suffix))
  const configured = (file: string) => common(withQueues(configurationOf(root, file, suffix), shards, suffix))
  const services = SERVICES.map(configured)
  const containers = settings.heavy ? [common(configurationOf(root, HEAVY, suffix))] : []
  const edgeWithRegion = withRegion(configured(EDGE), settings.region)
  const edgeWithGuests = settings.guests ? withVariable(edgeWithRegion, 'GUESTS', 'on') : edgeWithRegion
  const edge = settings.heavy ? withHeavy(edgeWithGuests, suffix) : edgeWithGuests
  if (settings.dryRun) dryRun(wrangler, [...services, ...containers, settings.domain ? withDomain(edge, settings.domain) : edge])
  else await deploy({ ...settings, wrangler, services, containers, edge })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  for (const file of [TEMPORARY_CONFIG, join(root, STUB_MAIN), join(root, RULES)]) rmSync(file, { force: true })
}

interface Deployment {
  readonly wrangler: Wrangler
  readonly suffix: string
  readonly shards: number
  readonly regions: readonly Region[]
  readonly domain: string | undefined
  readonly replaceDns: boolean
  readonly accountId: string | undefined
  readonly waitSeconds: number
  readonly gradual: boolean
  readonly soakSeconds: number
  /** Configurations of press and media. */
  readonly services: readonly string[]
  /** Configuration of `whittle-heavy`, if `--heavy` is set. */
  readonly containers: readonly string[]
  readonly edge: string
}

/** Workers that existed before the deployment, by name. */
type Before = ReadonlyMap<string, { readonly exists: boolean; readonly version?: string }>

async function deploy(deployment: Deployment): Promise<void> {
  const { wrangler, suffix, shards, regions, domain, accountId, services, containers, edge } = deployment
  // All checks that can refuse the deployment run before anything is created.
  const isNewDomain = domain !== undefined && (await isFree(domain, nameOf(edge), wrangler, accountId))
  if (isNewDomain && !deployment.replaceDns) await assertLeadsNowhere(domain)
  const before: Before = new Map(
    [...services, ...containers, edge].map((configuration) => [nameOf(configuration), wrangler.live(nameOf(configuration))]),
  )
  for (const bucket of bucketsIn(regions, suffix)) {
    wrangler.make(`bucket ${bucket.name}`, ['r2', 'bucket', 'create', bucket.name, ...placeOf(bucket)])
    setLifecycle(wrangler, bucket)
  }
  for (const queue of queueNames(shards, suffix, containers.length > 0)) wrangler.make(`queue ${queue}`, ['queues', 'create', queue])
  const isFirst = !before.get(nameOf(edge))?.exists
  if (isFirst)
    bootstrap(
      deployment,
      services.filter((service) => !before.get(nameOf(service))?.exists),
    )
  makeSecrets(wrangler, edge)
  if (deployment.gradual && !isNewDomain && canShareCalls([...services, edge], before)) await gradually(deployment, before)
  else for (const service of services) deployWorker(wrangler, service)
  for (const container of containers) deployWorker(wrangler, container)
  const output = deployWorker(wrangler, domain ? withDomain(edge, domain) : edge)
  const baseUrl = domain ? `https://${domain}` : /https:\/\/[\w.-]+\.workers\.dev/.exec(output)?.[0]
  if (!baseUrl) return console.log('wrangler printed no address of the edge. Check its /healthz yourself.')
  const problem = await sickness(baseUrl, deployment.waitSeconds)
  if (problem === undefined) return console.log(`${baseUrl}/healthz is healthy`)
  const versions = isFirst || isNewDomain ? [] : [...before].map(([name, { version }]) => ({ name, version }))
  throw new Error(`${baseUrl}/healthz is not healthy: ${problem}\n${goBack(wrangler, versions)}`)
}

/** True if every Worker has a version, so that a new one can share its calls. */
function canShareCalls(configurations: readonly string[], before: Before): boolean {
  return configurations.every((configuration) => before.get(nameOf(configuration))?.version !== undefined)
}

async function gradually({ wrangler, services, domain, soakSeconds }: Deployment, before: Before): Promise<void> {
  const current = services.map((configuration) => ({ configuration, version: before.get(nameOf(configuration))!.version! }))
  await rollOut({ wrangler, scratch: TEMPORARY_CONFIG, services: current, baseUrl: `https://${domain}`, soakSeconds })
}

/** Replaces all lifecycle rules of the bucket. */
function setLifecycle(wrangler: Wrangler, bucket: Bucket): void {
  const file = join(root, RULES)
  writeFileSync(file, JSON.stringify(LIFECYCLE))
  wrangler.must(['r2', 'bucket', 'lifecycle', 'set', bucket.name, '--file', file, ...jurisdictionOf(bucket), '--force'])
  console.log(`set the lifecycle rules of ${bucket.name}`)
}

/** Deploys a configuration. @returns the output of wrangler */
function deployWorker(wrangler: Wrangler, configuration: string): string {
  writeFileSync(TEMPORARY_CONFIG, configuration)
  const { output } = wrangler.must(['deploy', '-c', TEMPORARY_CONFIG])
  console.log(`deployed ${nameOf(configuration)}`)
  return output
}

/**
 * First deployment: the Workers bind each other (the edge its services, and these its Durable Objects), and the target of a binding
 * must exist. So stubs of the services and an edge without an address are deployed first.
 */
function bootstrap({ wrangler, edge }: Deployment, missing: readonly string[]): void {
  writeFileSync(join(root, STUB_MAIN), STUB)
  for (const service of missing) deployWorker(wrangler, stubConfiguration(service, STUB_MAIN))
  deployWorker(wrangler, withoutAddress(edge))
}

/** Creates missing secrets with random values, before code that needs them is live. */
function makeSecrets(wrangler: Wrangler, edge: string): void {
  writeFileSync(TEMPORARY_CONFIG, edge)
  const existing = wrangler.must(['secret', 'list', '-c', TEMPORARY_CONFIG]).stdout
  for (const [name, make] of Object.entries(SECRETS)) {
    if (existing.includes(`"${name}"`)) continue
    const value = make()
    wrangler.must(['secret', 'put', name, '-c', TEMPORARY_CONFIG], value)
    console.log(name === 'ADMIN_TOKEN' ? `created ADMIN_TOKEN, ${deliverToken(value, nameOf(edge))}` : `created ${name}`)
  }
}

/** Shows the admin token only at a terminal. Output of a CI pipeline is stored and read by others, so it goes to a file there. */
function deliverToken(token: string, edge: string): string {
  if (process.stdout.isTTY && !process.env['CI']) return `shown only once: ${token}`
  const file = join('.dev', `${edge}.admin-token`)
  mkdirSync(join(root, '.dev'), { recursive: true })
  writeFileSync(join(root, file), `${token}\n`, { mode: 0o600 })
  return `saved in ${file}. If the file is lost, \`npx wrangler secret put ADMIN_TOKEN --name ${edge}\` sets another`
}

function dryRun(wrangler: Wrangler, configurations: readonly string[]): void {
  const out = mkdtempSync(join(tmpdir(), 'whittle-deploy-'))
  let isTooLarge = false
  try {
    for (const configuration of configurations) {
      writeFileSync(TEMPORARY_CONFIG, configuration)
      const name = nameOf(configuration)
      const { output } = wrangler.must(['deploy', '-c', TEMPORARY_CONFIG, '--dry-run', '--outdir', join(out, name)])
      const match = /Total Upload: ([\d.]+ \w+) \/ gzip: ([\d.]+) (\w+)/.exec(output)
      if (!match) throw new Error(`wrangler printed no size of ${name}:\n${output}`)
      const kib = Number(match[2]) * (match[3] === 'MiB' ? 1024 : 1)
      isTooLarge ||= kib > MAX_GZIP_KIB
      console.log(`${name.padEnd(16)} ${match[1]!.padStart(14)}   gzip ${kib.toFixed(0).padStart(6)} KiB`)
    }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
  if (isTooLarge) throw new Error(`A Worker is larger than the limit of ${MAX_GZIP_KIB} KiB after gzip. See the sizes above.`)
}
