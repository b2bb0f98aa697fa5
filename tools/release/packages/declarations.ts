/** Type declarations of a package: those of its entries and what they refer to, without the types of Cloudflare. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './bundle.ts'

/** Matches the file of `from './x.ts'`, `import './x.ts'` and `import('./x.ts')` in declarations. */
const REFERENCE = /(?<=(?:from |import |import\()['"])(\.[^'"]+)\.ts(?=['"])/g

/**
 * Writes the declarations of a package's entries, and those that they refer to below `types/`.
 * @param entries source files as paths from the root, by the name of their output
 * @throws Error if an entry has type errors
 */
export function writeDeclarations(entries: Readonly<Record<string, string>>, outdir: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-types-'))
  try {
    emit(Object.values(entries), folder)
    const found = new Set(Object.values(entries).map((entry) => entry.replace(/\.ts$/, '.d.ts')))
    for (const file of found) for (const target of referencesOf(folder, file)) found.add(target)
    for (const file of found) {
      const target = join(outdir, 'types', file)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, textOf(folder, file).replaceAll(REFERENCE, '$1.js'))
    }
    for (const [name, entry] of Object.entries(entries))
      writeFileSync(join(outdir, `${name}.d.ts`), `export * from './types/${entry.replace(/\.ts$/, '.js')}'\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function emit(entries: readonly string[], folder: string): void {
  const config = {
    extends: join(ROOT, 'tools/tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      emitDeclarationOnly: true,
      declaration: true,
      stripInternal: true,
      rootDir: ROOT,
      outDir: join(folder, 'out'),
    },
    include: [...entries.map((entry) => join(ROOT, entry)), join(ROOT, 'wasm/wasm.d.ts'), join(ROOT, 'test/support/*.d.ts')],
    exclude: [],
  }
  // TypeScript looks for packages above its configuration.
  const path = join(ROOT, '.dev', `declarations-${process.pid}.json`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(config))
  const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', path], { encoding: 'utf8' })
  rmSync(path)
  if (status !== 0) throw new Error(`${entries} have no declarations:\n${stdout}`)
}

const textOf = (folder: string, file: string) => readFileSync(join(folder, 'out', file), 'utf8')

const referencesOf = (folder: string, file: string) =>
  [...textOf(folder, file).matchAll(REFERENCE)].map(([, target]) => join(dirname(file), `${target}.d.ts`))
