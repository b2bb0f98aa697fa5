/**
 * Bundles the library for browsers and every other platform: ES modules in one folder, with the engines as files beside them. Engines
 * under the GPL are left out.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { gplWrappers } from './gpl-wrappers.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const LOADING = join(ROOT, 'wasm/loading/engine-files.ts')

interface BundleOptions {
  /** True: names of entries and engines contain a hash of the content, as those of chunks always do. Default: false. */
  readonly namesWithHash?: boolean
}

/**
 * Writes a bundle to `outdir`. Its code runs in browsers, Node 20, Deno and Bun, and loads engines when it needs them.
 * @param entryPoints entry files, as paths from the root, by the name of their output
 */
export async function bundleForBrowsers(
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
  { namesWithHash = false }: BundleOptions = {},
): Promise<Metafile> {
  mkdirSync(outdir, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    entryNames: namesWithHash ? '[name]-[hash]' : '[name]',
    chunkNames: '[name]-[hash]',
    // esbuild replaces `using`, and its replacement looks for this symbol where the platform has none.
    define: { 'Symbol.dispose': 'symbolDispose' },
    inject: [join(import.meta.dirname, 'symbol-dispose.ts')],
    plugins: [gplWrappers(), engineFiles(outdir, namesWithHash), withoutOwnAddress],
    metafile: true,
    logLevel: 'warning',
  })
  return metafile
}

/** Copies each engine beside the bundle. Its import becomes a file that is loaded when it is needed. */
const engineFiles = (outdir: string, namesWithHash: boolean): Plugin => ({
  name: 'engine-files',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path),
      namespace: 'engine',
      sideEffects: false,
    }))
    onLoad({ filter: /.*/, namespace: 'engine' }, ({ path }) => {
      const name = basename(path, '.wasm')
      const hash = namesWithHash ? `-${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 8)}` : ''
      copyFileSync(path, join(outdir, `${name}${hash}.wasm`))
      const contents = `import { EngineFile } from ${JSON.stringify(LOADING)}
export default new EngineFile('${name}', new URL('./${name}${hash}.wasm', import.meta.url))`
      return { contents, loader: 'js', resolveDir: ROOT }
    })
  },
})

/** Removes the address of the binary from the glue code of Emscripten. Nothing uses it here, but webpack would look for the file. */
const withoutOwnAddress: Plugin = {
  name: 'without-own-address',
  setup({ onLoad }) {
    onLoad({ filter: /avif_(enc|dec)\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/new URL\("avif_\w+\.wasm", ?import\.meta\.url\)/g, "({ href: '' })"),
      loader: 'js',
    }))
  },
}
