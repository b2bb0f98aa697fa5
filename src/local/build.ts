/** Builds the bundles of the local service, and rebuilds them when an input file has changed. */

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, relative } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { hashOf, isUnchanged, readBuilt, removeUnused, writeBuilt } from './build-record.ts'
import { BUNDLE_ADDRESS, inAscii, makeCodeCache } from './code-cache.ts'

const COMMON = {
  bundle: true,
  minify: true,
  keepNames: true,
  format: 'esm',
  target: 'es2024',
  logLevel: 'warning',
  metafile: true,
} as const
const EXTENSION = { outExtension: { '.js': '.mjs' } }
/** Files that affect the output although no bundle imports them. */
const ALWAYS = [
  'src/local/{build,build-record,code-cache}.ts',
  'console/build.ts',
  'console/licences-page.ts',
  'tools/release/notices.ts',
  'tools/release/licences/*',
  'wasm/{,*/}{LICENSE*,SOURCE.md,origin.json}',
  'package-lock.json',
  'console/src/**/*',
  'docs/{photo.jpg,users/screenshots/applications.png}',
  'pages/tokens.css',
  'site/{,*/}*.{ts,jpg,json,svg,png}',
  'site/src/**/*',
  'tools/release/packages/{bundle,gpl-wrappers,symbol-dispose,unused-texts}.ts',
  'src/core/catalog/outputs.ts',
]
const CACHED = 'src/local/press/cached.ts'
/** Module that compiles engines when they are needed. */
const LOADING = join(import.meta.dirname, '../../wasm/loading/engine-files.ts')
/** Last files that the builds of the console and of the front page write. Miniflare serves the folder that they are in. */
const PAGES = ['console/public/licences.html', 'console/public/sw.js']

/**
 * Builds what has changed.
 * @returns the folder of the bundles: `edge`, `forward` and `door` for workerd, `press` and `media` for Node, with their code caches and the Wasm engines
 * @throws Error if a page cannot be built, or if source files change during the build
 */
export async function buildBundles(root: string, folder: string): Promise<string> {
  const previous = readBuilt(folder)
  if (previous && PAGES.every((path) => existsSync(join(root, path))) && isUnchanged(root, folder, previous))
    return join(folder, previous.hash)
  buildPages(root)
  const temporary = join(folder, `temporary-${process.pid}`)
  rmSync(temporary, { recursive: true, force: true })
  mkdirSync(temporary, { recursive: true })
  const always = globSync(ALWAYS, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile())
  const inputs = [
    ...new Set([...always.map((entry) => relative(root, join(entry.parentPath, entry.name))), ...(await build(root, temporary))]),
  ].sort()
  const hash = hashOf(root, inputs)
  if (hash === undefined) throw new Error('Source files changed during the build. Run the build again.')
  const built = join(folder, hash)
  moveUnlessThere(temporary, built)
  writeBuilt(folder, { hash, inputs })
  removeUnused(folder, hash)
  return built
}

/** Moves a folder to a place that is named after its content. If another process was faster, its folder stays, because services may run from it. */
export function moveUnlessThere(folder: string, place: string): void {
  try {
    renameSync(folder, place)
  } catch (error) {
    if (!existsSync(place)) throw error
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Builds the console and the front page, into the folder of the assets. */
function buildPages(root: string): void {
  for (const script of ['console/build.ts', 'site/build.ts']) {
    const { status, stderr } = spawnSync(process.execPath, [join(root, script)], { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${script} failed:\n${stderr}`)
  }
}

/** Bundles all entry points. @returns the paths of all input files, relative to the root */
async function build(root: string, outdir: string): Promise<string[]> {
  const esbuild = await import('esbuild')
  const engines: string[] = []
  const workers: BuildOptions = {
    ...COMMON,
    ...EXTENSION,
    absWorkingDir: root,
    entryPoints: { edge: 'src/index.ts', door: 'src/service/remote/door.ts', forward: 'src/local/workers/forward.ts' },
    outdir,
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
  }
  const inNode: BuildOptions = { ...COMMON, absWorkingDir: root, outdir, platform: 'node' }
  const pressProcesses: BuildOptions = {
    ...inNode,
    outExtension: { '.js': '.cjs' },
    entryPoints: { press: 'src/local/press/press.ts', media: 'src/local/press/media.ts' },
    format: 'cjs',
    define: { 'import.meta.url': BUNDLE_ADDRESS },
    plugins: [engineFiles(outdir, engines)],
  }
  const starts: BuildOptions = { ...inNode, ...EXTENSION, entryPoints: { press: CACHED, media: CACHED } }
  const results = await Promise.all([workers, pressProcesses, starts].map((options) => esbuild.build(options)))
  await Promise.all(
    ['press', 'media'].map((bundle) => {
      const file = join(outdir, `${bundle}.cjs`)
      writeFileSync(file, inAscii(readFileSync(file, 'utf8')))
      return makeCodeCache(outdir, bundle)
    }),
  )
  const sources = results.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  const files = sources.filter((path) => !path.includes(':'))
  return [...files, ...engines.map((path) => relative(root, path))]
}

/**
 * Node cannot import Wasm as a module here. The plugin copies each engine beside the bundle, and the bundle reads and compiles it when a
 * job first needs it: all engines together are 30 MB.
 */
function engineFiles(outdir: string, found: string[]): Plugin {
  return {
    name: 'engine-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({
        path: path.startsWith('.') ? join(resolveDir, path) : createRequire(join(resolveDir, 'importer.js')).resolve(path),
        namespace: 'engine',
      }))
      onLoad({ filter: /.*/, namespace: 'engine' }, ({ path }) => {
        found.push(path)
        copyFileSync(path, join(outdir, basename(path)))
        const name = basename(path, '.wasm')
        const contents = `import { EngineFile } from ${JSON.stringify(LOADING)}
export default new EngineFile('${name}', new URL('./${name}.wasm', import.meta.url))`
        return { contents, loader: 'js', resolveDir: outdir }
      })
    },
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  console.log(await buildBundles(root, join(root, '.dev/build')))
}
