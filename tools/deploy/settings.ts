/** Settings of a deployment, from command line flags and `deploy.config.json`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { REGIONS, type Region } from '../../src/service/store/regions.ts'

export interface Settings {
  readonly dryRun: boolean
  /** Suffix of every name, for example `-staging`. Empty for production. */
  readonly suffix: string
  /** Custom domain of the edge. `undefined`: workers.dev. */
  readonly domain: string | undefined
  /** True if an existing DNS record of the domain may be replaced. */
  readonly replaceDns: boolean
  readonly accountId: string | undefined
  /** Number of queues of each kind. */
  readonly shards: number
  /** Share of invocations whose logs are stored, 0–1. `undefined`: that of the configuration, 0.1. */
  readonly logShare: number | undefined
  readonly traces: Traces | undefined
  /** Seconds until `/healthz` must be healthy. */
  readonly waitSeconds: number
  /** True if new versions of press and media first get a small share of the calls. */
  readonly gradual: boolean
  readonly soakSeconds: number
  /** True to deploy containers for jobs that do not fit an isolate. */
  readonly heavy: boolean
  /** True if the front page may send files of visitors without an account. */
  readonly guests: boolean
  /** Regions that accounts may use. */
  readonly regions: readonly Region[]
  /** Region of new accounts without an explicit one. */
  readonly region: Region | undefined
}

/** Cloudflare's own tracing, which sends OpenTelemetry data (OTLP) to destinations. */
export interface Traces {
  /** Names of destinations in the Cloudflare dashboard. Empty: only the dashboard shows traces. */
  readonly destinations: readonly string[]
  /** Share of invocations, 0–1. */
  readonly share: number
}

/** Name of the environment without `--env` in the file. */
const PRODUCTION = 'production'

const FILE = 'deploy.config.json'
/** Most queues of each kind: 8 × 250 consumers. */
const MAX_SHARDS = 8
const region = z.enum(REGIONS)
const fileSchema = z.record(
  z.string(),
  z.strictObject({
    regions: z.array(region).optional(),
    region: region.optional(),
    heavy: z.boolean().optional(),
    guests: z.boolean().optional(),
    domain: z.hostname().optional(),
    account_id: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'expected an account id of 32 hexadecimal digits')
      .optional(),
    queue_shards: z.int().min(1).max(MAX_SHARDS).optional(),
    log_share: z.number().min(0).max(1).optional(),
    traces: z
      .strictObject({
        // Restricted, because the name is written into a TOML file.
        destinations: z.array(z.string().regex(/^[\w-]{1,64}$/, 'expected a destination of letters, digits, - and _')).default([]),
        share: z.number().min(0).max(1).default(0.05),
      })
      .optional(),
  }),
)

/**
 * Reads and checks all settings.
 * @throws Error if a flag or the file is invalid, or if two environments have the same domain
 */
export function readSettings(root: string, args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'dry-run': { type: 'boolean', default: false },
      env: { type: 'string', default: '' },
      domain: { type: 'string' },
      'replace-dns': { type: 'boolean', default: false },
      wait: { type: 'string', default: '60' },
      heavy: { type: 'boolean', default: false },
      gradual: { type: 'boolean', default: false },
      soak: { type: 'string', default: '300' },
    },
  })
  const env = values.env
  if (env && !/^[a-z][a-z0-9]{0,19}$/.test(env))
    throw new Error(`Invalid --env '${env}': expected up to 20 lower-case letters and digits, starting with a letter.`)
  if (env === PRODUCTION) throw new Error(`--env ${PRODUCTION} is not allowed: deploy production without --env.`)
  if (!/^\d{1,4}$/.test(values.wait)) throw new Error(`Invalid --wait '${values.wait}': expected a whole number of seconds up to 9999.`)
  if (!/^\d{1,5}$/.test(values.soak)) throw new Error(`Invalid --soak '${values.soak}': expected a whole number of seconds up to 99999.`)
  if (values.domain !== undefined && !z.hostname().safeParse(values.domain).success)
    throw new Error(`Invalid --domain '${values.domain}': expected a host name such as whittle.example.com.`)
  const file = readFile(root)
  const environment = file[env || PRODUCTION]
  const domain = (values.domain ?? environment?.domain)?.toLowerCase()
  for (const [other, { domain: otherDomain }] of Object.entries(file)) {
    if (other !== (env || PRODUCTION) && domain !== undefined && otherDomain?.toLowerCase() === domain) {
      throw new Error(`${domain} is already the domain of the environment ${other} in ${FILE}.`)
    }
  }
  if (values.gradual && domain === undefined) throw new Error('--gradual checks /healthz during the deployment and needs --domain.')
  const regions = environment?.regions ?? []
  if (environment?.region && !regions.includes(environment.region))
    throw new Error(`${FILE}: the region ${environment.region} is not listed in regions.`)
  return {
    dryRun: values['dry-run'],
    suffix: env && `-${env}`,
    domain,
    replaceDns: values['replace-dns'],
    accountId: environment?.account_id ?? process.env['CLOUDFLARE_ACCOUNT_ID'],
    shards: environment?.queue_shards ?? 1,
    logShare: environment?.log_share,
    traces: environment?.traces,
    waitSeconds: Number(values.wait),
    gradual: values.gradual,
    soakSeconds: Number(values.soak),
    heavy: values.heavy || environment?.heavy === true,
    guests: environment?.guests === true,
    regions: REGIONS.filter((one) => regions.includes(one)),
    region: environment?.region,
  }
}

function readFile(root: string): z.infer<typeof fileSchema> {
  const path = join(root, FILE)
  if (!existsSync(path)) return {}
  const parsed = fileSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (!parsed.success) throw new Error(`${FILE}: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}
