/**
 * `npm run weaknesses`: asks OSV (osv.dev) what is known against the packages and engines in the bill of materials. Prints a line for each, with our
 * word where `explained-weaknesses.json` has one. Ends with 1 where something is known and not explained, and with 2 where
 * nobody answered: that is not "nothing is known".
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials, type Component } from '../release/sbom.ts'

interface Asked {
  readonly package: { readonly name: string; readonly ecosystem: string }
  readonly version: string
}

interface Answer {
  readonly results: readonly { readonly vulns?: readonly { readonly id: string }[] }[]
}

const TIMEOUT_MS = 10_000
/** The release whose sources the engines are built from. */
const DEBIAN = 'Debian:12'

/** What OSV can be asked of these: npm's packages, and the sources of the engines that are Debian's. The C and Rust inside of others' packages: by name. */
export function questions(components: readonly Component[]): { asked: Asked[]; others: string[] } {
  const asked = new Map<string, Asked>()
  const others = new Set<string>()
  for (const { purl = '', properties = [], components: sources } of components) {
    const [, name, version] = /^pkg:npm\/(.+)@(.+)$/.exec(decodeURIComponent(purl)) ?? []
    const ours = properties.some((property) => property.name === 'cdx:npm:package:private')
    if (name && version && !ours) add({ package: { name, ecosystem: 'npm' }, version })
    for (const source of sources ?? []) {
      const debian = /Debian source package ([a-z0-9.+-]+)/.exec(source.name)?.[1]
      // A version without a revision is an upstream archive: Debian's patches to it stand beside it.
      if (debian && source.version?.includes('-')) add({ package: { name: debian, ecosystem: DEBIAN }, version: source.version })
      else if (/npm package/.test(source.name)) others.add(`${source.name} ${source.version}`)
    }
  }
  return { asked: [...asked.values()], others: [...others] }

  function add(question: Asked): void {
    asked.set(JSON.stringify(question), question)
  }
}

/** Prints what is known. @returns the exit code */
export async function tell(
  { asked, others }: ReturnType<typeof questions>,
  explained: Readonly<Record<string, string>>,
  service = 'https://api.osv.dev',
): Promise<number> {
  const answer = await ask(service, asked).catch((error: unknown) => String(error))
  if (typeof answer === 'string') {
    console.log(`Not checked: ${service} does not answer (${answer}).`)
    return 2
  }
  let open = 0
  for (const [i, { vulns = [] }] of answer.results.entries()) {
    for (const { id } of vulns) {
      const why = explained[id]
      if (why === undefined) open++
      console.log(`${asked[i]!.package.name} ${asked[i]!.version}: ${id}: ${why ?? 'not explained'}`)
    }
  }
  console.log(`${asked.length} asked, ${open} known and not explained. OSV does not know: ${others.join(', ') || 'none'}.`)
  return open > 0 ? 1 : 0
}

async function ask(service: string, queries: readonly Asked[]): Promise<Answer> {
  const body = JSON.stringify({ queries })
  const answer = await fetch(`${service}/v1/querybatch`, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  const said = (await answer.json()) as Answer
  if (said.results?.length !== queries.length) throw new Error('an answer for other questions')
  return said
}

if (import.meta.main) {
  const explained = JSON.parse(readFileSync(join(import.meta.dirname, 'explained-weaknesses.json'), 'utf8')) as Record<string, string>
  process.exitCode = await tell(questions(billOfMaterials().components), explained)
}
