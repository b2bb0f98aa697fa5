/** Builds the package of the service: `node tools/release/packages/server.ts OUTDIR`. */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { buildBundles } from '../../../src/local/build.ts'
import { noticesText } from '../notices.ts'
import { ROOT } from './bundle.ts'

/** Programs that run in Node. All outputs are in one folder, as `src/local/installation.ts` expects. */
const PROGRAMS = { start: 'src/local/start.ts', serve: 'src/local/serve.ts', state: 'tools/state.ts' }
/** Packages in CommonJS call `require` for modules of Node. */
const REQUIRE = "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);"
/** Needed only to build. The package has everything built. */
const UNUSED = ['esbuild']
const DEATH_SIGNAL = 'workerd-with-parent-death-signal.sh'

export async function buildServer(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true })
  const folder = join(ROOT, '.dev/build')
  cpSync(await buildBundles(ROOT, folder), join(outdir, 'workers'), { recursive: true })
  execFileSync(process.execPath, [join(ROOT, 'pages/docs/build.ts')], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  cpSync(join(ROOT, 'console/public'), join(outdir, 'console/public'), { recursive: true })
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS,
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    external: ['miniflare', ...UNUSED],
    banner: { js: REQUIRE },
    chunkNames: '[name]-[hash]',
    metafile: true,
    logLevel: 'warning',
  })
  copyFileSync(join(ROOT, 'src/local', DEATH_SIGNAL), join(outdir, DEATH_SIGNAL))
  chmodSync(join(outdir, DEATH_SIGNAL), 0o755)
  copyFileSync(join(ROOT, 'docs/photo.jpg'), join(outdir, 'photo.jpg'))
  const { inputs } = JSON.parse(readFileSync(join(folder, 'built.json'), 'utf8')) as { inputs: string[] }
  writeFileSync(join(outdir, 'LICENSES.txt'), noticesText([...new Set([...Object.keys(metafile.inputs), ...inputs])].sort()))
}

if (import.meta.main) await buildServer(resolve(process.argv[2] ?? 'dist'))
