/** The wrangler.toml files as one environment has them. The files are shared: nothing in them may belong to one environment alone. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Traces } from './settings.ts'

export const EDGE = 'wrangler.toml'
/** What the edge binds. */
export const SERVICES = ['deploy/wrangler.press.toml', 'deploy/wrangler.media.toml'] as const
/** What a deployment may have beside them: containers, for what isolates are too small for. */
export const HEAVY = 'deploy/wrangler.heavy.toml'

/** `route = …`, `routes = […]`, `[[routes]]`, also below a table. */
const ROUTES = /^[ \t]*(?:(?:[\w.-]+\.)?["']?routes?["']?[ \t]*=|\[{1,2}[ \t]*(?:[\w.-]+\.)?routes?[ \t]*\])/m

/**
 * The configuration with the environment's names.
 * @throws Error when it names routes: every environment would take them from the one before.
 */
export function configurationOf(root: string, file: string, suffix: string): string {
  const text = fromRoot(file, readFileSync(join(root, file), 'utf8'))
  if (ROUTES.test(text)) {
    throw new Error(`${file} names routes, which all environments would share. Give the domain with --domain or in deploy.config.json.`)
  }
  // Datasets have no hyphens, or SQL would take them for a difference.
  const named = text.replace(/"(whittle_[a-z]+)"/g, `"$1${suffix.replace('-', '_')}"`)
  return named.replace(/"(whittle(?:-[a-z]+)*)"/g, `"$1${suffix}"`)
}

/** The configuration with its paths as seen from the root, where the deployment writes its copy. */
function fromRoot(file: string, text: string): string {
  const folder = dirname(file)
  return text.replace(/^(main|image|image_build_context) = "(\.{1,2}\/?[^"]*)"$/gm, (_, key: string, path: string) => {
    return `${key} = "${key === 'main' ? '' : './'}${join(folder, path)}"`
  })
}

/** The edge at a domain of its own, and nowhere else: rules and firewalls of the zone do not hold at workers.dev. */
export function atDomain(edge: string, domain: string): string {
  return atHome(edge).replace(/^(name = .*)$/m, `$1\nroutes = [{ pattern = "${domain}", custom_domain = true }]`)
}

/** Logs of a share of all invocations; what is alerted on is in the metrics, which count all. */
export function withLogShare(configuration: string, share: number): string {
  return configuration.replace(/^head_sampling_rate = .*$/m, `head_sampling_rate = ${share}`)
}

/** Traces to destinations are not kept by the platform a second time. */
export function withTraces(configuration: string, traces: Traces | undefined): string {
  if (!traces) return configuration
  const { destinations, share } = traces
  const sent = destinations.length > 0 ? `destinations = ${JSON.stringify(destinations)}\npersist = false\n` : ''
  return `${configuration}\n[observability.traces]\nenabled = true\nhead_sampling_rate = ${share}\n${sent}`
}

/** Beside the variables that it has. */
export function withVariable(configuration: string, name: string, value: string): string {
  const line = `${name} = "${value}"`
  if (/^\[vars\]$/m.test(configuration)) return configuration.replace(/^\[vars\]$/m, `[vars]\n${line}`)
  return `${configuration}\n[vars]\n${line}\n`
}

/** The edge where nobody can ask it. */
export function atHome(edge: string): string {
  return edge.replace(/^workers_dev = true$/m, 'workers_dev = false')
}

export function nameOf(configuration: string): string {
  const name = /^name = "(.+)"$/m.exec(configuration)?.[1]
  if (name === undefined) throw new Error('A configuration without a name.')
  return name
}

/** A Worker that has the entry points that the edge binds, and does nothing. */
export const STUB = `import { WorkerEntrypoint } from 'cloudflare:workers'
export class Press extends WorkerEntrypoint {}
export class Media extends WorkerEntrypoint {}
export default { fetch: () => new Response(null, { status: 503 }) }
`

export function stubConfiguration(configuration: string, main: string): string {
  const date = /^compatibility_date = .*$/m.exec(configuration)?.[0] ?? ''
  return `name = "${nameOf(configuration)}"\nmain = "${main}"\n${date}\nworkers_dev = false\n`
}
