/** Bundles packages: code in chunks that are loaded when they are first needed, and Wasm engines as files beside them. */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { GPL_ENGINES, gplWrappers } from './gpl-wrappers.ts'
import { withoutUnusedTexts } from './unused-texts.ts'

export const ROOT = resolve(import.meta.dirname, '../../..')
const LOADING = join(ROOT, 'wasm/loading/engine-files.ts')

export interface Bundle {
  /** Entry files by the name of their output. */
  readonly entryPoints: Readonly<Record<string, string>>
  /** `browser`: runs in browsers, Node 20, Deno and Bun. `node`: dependencies may need Node. Default: `browser`. */
  readonly platform?: 'browser' | 'node'
  /** Files, as paths from the root, that are imported as another package instead of bundled. Default: none. */
  readonly separate?: Readonly<Record<string, string>>
  /** Packages that may be missing, with the message of the error that an import of a missing one throws. */
  readonly optional?: Readonly<Record<string, string>>
  /**
   * True: the bundle contains no engine under the GPL or LGPL. Its wrapper then throws, because no format of the bundle uses it.
   * Default: false.
   */
  readonly withoutGpl?: boolean
  /** True: names of entries and engines contain a hash of the content, as those of chunks always do. Default: false. */
  readonly namesWithHash?: boolean
}

export interface Bundled {
  /** Input files, as paths from the root. */
  readonly inputs: readonly string[]
  readonly metafile: Metafile
}

/**
 * Writes a bundle to `outdir`.
 * @throws Error if the bundle has a GPL engine that `withoutGpl` forbids
 */
export async function bundle(
  { entryPoints, platform = 'browser', separate = {}, optional = {}, withoutGpl = false, namesWithHash = false }: Bundle,
  outdir: string,
): Promise<Bundled> {
  mkdirSync(outdir, { recursive: true })
  const engines: string[] = []
  const options = {
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    plugins: [
      separatePackages(separate),
      optionalPackages(optional),
      ...(withoutGpl ? [gplWrappers()] : []),
      engineFiles(outdir, engines, namesWithHash),
      withoutOwnAddress,
      disposeSymbol,
    ],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform,
    // Entries for Node import these. Entries for browsers do not, which a test checks.
    external: ['node:*'],
    target: 'es2022',
    entryNames: namesWithHash ? '[name]-[hash]' : '[name]',
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
  } satisfies BuildOptions
  const texts = withoutGpl ? [await withoutUnusedTexts(options)] : []
  engines.length = 0
  const { metafile } = await build({ ...options, plugins: [...texts, ...options.plugins], metafile: true })
  if (withoutGpl && engines.some((engine) => GPL_ENGINES.includes(dirname(engine)))) throw new Error(`GPL engines in ${outdir}: ${engines}`)
  return { inputs: [...Object.keys(metafile.inputs).filter((path) => !path.includes(':')), ...engines].sort(), metafile }
}

/** Replaces packages that are not installed by a module that throws when it is imported. */
function optionalPackages(optional: Readonly<Record<string, string>>): Plugin {
  const missing = Object.entries(optional).filter(([name]) => !existsSync(join(ROOT, 'node_modules', name)))
  return {
    name: 'optional-packages',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[^.]/ }, ({ path }) => {
        const text = missing.find(([name]) => path === name || path.startsWith(`${name}/`))?.[1]
        return text === undefined ? undefined : { path: text, namespace: 'missing' }
      })
      onLoad({ filter: /.*/, namespace: 'missing' }, ({ path }) => ({
        contents: `throw new Error(${JSON.stringify(path)}); module.exports = {}`,
        loader: 'js',
      }))
    },
  }
}

function separatePackages(separate: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'separate-packages',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const name = separate[join(resolveDir, path).slice(ROOT.length + 1)]
        return name === undefined ? undefined : { path: name, external: true }
      })
    },
  }
}

/** Copies each engine beside the chunks. Its import becomes a file that is loaded when it is needed. */
function engineFiles(outdir: string, found: string[], namesWithHash: boolean): Plugin {
  return {
    name: 'engine-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({
        path: path.startsWith('.') ? join(resolveDir, path) : createRequire(join(resolveDir, 'importer.js')).resolve(path),
        namespace: 'engine',
        sideEffects: false,
      }))
      onLoad({ filter: /.*/, namespace: 'engine' }, ({ path }) => {
        const name = basename(path, '.wasm')
        const hash = namesWithHash ? `-${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 8)}` : ''
        copyFileSync(path, join(outdir, `${name}${hash}.wasm`))
        found.push(path.slice(ROOT.length + 1))
        const contents = `import { EngineFile } from ${JSON.stringify(LOADING)}
export default new EngineFile('${name}', new URL('./${name}${hash}.wasm', import.meta.url))`
        return { contents, loader: 'js', resolveDir: ROOT }
      })
    },
  }
}

/** Removes the address of the binary from the glue code of Emscripten. Nothing uses it here, but webpack would look for the file. */
const withoutOwnAddress: Plugin = {
  name: 'without-own-address',
  setup({ onLoad }) {
    onLoad({ filter: /avif_dec\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/new URL\("avif_\w+\.wasm", ?import\.meta\.url\)/g, "({ href: '' })"),
      loader: 'js',
    }))
  },
}

const DISPOSE = 'Symbol.dispose'

/**
 * Replaces `Symbol.dispose` by a symbol that every platform has. esbuild replaces `using`, and its replacement looks for the same symbol.
 * Injected code of esbuild would be called in each chunk, which makes the entry larger.
 */
const disposeSymbol: Plugin = {
  name: 'dispose-symbol',
  setup({ onLoad }) {
    const file = join(import.meta.dirname, 'symbol-dispose.ts')
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (path === file || !text.includes(DISPOSE)) return undefined
      return {
        contents: `import { symbolDispose } from ${JSON.stringify(file)}\n${text.replaceAll(DISPOSE, 'symbolDispose')}`,
        loader: 'ts',
      }
    })
  },
}
