/** Configurations of the Workers for one environment, derived from the shared wrangler.toml files. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Traces } from './settings.ts'

export const EDGE = 'wrangler.toml'
/** Workers that the edge binds. */
export const SERVICES = ['deploy/wrangler.press.toml', 'deploy/wrangler.media.toml'] as const
/** Optional Worker with containers, for jobs that do not fit an isolate. */
export const HEAVY = 'deploy/wrangler.heavy.toml'

/** Matches `route = …`, `routes = […]` and `[[routes]]`, also below a table. */
const ROUTES = /^[ \t]*(?:(?:[\w.-]+\.)?["']?routes?["']?[ \t]*=|\[{1,2}[ \t]*(?:[\w.-]+\.)?routes?[ \t]*\])/m

/**
 * Configuration with the names of the environment.
 * @throws Error if the file names routes, because each environment would take them from the others
 */
export function configurationOf(root: string, file: string, suffix: string): string {
  const text = fromRoot(file, readFileSync(join(root, file), 'utf8'))
  if (ROUTES.test(text)) {
    throw new Error(
      `${file} names routes, which all environments would share. Remove them, and set the domain with --domain or in deploy.config.json.`,
    )
  }
  // Names of datasets use an underscore, because SQL would read a hyphen as a minus.
  const named = text.replace(/"(whittle_[a-z]+)"/g, `"$1${suffix.replace('-', '_')}"`)
  return named.replace(/"(whittle(?:-[a-z]+)*)"/g, `"$1${suffix}"`)
}

/** Changes paths so that they are relative to the root, where the deployment writes its copy of the configuration. */
function fromRoot(file: string, text: string): string {
  const folder = dirname(file)
  return text.replace(/^(main|image|image_build_context) = "(\.{1,2}\/?[^"]*)"$/gm, (_, key: string, path: string) => {
    return `${key} = "${key === 'main' ? '' : './'}${join(folder, path)}"`
  })
}

/** Configuration of the edge Worker with a custom domain and without a workers.dev address, because rules and firewalls of the zone do not apply there. */
export function withDomain(edge: string, domain: string): string {
  return withoutAddress(edge).replace(/^(name = .*)$/m, `$1\nroutes = [{ pattern = "${domain}", custom_domain = true }]`)
}

/** Configuration that logs a share of all invocations. Metrics count all of them. `undefined`: its own share. */
export function withLogShare(configuration: string, share: number | undefined): string {
  if (share === undefined) return configuration
  return configuration.replace(/^head_sampling_rate = .*$/m, `head_sampling_rate = ${share}`)
}

/** Configuration with traces. Traces sent to destinations are not stored on Cloudflare too. */
export function withTraces(configuration: string, traces: Traces | undefined): string {
  if (!traces) return configuration
  const { destinations, share } = traces
  const destinationLines = destinations.length > 0 ? `destinations = ${JSON.stringify(destinations)}\npersist = false\n` : ''
  return `${configuration}\n[observability.traces]\nenabled = true\nhead_sampling_rate = ${share}\n${destinationLines}`
}

/** Configuration with an additional variable. */
export function withVariable(configuration: string, name: string, value: string): string {
  const assignment = `${name} = "${value}"`
  if (/^\[vars\]$/m.test(configuration)) return configuration.replace(/^\[vars\]$/m, `[vars]\n${assignment}`)
  return `${configuration}\n[vars]\n${assignment}\n`
}

/** Configuration of the edge Worker without a public address. */
export function withoutAddress(edge: string): string {
  return edge.replace(/^workers_dev = true$/m, 'workers_dev = false')
}

export function nameOf(configuration: string): string {
  const name = /^name = "(.+)"$/m.exec(configuration)?.[1]
  if (name === undefined) throw new Error('The wrangler configuration has no name.')
  return name
}

/** Source of a Worker that has the entry points bound by the edge, and only responds with 503. */
export const STUB = `import { WorkerEntrypoint } from 'cloudflare:workers'
export class Press extends WorkerEntrypoint {}
export class Media extends WorkerEntrypoint {}
export default { fetch: () => new Response(null, { status: 503 }) }
`

export function stubConfiguration(configuration: string, main: string): string {
  const date = /^compatibility_date = .*$/m.exec(configuration)?.[0] ?? ''
  return `name = "${nameOf(configuration)}"\nmain = "${main}"\n${date}\nworkers_dev = false\n`
}
