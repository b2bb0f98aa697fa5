/** Bundles packages for Node: code in chunks that are loaded when they are first needed, and Wasm engines as files beside them. */
import { copyFileSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'

export const ROOT = resolve(import.meta.dirname, '../../..')

export interface Bundle {
  /** Entry files by the name of their output. */
  readonly entryPoints: Readonly<Record<string, string>>
  /** Packages that are not bundled. */
  readonly external?: readonly string[]
  /** Packages that are replaced by files of the checkout. */
  readonly alias?: Readonly<Record<string, string>>
  /** True: the bundle contains no engine under the GPL or LGPL. Its wrapper then throws, because no format of the bundle uses it. */
  readonly withoutGpl?: boolean
}

/**
 * Writes a bundle to `outdir`.
 * @returns the input files, as paths from the root
 * @throws Error if the bundle has a GPL engine that `withoutGpl` forbids
 */
export async function bundle({ entryPoints, external = [], alias = {}, withoutGpl = false }: Bundle, outdir: string): Promise<string[]> {
  mkdirSync(outdir, { recursive: true })
  const engines: string[] = []
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir,
    external: [...external],
    alias,
    plugins: [...(withoutGpl ? [gplWrappers()] : []), engineFiles(outdir, engines)],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: 'chunks/[name]-[hash]',
    inject: [join(import.meta.dirname, 'node-20.ts')],
    define: { 'Map.groupBy': 'mapGroupBy' },
    metafile: true,
    logLevel: 'warning',
  })
  if (withoutGpl && engines.some((engine) => GPL_ENGINES.includes(dirname(engine)))) throw new Error(`GPL engines in ${outdir}: ${engines}`)
  return [...Object.keys(metafile.inputs).filter((path) => !path.includes(':')), ...engines].sort()
}

/** Folders of the engines under the GPL or LGPL, as `origin.json` says. */
const GPL_ENGINES = globSync('wasm/*/origin.json', { cwd: ROOT })
  .filter((path) => /"[AL]?GPL-/.test(readFileSync(join(ROOT, path), 'utf8')))
  .map(dirname)

/** Replaces the wrappers of GPL engines by one that throws. The check of receipts imports them for sound and films. */
function gplWrappers(): Plugin {
  const wrappers = GPL_ENGINES.map((folder) => join(ROOT, folder, `${basename(folder)}.ts`))
  return {
    name: 'gpl-wrappers',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!wrappers.includes(path)) return undefined
        const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:class|const|function) (\w+)/gm)].map(([, name]) => name)
        const classes = names.map(
          (name) => `export class ${name} { constructor() { throw new Error('films and sound need @whittle-app/film') } }`,
        )
        return { contents: classes.join('\n'), loader: 'js' }
      })
    },
  }
}

/** Copies each engine beside the chunks. The chunk that imports an engine compiles it when the chunk is loaded. */
function engineFiles(outdir: string, found: string[]): Plugin {
  return {
    name: 'engine-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({
        path: path.startsWith('.') ? join(resolveDir, path) : createRequire(join(resolveDir, 'importer.js')).resolve(path),
        namespace: 'engine',
      }))
      onLoad({ filter: /.*/, namespace: 'engine' }, ({ path }) => {
        const folder = join(outdir, 'chunks')
        mkdirSync(folder, { recursive: true })
        copyFileSync(path, join(folder, basename(path)))
        found.push(path.slice(ROOT.length + 1))
        const contents = `import { readFileSync } from 'node:fs'
export default new WebAssembly.Module(readFileSync(new URL('./${basename(path)}', import.meta.url)))`
        return { contents, loader: 'js' }
      })
    },
  }
}
