/**
 * `npm run deploy`: makes the bucket, the queues and the secrets that are missing, deploys the three Workers, and asks
 * whether they work. `--domain whittle.example.com` gives the edge a name of its own.
 * A name that leads somewhere already is only taken with `--replace-dns`.
 * `--gradual` gives new versions of press and media five calls of a hundred for five minutes (`--soak SECONDS`), then all.
 * `--heavy` adds containers for what isolates are too small for (docs/decisions/containers.md); it needs Docker.
 * `--env staging` makes a second Whittle beside the first: every name gets `-staging`.
 * `--dry-run` bundles only, needs no account and no network, and prints each Worker's size.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { newReceiptKeys } from '../../src/local/receipt-keys.ts'
import type { Region } from '../../src/service/store/regions.ts'
import {
  atDomain,
  atHome,
  configurationOf,
  EDGE,
  HEAVY,
  nameOf,
  SERVICES,
  STUB,
  stubConfiguration,
  withLogShare,
  withTraces,
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
/** What wrangler is given: it finds a Worker's files from where its configuration lies. Removed in the end. */
const SCRATCH = join(root, 'wrangler.deploy.toml')
const STUB_MAIN = 'wrangler.deploy.mjs'
const RULES = 'wrangler.deploy.json'
const randomText = () => randomBytes(32).toString('base64url')
const SECRETS = { SECRET_KEY: randomText, ADMIN_TOKEN: randomText, RECEIPT_KEYS: () => newReceiptKeys() }
/** What a Worker's bundle may have after compression. */
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
  const alone = withRegion(configured(EDGE), settings.region)
  const edge = settings.heavy ? withHeavy(alone, suffix) : alone
  if (settings.dryRun) dryRun(wrangler, [...services, ...containers, settings.domain ? atDomain(edge, settings.domain) : edge])
  else await deploy({ ...settings, wrangler, services, containers, edge })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  for (const file of [SCRATCH, join(root, STUB_MAIN), join(root, RULES)]) rmSync(file, { force: true })
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
  /** Configurations. */
  readonly services: readonly string[]
  /** Of `whittle-heavy`, where it is wanted. */
  readonly containers: readonly string[]
  readonly edge: string
}

/** What there was, by the Worker's name. */
type Before = ReadonlyMap<string, { readonly exists: boolean; readonly version?: string }>

async function deploy(deployment: Deployment): Promise<void> {
  const { wrangler, suffix, shards, regions, domain, accountId, services, containers, edge } = deployment
  // What can refuse comes before anything is made.
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
  if (deployment.gradual && !isNewDomain && sharable([...services, edge], before)) await gradually(deployment, before)
  else for (const service of services) put(wrangler, service)
  for (const container of containers) put(wrangler, container)
  const output = put(wrangler, domain ? atDomain(edge, domain) : edge)
  const baseUrl = domain ? `https://${domain}` : /https:\/\/[\w.-]+\.workers\.dev/.exec(output)?.[0]
  if (!baseUrl) return console.log('Where the edge answers is not known: ask its /healthz.')
  const said = await sickness(baseUrl, deployment.waitSeconds)
  if (said === undefined) return console.log(`${baseUrl}/healthz is good`)
  const versions = isFirst || isNewDomain ? [] : [...before].map(([name, { version }]) => ({ name, version }))
  throw new Error(`${baseUrl}/healthz is not good: ${said}\n${goBack(wrangler, versions)}`)
}

/** Is there a version of each Worker that others can have a share beside? */
function sharable(configurations: readonly string[], before: Before): boolean {
  return configurations.every((configuration) => before.get(nameOf(configuration))?.version !== undefined)
}

async function gradually({ wrangler, services, domain, soakSeconds }: Deployment, before: Before): Promise<void> {
  const shared = services.map((configuration) => ({ configuration, version: before.get(nameOf(configuration))!.version! }))
  await rollOut({ wrangler, scratch: SCRATCH, services: shared, baseUrl: `https://${domain}`, soakSeconds })
}

/** All rules of the bucket: who wants others, changes them here. */
function setLifecycle(wrangler: Wrangler, bucket: Bucket): void {
  const file = join(root, RULES)
  writeFileSync(file, JSON.stringify(LIFECYCLE))
  wrangler.must(['r2', 'bucket', 'lifecycle', 'set', bucket.name, '--file', file, ...jurisdictionOf(bucket), '--force'])
  console.log(`set what ${bucket.name} removes by itself`)
}

/** Deploys a configuration. @returns what wrangler printed */
function put(wrangler: Wrangler, configuration: string): string {
  writeFileSync(SCRATCH, configuration)
  const { output } = wrangler.must(['deploy', '-c', SCRATCH])
  console.log(`deployed ${nameOf(configuration)}`)
  return output
}

/**
 * The Workers bind each other (Durable Objects one way, services the other), and a binding's target must exist: the very
 * first time the edge is deployed beside stubs, and at no address.
 */
function bootstrap({ wrangler, edge }: Deployment, missing: readonly string[]): void {
  writeFileSync(join(root, STUB_MAIN), STUB)
  for (const service of missing) put(wrangler, stubConfiguration(service, STUB_MAIN))
  put(wrangler, atHome(edge))
}

/** Secrets are random and made once, before code that needs them is live. */
function makeSecrets(wrangler: Wrangler, edge: string): void {
  writeFileSync(SCRATCH, edge)
  const known = wrangler.must(['secret', 'list', '-c', SCRATCH]).stdout
  for (const [name, make] of Object.entries(SECRETS)) {
    if (known.includes(`"${name}"`)) continue
    const value = make()
    wrangler.must(['secret', 'put', name, '-c', SCRATCH], value)
    console.log(name === 'ADMIN_TOKEN' ? `made ADMIN_TOKEN, ${handOver(value, nameOf(edge))}` : `made ${name}`)
  }
}

/** The operator's token is shown to a person at a terminal; what a pipeline prints is kept and read by others. */
function handOver(token: string, edge: string): string {
  if (process.stdout.isTTY && !process.env['CI']) return `shown only now: ${token}`
  const file = join('.dev', `${edge}.admin-token`)
  mkdirSync(join(root, '.dev'), { recursive: true })
  writeFileSync(join(root, file), `${token}\n`, { mode: 0o600 })
  return `which lies in ${file}; where that is lost, \`npx wrangler secret put ADMIN_TOKEN --name ${edge}\` makes another`
}

function dryRun(wrangler: Wrangler, configurations: readonly string[]): void {
  const out = mkdtempSync(join(tmpdir(), 'whittle-deploy-'))
  let isTooLarge = false
  try {
    for (const configuration of configurations) {
      writeFileSync(SCRATCH, configuration)
      const name = nameOf(configuration)
      const { output } = wrangler.must(['deploy', '-c', SCRATCH, '--dry-run', '--outdir', join(out, name)])
      const match = /Total Upload: ([\d.]+ \w+) \/ gzip: ([\d.]+) (\w+)/.exec(output)
      if (!match) throw new Error(`wrangler did not tell the size of ${name}:\n${output}`)
      const kib = Number(match[2]) * (match[3] === 'MiB' ? 1024 : 1)
      isTooLarge ||= kib > MAX_GZIP_KIB
      console.log(`${name.padEnd(16)} ${match[1]!.padStart(14)}   gzip ${kib.toFixed(0).padStart(6)} KiB`)
    }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
  if (isTooLarge) throw new Error(`A Worker is larger than ${MAX_GZIP_KIB} KiB after gzip.`)
}
