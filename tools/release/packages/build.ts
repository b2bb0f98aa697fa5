/** Builds a package for npm: `node tools/release/packages/build.ts core|film|vite|cli OUTDIR`. */
import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { noticesText } from '../notices.ts'
import { type Bundle, bundle } from './bundle.ts'
import { writeDeclarations } from './declarations.ts'

interface Package {
  readonly bundle: Bundle
  /** Names of the outputs whose declarations are published. */
  readonly typed: readonly string[]
}

/** The command, and the threads that compress. */
export const COMMAND: Bundle = { entryPoints: { main: 'packages/cli/src/main.ts', worker: 'packages/cli/src/worker.ts' }, platform: 'node' }

/** Entries of the library for Node and for browsers, and the script of their threads. */
export const CORE: Bundle = {
  entryPoints: {
    index: 'packages/core/src/index.ts',
    worker: 'packages/core/src/worker.ts',
    browser: 'packages/core/src/browser.ts',
    'browser-worker': 'packages/core/src/browser-worker.ts',
  },
  withoutGpl: true,
}

export const PACKAGES: Readonly<Record<string, Package>> = {
  core: { bundle: CORE, typed: ['index', 'browser'] },
  cli: { bundle: { ...COMMAND, separate: { 'packages/film/src/index.ts': '@whittle-app/film' }, withoutGpl: true }, typed: [] },
  vite: {
    bundle: { entryPoints: { index: 'packages/vite/src/index.ts' }, separate: { 'packages/core/src/index.ts': '@whittle-app/core' } },
    typed: ['index'],
  },
  film: { bundle: { entryPoints: { index: 'packages/film/src/index.ts' } }, typed: ['index'] },
}

export async function buildPackage(name: string, outdir: string): Promise<void> {
  const made = PACKAGES[name]
  if (!made) throw new Error(`Expected one of ${Object.keys(PACKAGES).join(', ')}, got '${name}'.`)
  rmSync(outdir, { recursive: true, force: true })
  const { inputs } = await bundle(made.bundle, outdir)
  writeFileSync(resolve(outdir, 'LICENSES.txt'), noticesText(inputs))
  if (name === 'cli') writeFileSync(resolve(outdir, 'whittle.1'), await manual())
  if (made.typed.length > 0) writeDeclarations(Object.fromEntries(made.typed.map((name) => [name, made.bundle.entryPoints[name]!])), outdir)
}

/** Manual page of the command. Its code is imported here only, because other packages do not need it. */
async function manual(): Promise<string> {
  const { manPage } = await import('../../../packages/cli/src/man.ts')
  const { programWith } = await import('../../../packages/cli/src/program.ts')
  return manPage(programWith(() => undefined))
}

if (import.meta.main) {
  const [name = '', outdir = 'dist'] = process.argv.slice(2)
  await buildPackage(name, resolve(outdir))
}
