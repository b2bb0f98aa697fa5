/**
 * Copyright notices of third-party software in what is deployed: npm packages found by the bundler, engines from their `origin.json`,
 * and copied files. `npm run licences` writes the list of packages to THIRD-PARTY.md.
 */
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { build } from 'esbuild'
import { servedAddresses } from '../../site/addresses.ts'

const root = resolve(import.meta.dirname, '../..')

/** Deployed artefacts by entry file. The workers of the front page hold a part of what `whittle-press` holds. */
export const ARTEFACTS = {
  'src/index.ts': 'whittle',
  'src/service/press.ts': 'whittle-press',
  'src/service/media.ts': 'whittle-media',
  'console/src/main.tsx': 'console',
  'site/src/main.tsx': 'front page',
  'packages/cli/src/main.ts': 'command line',
} as const
export type Entry = keyof typeof ARTEFACTS

export interface Notice {
  readonly name: string
  readonly version: string
  /** Licence as the package states it, usually an SPDX expression. */
  readonly licence: string
  /** Names of the artefacts that use it. */
  readonly usedIn: readonly string[]
  /** Full texts of its licences. */
  readonly texts: readonly string[]
}

/** Packages that are bundled inside another package. */
const BUNDLED_INSIDE: Readonly<Record<string, readonly string[]>> = {
  svgo: [
    ...['boolbase', 'css-select', 'css-tree', 'css-what', 'csso', 'dom-serializer', 'domelementtype', 'domhandler', 'domutils'],
    ...['entities', 'mdn-data', 'nth-check', 'sax', 'source-map-js'],
  ],
}

/** Licence files for code that is bundled inside a package without its licence. */
const EXTRA_LICENCES: Readonly<Record<string, string>> = { 'node_modules/@modelcontextprotocol/server': 'tools/release/licences/ajv.txt' }

/** A package of which a build copies or bundles code into the documentation site. */
const inDocs = (name: string, licence = 'MIT', text = 'LICENSE') => ({
  ...{ name, folder: name, usedIn: '/docs', licence },
  texts: [`node_modules/${name}/${text}`],
})

/** Packages that `console/build.ts` and `pages/docs/build.ts` copy, or that the documentation site bundles. */
const COPIED: readonly { name: string; folder: string; usedIn: string; licence: string; texts: readonly string[] }[] = [
  // The package has no licence file. This one also covers the packages inside its bundle.
  { ...inDocs('@scalar/api-reference'), texts: ['tools/release/licences/scalar.txt'] },
  ...['vitepress', 'vue', '@vueuse/core', '@vueuse/shared', 'mark.js', 'focus-trap', 'tabbable'].map((name) => inDocs(name)),
  {
    ...inDocs('@vueuse/integrations'),
    folder: 'vitepress/node_modules/@vueuse/integrations',
    texts: ['node_modules/@vueuse/core/LICENSE'],
  },
  inDocs('minisearch', 'MIT', 'LICENSE.txt'),
  ...['@fontsource-variable/geist', '@fontsource-variable/geist-mono'].map((name) => inDocs(name, 'OFL-1.1')),
  { name: 'pdfjs-dist', folder: 'pdfjs-dist', usedIn: 'console', licence: 'Apache-2.0', texts: ['node_modules/pdfjs-dist/LICENSE'] },
  {
    ...{ name: 'Foxit Symbol and Dingbats', folder: 'pdfjs-dist', usedIn: 'console', licence: 'BSD-3-Clause' },
    texts: ['node_modules/pdfjs-dist/standard_fonts/LICENSE_FOXIT'],
  },
  {
    name: "Adobe's CMaps",
    folder: 'pdfjs-dist',
    usedIn: 'console',
    licence: 'BSD-3-Clause',
    texts: ['node_modules/pdfjs-dist/cmaps/LICENSE'],
  },
]

/** All input files of an artefact, from the bundler, as paths from the root. */
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
    external: ['cloudflare:*', 'node:*'],
    plugins: [servedAddresses()],
    loader: { '.wasm': 'empty' },
    define: { OUTPUT_IDS: '[]', SITE_FACTS: '{}' },

    logLevel: 'error',
  })
  // Inputs without bytes in the bundle are not distributed. Engines are excluded from the bundle here, but distributed.
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path]!.bytesInOutput > 0 || path.endsWith('.wasm')),
  )
}

const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, unknown>

/** Licence texts in a folder, sorted by file name. */
function textsOf(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => /^(licen[cs]e|copying|notice|copyright|source\.md$)/i.test(name))
  return names.sort().map((name) => readFileSync(join(root, folder, name), 'utf8'))
}

function packageNotice(folder: string, usedIn: readonly string[]): Notice {
  const { name, version, license } = readJson(`${folder}/package.json`)
  const texts = textsOf(folder)
  // Some packages lack their licence text. It is stored in tools/release/licences, copied from the package's repository.
  const licenceTexts =
    texts.length > 0 ? texts : globSync(`tools/release/licences/${basename(folder)}.txt`, { cwd: root }).map((path) => readText(path))
  return {
    name: String(name),
    version: String(version),
    licence: String(license),
    usedIn,
    texts: folder in EXTRA_LICENCES ? [...licenceTexts, readText(EXTRA_LICENCES[folder]!)] : licenceTexts,
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

/** Entries of the service: all except the CLI, whose packages are not installed with the service. */
const SERVICE = (Object.keys(ARTEFACTS) as Entry[]).filter((entry) => !entry.startsWith('packages/cli/'))

const folderNotice = (folder: string, usedIn: readonly string[]): Notice =>
  folder.startsWith('wasm/') ? engineNotice(folder, usedIn) : packageNotice(folder, usedIn)

/** Folders of the packages and engines among input files. */
function foldersOf(inputs: readonly string[]): Set<string> {
  const folders = new Set<string>()
  for (const path of inputs) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? (path.endsWith('.wasm') ? dirname(path) : undefined)
    if (folder === undefined) continue
    folders.add(folder)
    for (const name of BUNDLED_INSIDE[basename(folder)] ?? []) folders.add(`node_modules/${name}`)
  }
  return folders
}

/** Notices for the input files of one bundle, as plain text, with the licence of wasi-libc if the bundle has an engine. */
export function noticesText(inputs: readonly string[]): string {
  const found = [...foldersOf(inputs)].map((folder) => folderNotice(folder, []))
  const all = found.some(isEngine) ? [...found, libc()] : found
  return all
    .sort(byName)
    .map(({ name, version, licence, texts }) => `${name} ${version} (${licence})\n\n${texts.join('\n').trim()}\n`)
    .join('\n---\n\n')
}

/** Notices for `entries` and copied packages, engines first, then by name. */
export async function notices(entries: readonly Entry[] = SERVICE): Promise<Notice[]> {
  const artefactsByFolder = new Map<string, Set<string>>()
  const inputFiles = await Promise.all(entries.map((entry) => inputsOf(entry)))
  for (const [i, entry] of entries.entries()) {
    for (const folder of foldersOf(inputFiles[i]!)) {
      artefactsByFolder.set(folder, (artefactsByFolder.get(folder) ?? new Set()).add(ARTEFACTS[entry]))
    }
  }
  const bundled = [...artefactsByFolder].map(([folder, artefacts]) => folderNotice(folder, [...artefacts]))
  const copied = COPIED.map(({ name, folder, usedIn, licence, texts }) => ({
    ...{ name, version: String(readJson(`node_modules/${folder}/package.json`)['version']), licence },
    ...{ usedIn: [usedIn], texts: texts.map((path) => readText(path)) },
  }))
  return [...bundled, ...copied, libc(), icons()].sort(byName)
}

const libc = (): Notice => ({
  ...{ name: 'wasi-libc and musl', version: '0.0~git20220510 (Debian 12)', licence: 'MIT, CC0-1.0, BSD-2-Clause, ISC' },
  ...{ usedIn: ['whittle-press', 'whittle-media'], texts: [readText('wasm/LICENSE.wasi-libc')] },
})

/** Icons of the front page, whose lines are part of its source. */
const icons = (): Notice => ({
  ...{ name: 'lucide', version: '1.48.0', licence: 'ISC, MIT' },
  ...{ usedIn: ['front page'], texts: [readText('tools/release/licences/lucide.txt')] },
})

const byName = (a: Notice, b: Notice) => Number(isEngine(b)) - Number(isEngine(a)) || (a.name < b.name ? -1 : 1)

const isEngine = ({ name }: Notice) => name.startsWith('wasm/')

const BEGIN = '<!-- made by `npm run licences` -->'
const END = '<!-- end -->'

/** Content of THIRD-PARTY.md with the current list of packages. */
export async function thirdParty(): Promise<string> {
  const rows = (await notices([...SERVICE, 'packages/cli/src/main.ts'])).filter((notice) => !isEngine(notice))
  const table = rows.map(({ name, version, licence, usedIn }) => `| ${name} | ${version} | ${licence} | ${usedIn.join(', ')} |`)
  const text = readText('THIRD-PARTY.md')
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (from < 0 || to < from) throw new Error(`THIRD-PARTY.md needs the markers ${BEGIN} and ${END} around the list of packages`)
  return `${text.slice(0, from)}${BEGIN}\n| package | version | licence | used in |\n|---|---|---|---|\n${table.join('\n')}\n${text.slice(to)}`
}

if (import.meta.main) writeFileSync(join(root, 'THIRD-PARTY.md'), await thirdParty())
