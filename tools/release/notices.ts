/**
 * What others wrote of what is deployed, with its licences: npm packages as the bundler finds them, engines as their `origin.json`
 * says, and what is copied as it is. `npm run licences` writes the list of packages into THIRD-PARTY.md.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '../..')

/** What is deployed, by the file it begins with. */
export const ARTEFACTS = {
  'src/index.ts': 'whittle',
  'src/service/press.ts': 'whittle-press',
  'src/service/media.ts': 'whittle-media',
  'console/src/main.tsx': 'console',
  'packages/cli/src/main.ts': 'command line',
} as const
export type Entry = keyof typeof ARTEFACTS

export interface Notice {
  readonly name: string
  readonly version: string
  /** As it says itself, mostly an SPDX expression. */
  readonly licence: string
  /** Names of artefacts. */
  readonly usedIn: readonly string[]
  /** Whole licence texts. */
  readonly texts: readonly string[]
}

/** Packages that arrive bundled inside of another one. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  svgo: [
    ...['boolbase', 'css-select', 'css-tree', 'css-what', 'csso', 'dom-serializer', 'domelementtype', 'domhandler', 'domutils'],
    ...['entities', 'mdn-data', 'nth-check', 'sax', 'source-map-js'],
  ],
}

/** Terms of what arrives bundled inside of a package, and comes without them. */
const TERMS_INSIDE: Readonly<Record<string, string>> = { 'node_modules/@modelcontextprotocol/server': 'tools/release/licences/ajv.txt' }

/** Copied as they are by `build-console.ts`; swagger-ui's own list of what it bundles lies beside it. */
const COPIED: readonly { name: string; folder: string; usedIn: string; licence: string; texts: readonly string[] }[] = [
  {
    ...{ name: 'swagger-ui-dist', folder: 'swagger-ui-dist', usedIn: '/docs', licence: 'Apache-2.0' },
    texts: ['swagger-ui-dist/LICENSE', 'swagger-ui-dist/NOTICE', 'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt'],
  },
  { name: 'pdfjs-dist', folder: 'pdfjs-dist', usedIn: 'console', licence: 'Apache-2.0', texts: ['pdfjs-dist/LICENSE'] },
  {
    ...{ name: 'Foxit Symbol and Dingbats', folder: 'pdfjs-dist', usedIn: 'console', licence: 'BSD-3-Clause' },
    texts: ['pdfjs-dist/standard_fonts/LICENSE_FOXIT'],
  },
  { name: "Adobe's CMaps", folder: 'pdfjs-dist', usedIn: 'console', licence: 'BSD-3-Clause', texts: ['pdfjs-dist/cmaps/LICENSE'] },
]

/** Every file that an artefact is made of, as the bundler finds them; by paths from the root. */
export async function inputsOf(entry: Entry): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    outdir: 'unused',
    metafile: true,
    format: 'esm',
    platform: entry.startsWith('packages/cli/') ? 'node' : 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['cloudflare:*', 'node:*', '/console/pdf/*'],
    loader: { '.wasm': 'empty' },
    define: { OUTPUT_IDS: '[]' },
    logLevel: 'error',
  })
  // What leaves nothing in the bundle is not conveyed. Engines are left out of it here, and counted all the same.
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path]!.bytesInOutput > 0 || path.endsWith('.wasm')),
  )
}

const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>

/** Of a folder, in the order of their names. */
function textsOf(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => /^(licen[cs]e|copying|notice|copyright|source\.md$)/i.test(name))
  return names.sort().map((name) => readFileSync(join(root, folder, name), 'utf8'))
}

function packageNotice(folder: string, usedIn: readonly string[]): Notice {
  const { name, version, license } = readJson(`${folder}/package.json`)
  const texts = textsOf(folder)
  // Some packages forget theirs: it is kept here, from where they are developed.
  const own =
    texts.length > 0 ? texts : globSync(`tools/release/licences/${basename(folder)}.txt`, { cwd: root }).map((path) => readText(path))
  return {
    name: String(name),
    version: String(version),
    licence: String(license),
    usedIn,
    texts: folder in TERMS_INSIDE ? [...own, readText(TERMS_INSIDE[folder]!)] : own,
  }
}

const readText = (path: string) => readFileSync(join(root, path), 'utf8')

interface Origin {
  readonly sources: readonly { readonly name: string; readonly version: string; readonly licence: string }[]
}

function engineNotice(folder: string, usedIn: readonly string[]): Notice {
  const { sources } = readJson(`${folder}/origin.json`) as unknown as Origin
  const version = sources.map((source) => `${source.name} ${source.version}`).join(', ') || 'ours'
  const licence = [...new Set(sources.map((source) => source.licence))].join(', ') || 'Apache-2.0'
  return { name: `${folder}/`, version, licence, usedIn, texts: textsOf(folder) }
}

/** What a service is made of: all but the command line, whose packages are not there where only a service is. */
const SERVICE = (Object.keys(ARTEFACTS) as Entry[]).filter((entry) => !entry.startsWith('packages/cli/'))

/** Of `entries` and what is copied beside them; by name, engines first. */
export async function notices(entries: readonly Entry[] = SERVICE): Promise<Notice[]> {
  const used = new Map<string, Set<string>>()
  const use = (folder: string, artefact: string) => used.set(folder, (used.get(folder) ?? new Set()).add(artefact))
  const found = await Promise.all(entries.map((entry) => inputsOf(entry)))
  for (const [i, entry] of entries.entries()) {
    for (const path of found[i]!) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? (path.endsWith('.wasm') ? dirname(path) : undefined)
      if (folder === undefined) continue
      use(folder, ARTEFACTS[entry])
      for (const name of INSIDE[basename(folder)] ?? []) use(`node_modules/${name}`, ARTEFACTS[entry])
    }
  }
  const bundled = [...used].map(([folder, artefacts]) =>
    folder.startsWith('wasm/') ? engineNotice(folder, [...artefacts]) : packageNotice(folder, [...artefacts]),
  )
  const copied = COPIED.map(({ name, folder, usedIn, licence, texts }) => ({
    ...{ name, version: String(readJson(`node_modules/${folder}/package.json`)['version']), licence },
    ...{ usedIn: [usedIn], texts: texts.map((path) => readText(`node_modules/${path}`)) },
  }))
  const libc: Notice = {
    ...{ name: 'wasi-libc and musl', version: '0.0~git20220510 (Debian 12)', licence: 'MIT, CC0-1.0, BSD-2-Clause, ISC' },
    ...{ usedIn: ['whittle-press', 'whittle-media'], texts: [readText('wasm/LICENSE.wasi-libc')] },
  }
  const byName = (a: Notice, b: Notice) => Number(isEngine(b)) - Number(isEngine(a)) || (a.name < b.name ? -1 : 1)
  return [...bundled, ...copied, libc].sort(byName)
}

const isEngine = ({ name }: Notice) => name.startsWith('wasm/')

const BEGIN = '<!-- made by `npm run licences` -->'
const END = '<!-- end -->'

/** THIRD-PARTY.md with the list of packages as they are bundled now. */
export async function thirdParty(): Promise<string> {
  const rows = (await notices([...SERVICE, 'packages/cli/src/main.ts'])).filter((notice) => !isEngine(notice))
  const table = rows.map(({ name, version, licence, usedIn }) => `| ${name} | ${version} | ${licence} | ${usedIn.join(', ')} |`)
  const text = readText('THIRD-PARTY.md')
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (from < 0 || to < from) throw new Error('THIRD-PARTY.md has no place for the list of packages')
  return `${text.slice(0, from)}${BEGIN}\n| package | version | licence | used in |\n|---|---|---|---|\n${table.join('\n')}\n${text.slice(to)}`
}

if (import.meta.main) writeFileSync(join(root, 'THIRD-PARTY.md'), await thirdParty())
