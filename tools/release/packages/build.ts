/** Builds a package for npm: `node tools/release/packages/build.ts core|film|cli OUTDIR`. */
import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { noticesText } from '../notices.ts'
import { type Bundle, bundle } from './bundle.ts'
import { writeDeclarations } from './declarations.ts'

interface Package {
  readonly bundle: Bundle
  /** Source file whose declarations are published. `undefined`: none. */
  readonly types?: string
}

/** The command, and the threads that compress. */
export const COMMAND: Bundle = { entryPoints: { main: 'packages/cli/src/main.ts', worker: 'packages/cli/src/worker.ts' } }

export const PACKAGES: Readonly<Record<string, Package>> = {
  core: { bundle: { entryPoints: { index: 'packages/core/src/index.ts' }, withoutGpl: true }, types: 'packages/core/src/index.ts' },
  cli: { bundle: { ...COMMAND, separate: { 'packages/film/src/index.ts': '@whittle-app/film' }, withoutGpl: true } },
  film: { bundle: { entryPoints: { index: 'packages/film/src/index.ts' } }, types: 'packages/film/src/index.ts' },
}

export async function buildPackage(name: string, outdir: string): Promise<void> {
  const made = PACKAGES[name]
  if (!made) throw new Error(`Expected one of ${Object.keys(PACKAGES).join(', ')}, got '${name}'.`)
  rmSync(outdir, { recursive: true, force: true })
  const inputs = await bundle(made.bundle, outdir)
  writeFileSync(resolve(outdir, 'LICENSES.txt'), noticesText(inputs))
  if (made.types !== undefined) writeDeclarations(made.types, outdir)
}

if (import.meta.main) {
  const [name = '', outdir = 'dist'] = process.argv.slice(2)
  await buildPackage(name, resolve(outdir))
}
