/** Where a deployment goes: the flags, and `deploy.config.json` for what belongs to one environment. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { REGIONS, type Region } from '../../src/service/store/regions.ts'

export interface Settings {
  readonly dryRun: boolean
  /** What every name ends with: `-staging`, or nothing for production. */
  readonly suffix: string
  /** The name that the edge answers at; without one it answers at workers.dev. */
  readonly domain: string | undefined
  /** Its DNS record, if it has one, may go. */
  readonly replaceDns: boolean
  readonly accountId: string | undefined
  /** Queues of each kind. */
  readonly shards: number
  /** Share of invocations whose logs are kept, 0–1. */
  readonly logShare: number
  readonly traces: Traces | undefined
  /** How long `/healthz` may take to become good. */
  readonly waitSeconds: number
  /** New versions of press and media have a small share of the calls first. */
  readonly gradual: boolean
  readonly soakSeconds: number
  /** With containers, for what isolates are too small for. */
  readonly heavy: boolean
  /** Where accounts may be. */
  readonly regions: readonly Region[]
  /** Where accounts are for which the operator names no region. */
  readonly region: Region | undefined
}

/** The platform's own tracing, which sends OpenTelemetry (OTLP) to destinations of the account. */
export interface Traces {
  /** Names of destinations that the dashboard knows; none: the dashboard alone shows them. */
  readonly destinations: readonly string[]
  /** Of invocations, 0–1. */
  readonly share: number
}

/** How the environment without `--env` is called in the file. */
const PRODUCTION = 'production'

const FILE = 'deploy.config.json'
/** 2000 consumers of a kind. */
const MOST_SHARDS = 8
const region = z.enum(REGIONS)
const fileSchema = z.record(
  z.string(),
  z.strictObject({
    regions: z.array(region).optional(),
    region: region.optional(),
    heavy: z.boolean().optional(),
    domain: z.hostname().optional(),
    account_id: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'an account id has 32 hexadecimal digits')
      .optional(),
    queue_shards: z.int().min(1).max(MOST_SHARDS).optional(),
    log_share: z.number().min(0).max(1).optional(),
    traces: z
      .strictObject({
        // Becomes part of a TOML file.
        destinations: z.array(z.string().regex(/^[\w-]{1,64}$/, 'a destination has letters, digits, - and _')).default([]),
        share: z.number().min(0).max(1).default(0.05),
      })
      .optional(),
  }),
)

/** @throws Error where a flag or the file is wrong, or two environments would share a domain. */
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
  if (env && !/^[a-z][a-z0-9]{0,19}$/.test(env)) throw new Error('--env takes a short word of lower-case letters and digits.')
  if (env === PRODUCTION) throw new Error(`The ${PRODUCTION} environment is the one without --env.`)
  if (!/^\d{1,4}$/.test(values.wait)) throw new Error('--wait takes a number of seconds.')
  if (!/^\d{1,5}$/.test(values.soak)) throw new Error('--soak takes a number of seconds.')
  if (values.domain !== undefined && !z.hostname().safeParse(values.domain).success) throw new Error('--domain takes a host name.')
  const file = readFile(root)
  const own = file[env || PRODUCTION]
  const domain = (values.domain ?? own?.domain)?.toLowerCase()
  for (const [other, { domain: taken }] of Object.entries(file)) {
    if (other !== (env || PRODUCTION) && domain !== undefined && taken?.toLowerCase() === domain) {
      throw new Error(`${domain} is the domain of the environment ${other} in ${FILE}.`)
    }
  }
  if (values.gradual && domain === undefined) throw new Error('--gradual asks /healthz meanwhile: say with --domain where.')
  const regions = own?.regions ?? []
  if (own?.region && !regions.includes(own.region)) throw new Error(`${FILE}: the region ${own.region} is not among the regions.`)
  return {
    dryRun: values['dry-run'],
    suffix: env && `-${env}`,
    domain,
    replaceDns: values['replace-dns'],
    accountId: own?.account_id ?? process.env['CLOUDFLARE_ACCOUNT_ID'],
    shards: own?.queue_shards ?? 1,
    logShare: own?.log_share ?? 1,
    traces: own?.traces,
    waitSeconds: Number(values.wait),
    gradual: values.gradual,
    soakSeconds: Number(values.soak),
    heavy: values.heavy || own?.heavy === true,
    regions: REGIONS.filter((one) => regions.includes(one)),
    region: own?.region,
  }
}

function readFile(root: string): z.infer<typeof fileSchema> {
  const path = join(root, FILE)
  if (!existsSync(path)) return {}
  const parsed = fileSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (!parsed.success) throw new Error(`${FILE}: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}
