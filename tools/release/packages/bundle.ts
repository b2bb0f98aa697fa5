/** Bundles packages for Node: code in chunks that are loaded when they are first needed, and Wasm engines as files beside them. */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { GPL_ENGINES, gplWrappers } from './gpl-wrappers.ts'

export const ROOT = resolve(import.meta.dirname, '../../..')

export interface Bundle {
  /** Entry files by the name of their output. */
  readonly entryPoints: Readonly<Record<string, string>>
  /** Files, as paths from the root, that are imported as another package instead of bundled. */
  readonly separate?: Readonly<Record<string, string>>
  /** True: the bundle contains no engine under the GPL or LGPL. Its wrapper then throws, because no format of the bundle uses it. */
  readonly withoutGpl?: boolean
}

/**
 * Writes a bundle to `outdir`.
 * @returns the input files, as paths from the root
 * @throws Error if the bundle has a GPL engine that `withoutGpl` forbids
 */
export async function bundle({ entryPoints, separate = {}, withoutGpl = false }: Bundle, outdir: string): Promise<string[]> {
  mkdirSync(outdir, { recursive: true })
  const engines: string[] = []
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    plugins: [separatePackages(separate), cryptoOfNode, ...(withoutGpl ? [gplWrappers()] : []), engineFiles(outdir, engines)],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: '[name]-[hash]',
    inject: [join(import.meta.dirname, 'node-20.ts')],
    define: { 'Map.groupBy': 'mapGroupBy' },
    metafile: true,
    logLevel: 'warning',
  })
  if (withoutGpl && engines.some((engine) => GPL_ENGINES.includes(dirname(engine)))) throw new Error(`GPL engines in ${outdir}: ${engines}`)
  return [...Object.keys(metafile.inputs).filter((path) => !path.includes(':')), ...engines].sort()
}

/** Leaves out the hashes and ciphers in JavaScript, because Node has its own. */
const cryptoOfNode: Plugin = {
  name: 'crypto-of-node',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]bytes[/\\]platform[/\\]portable(?:-ciphers)?\.ts$/ }, ({ path }) => ({
      contents: `export const ${path.includes('ciphers') ? 'PORTABLE_CIPHERS' : 'PORTABLE_HASHES'} = new Proxy({}, {
  get() { throw new Error('This package needs Node 20.16 or newer.') },
})`,
      loader: 'js',
    }))
  },
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

const ENGINE_IMPORT = /^import (\w+) from '[^']+\.wasm'$/m

/** Source of a wrapper that calls what it imports from a `.wasm` file, so that an engine is compiled when it is first used. */
function compiledWhenUsed(text: string): string {
  const names = text.split('\n').flatMap((line) => ENGINE_IMPORT.exec(line)?.[1] ?? [])
  const uses = new RegExp(`(?<![.\\w])(${names.join('|')})(?=[,)])`, 'g')
  return text.replaceAll(uses, '$1()')
}

/** Copies each engine beside the chunks. An import of it is a function that compiles it at its first call. */
function engineFiles(outdir: string, found: string[]): Plugin {
  return {
    name: 'engine-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({
        path: path.startsWith('.') ? join(resolveDir, path) : createRequire(join(resolveDir, 'importer.js')).resolve(path),
        namespace: 'engine',
      }))
      onLoad({ filter: /.*/, namespace: 'engine' }, ({ path }) => {
        copyFileSync(path, join(outdir, basename(path)))
        found.push(path.slice(ROOT.length + 1))
        const contents = `import { readFileSync } from 'node:fs'
let compiled
export default () => (compiled ??= new WebAssembly.Module(readFileSync(new URL('./${basename(path)}', import.meta.url))))`
        return { contents, loader: 'js' }
      })
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        return ENGINE_IMPORT.test(text) ? { contents: compiledWhenUsed(text), loader: 'ts' } : undefined
      })
    },
  }
}
