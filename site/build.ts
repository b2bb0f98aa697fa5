/**
 * Builds the front page into the assets of the service: the page in two languages, its scripts, its workers with the library, the engines,
 * and the service worker that knows all of them. Names contain a hash of the content, so browsers may keep the files for good.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { bundle } from '../tools/release/packages/bundle.ts'
import { servedAddresses } from './addresses.ts'
import { siteFacts } from './facts.ts'
import { htmlOf, type PageFiles, type Prerender } from './html.ts'
import { MANIFEST } from './manifest.ts'
import { publish } from './sync.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** Folder of the assets. */
const PUBLIC = join(ROOT, 'console/public')
const FONTS = 'node_modules/@fontsource-variable'

/** Files that are copied: their name below `/app/`, and their source. */
const COPIED = {
  'geist.woff2': `${FONTS}/geist/files/geist-latin-wght-normal.woff2`,
  'geist-mono.woff2': `${FONTS}/geist-mono/files/geist-mono-latin-wght-normal.woff2`,
  'roofs.jpg': 'site/example/roofs.jpg',
  'roofs.medium.jpg': 'site/example/roofs.medium.jpg',
  'photo.jpg': 'docs/photo.jpg',
  'screenshot.png': 'docs/users/screenshots/applications.png',
  'icon.svg': 'site/icons/icon.svg',
  'icon-192.png': 'site/icons/icon-192.png',
  'icon-512.png': 'site/icons/icon-512.png',
} as const
/** pdf.js, which draws pages of a PDF. The build of the console copies it. */
const PDF_FILES = ['pdf.min.mjs', 'pdf.worker.min.mjs', 'FoxitSymbol.pfb', 'FoxitDingbats.pfb'].map((name) => `/console/pdf/${name}`)
/** Copied files that the page needs to open. The others are saved for offline use later. */
const SHELL_FILES = ['/app/geist.woff2', '/app/icon.svg', '/app/roofs.medium.jpg', '/manifest.webmanifest']

const PAGE: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  // CSS gets the prefixes that these need.
  target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [servedAddresses()],
  metafile: true,
  logLevel: 'warning',
}

/** Address of each output of a bundle, below the root of the site. */
const addressesOf = ({ outputs }: Metafile): string[] =>
  Object.keys(outputs)
    .filter((path) => !path.endsWith('.LEGAL.txt'))
    .map((path) => `/app/${basename(path)}`)

/** Address of the output of an entry file. @throws Error if there is none */
function entryOf({ outputs }: Metafile, entry: string): string {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)
  if (!found) throw new Error(`${entry} was not bundled`)
  return `/app/${basename(found[0])}`
}

/** Addresses that the script of an entry imports statically, with its own. */
function closureOf({ outputs }: Metafile, entry: string, found = new Set<string>()): Set<string> {
  const path = Object.keys(outputs).find((one) => `/app/${basename(one)}` === entry)
  if (found.has(entry) || path === undefined) return found
  found.add(entry)
  for (const { path: imported, kind } of outputs[path]!.imports) {
    if (kind === 'import-statement') closureOf({ outputs, inputs: {} }, `/app/${basename(imported)}`, found)
  }
  return found
}

/** Draws the front page with the code of the page itself. */
async function drawPages(stage: string, facts: string, files: PageFiles): Promise<void> {
  const outfile = join(stage, 'prerender.mjs')
  await build({ ...PAGE, entryPoints: ['site/src/prerender.tsx'], outfile, platform: 'node', define: { SITE_FACTS: facts } })
  const { prerender } = (await import(outfile)) as Prerender
  rmSync(outfile)
  for (const language of ['en', 'zh'] as const) {
    writeFileSync(join(stage, language === 'zh' ? 'index.zh.html' : 'index.html'), htmlOf(language, await prerender(language), files))
  }
}

/** Builds the page in a folder of its own, and then publishes it. */
export async function buildSite(): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), 'whittle-site-'))
  try {
    await buildInto(stage)
    publish(stage, PUBLIC, ['app'])
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

async function buildInto(stage: string): Promise<void> {
  const app = join(stage, 'app')
  mkdirSync(app)
  for (const [name, source] of Object.entries(COPIED)) copyFileSync(join(ROOT, source), join(app, name))
  writeFileSync(join(stage, 'manifest.webmanifest'), JSON.stringify(MANIFEST))
  const facts = JSON.stringify(siteFacts())
  const entryPoints = { worker: 'site/src/worker.ts' }
  const { metafile: library } = await bundle({ entryPoints, withoutGpl: true, namesWithHash: true }, app)
  const worker = entryOf(library, 'site/src/worker.ts')
  const hashed = { ...PAGE, outdir: app, entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]', metafile: true } as const
  const { metafile: page } = await build({
    ...hashed,
    entryPoints: ['site/src/main.tsx'],
    splitting: true,
    legalComments: 'linked',
    define: { SITE_FACTS: facts, WORKER_URL: JSON.stringify(worker) },
  })
  const { metafile: theme } = await build({ ...hashed, format: 'iife', entryPoints: ['site/src/theme.ts'] })
  const script = entryOf(page, 'site/src/main.tsx')
  const style = addressesOf(page).find((path) => path.endsWith('.css'))
  if (style === undefined) throw new Error('the page has no style sheet')
  const files = { script, style, theme: entryOf(theme, 'site/src/theme.ts') }
  await drawPages(stage, facts, files)
  const shell = ['/', ...closureOf(page, script), style, files.theme, worker, ...closureOf(library, worker), ...SHELL_FILES]
  await buildServiceWorker(stage, [...new Set(shell)])
}

/** The service worker knows every file. Its version is a hash of all of them, so a change of any makes a new one. */
async function buildServiceWorker(stage: string, shell: readonly string[]): Promise<void> {
  const names = readdirSync(join(stage, 'app'))
    .filter((name) => !name.endsWith('.LEGAL.txt'))
    .sort()
  const later = [...names.map((name) => `/app/${name}`), ...PDF_FILES].filter((path) => !shell.includes(path))
  const hash = createHash('sha256')
  for (const name of [...names.map((one) => `app/${one}`), 'index.html', 'index.zh.html'])
    hash.update(name).update(readFileSync(join(stage, name)))
  await build({
    ...PAGE,
    entryPoints: { sw: 'site/src/sw.ts' },
    outdir: stage,
    format: 'iife',
    define: {
      SITE_VERSION: JSON.stringify(hash.digest('hex').slice(0, 16)),
      SITE_SHELL: JSON.stringify(shell),
      SITE_LATER: JSON.stringify(later),
    },
  })
}

if (import.meta.main) await buildSite()
