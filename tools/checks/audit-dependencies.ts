/**
 * `npm run weaknesses`: asks OSV (osv.dev) for known vulnerabilities of the packages and engines in the software bill of materials.
 * Prints one line for each, with the explanation in `explained-weaknesses.json`.
 *
 * Exit codes: 1 if one is not explained, 2 if OSV does not respond.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials, type Component } from '../release/sbom.ts'

interface Query {
  readonly package: { readonly name: string; readonly ecosystem: string }
  readonly version: string
}

interface QueryResponse {
  readonly results: readonly { readonly vulns?: readonly { readonly id: string }[] }[]
}

const TIMEOUT_MS = 10_000

/**
 * Builds the queries: npm packages, and crates and Debian source packages of engines. `others`: C sources inside npm packages, which OSV
 * does not list.
 */
export function questions(components: readonly Component[]): { queries: Query[]; others: string[] } {
  const queries = new Map<string, Query>()
  const others = new Set<string>()
  for (const { purl = '', properties = [], components: sources } of components) {
    const [, name, version] = /^pkg:npm\/(.+)@(.+)$/.exec(decodeURIComponent(purl)) ?? []
    const isPrivate = properties.some((property) => property.name === 'cdx:npm:package:private')
    if (name && version && !isPrivate) add({ package: { name, ecosystem: 'npm' }, version })
    for (const source of sources ?? []) {
      const [, crate, crateVersion] = /^pkg:cargo\/(.+)@(.+)$/.exec(decodeURIComponent(source.purl ?? '')) ?? []
      if (crate && crateVersion) add({ package: { name: crate, ecosystem: 'crates.io' }, version: crateVersion })
      const packageName = /Debian source package ([a-z0-9.+-]+)/.exec(source.name)?.[1]
      // A version without a Debian revision is an upstream archive. Its Debian patches are listed separately.
      const release = /[?&]distro=debian-(\d+)/.exec(source.purl ?? '')?.[1]
      if (packageName && release && source.version?.includes('-'))
        add({ package: { name: packageName, ecosystem: `Debian:${release}` }, version: source.version })
      else if (/npm package/.test(source.name)) others.add(`${source.name} ${source.version}`)
    }
  }
  return { queries: [...queries.values()], others: [...others] }

  function add(question: Query): void {
    queries.set(JSON.stringify(question), question)
  }
}

/** Prints known vulnerabilities. @returns the exit code */
export async function reportVulnerabilities(
  { queries, others }: ReturnType<typeof questions>,
  explained: Readonly<Record<string, string>>,
  service = 'https://api.osv.dev',
): Promise<number> {
  const response = await queryOsv(service, queries).catch((error: unknown) => String(error))
  if (typeof response === 'string') {
    console.log(`Not checked: ${service} does not respond (${response}).`)
    return 2
  }
  let unexplained = 0
  for (const [i, { vulns = [] }] of response.results.entries()) {
    for (const { id } of vulns) {
      const explanation = explained[id]
      if (explanation === undefined) unexplained++
      console.log(`${queries[i]!.package.name} ${queries[i]!.version}: ${id}: ${explanation ?? 'not explained'}`)
    }
  }
  console.log(
    `${queries.length} queried, ${unexplained} vulnerabilities without an explanation. Not listed by OSV: ${others.join(', ') || 'none'}.`,
  )
  return unexplained > 0 ? 1 : 0
}

async function queryOsv(service: string, queries: readonly Query[]): Promise<QueryResponse> {
  const body = JSON.stringify({ queries })
  const response = await fetch(`${service}/v1/querybatch`, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  const result = (await response.json()) as QueryResponse
  if (result.results?.length !== queries.length) throw new Error('the number of results differs from the number of queries')
  return result
}

if (import.meta.main) {
  const explained = JSON.parse(readFileSync(join(import.meta.dirname, 'explained-weaknesses.json'), 'utf8')) as Record<string, string>
  process.exitCode = await reportVulnerabilities(questions(billOfMaterials().components), explained)
}
