/**
 * Builds the command as one file that needs no Node: `npm run binary -- [OUTDIR] [TARGET …]`, by default `.dev/binary` and the platform of
 * this machine. Bun (https://bun.com) runs the code in it. Writes the licences and a list of SHA-256 beside it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Program, programOf } from '../../../test/support/runtimes.ts'
import { buildPackage } from './build.ts'
import { ROOT } from './bundle.ts'

const BUN = '1.4.5'
/** npm packages of Bun by the platform that they run on. Those for x64 run on processors without AVX2 as well. */
const RUNTIMES = {
  'linux-x64': 'linux-x64-baseline',
  'linux-arm64': 'linux-aarch64',
  'darwin-x64': 'darwin-x64-baseline',
  'darwin-arm64': 'darwin-aarch64',
  'win32-x64': 'windows-x64-baseline',
} as const

export type Target = keyof typeof RUNTIMES

export const HOST = `${process.platform}-${process.arch}`

export const isTarget = (name: string): name is Target => Object.hasOwn(RUNTIMES, name)

/** Name of a binary. */
export const binaryName = (target: Target): string => `whittle-${target}${target.startsWith('win32') ? '.exe' : ''}`

/** A file in the folder where the command runs must not change what it does, so Bun loads no settings from there. */
const NO_SETTINGS = ['dotenv', 'bunfig', 'tsconfig', 'package-json'].map((name) => `--no-compile-autoload-${name}`)

/** Starts the command. The package starts it with `bin/whittle.mjs`. */
const ENTRY = `import { main } from './main.js'
process.exitCode = await main(process.argv)
`

/**
 * Takes the place of `@whittle-app/film`, which the binary has not. Bun would look for packages that it does not bundle in the folder where
 * the command runs, and run the code there.
 */
const NO_FILM =
  "throw Object.assign(new Error('the binary has no engines for films and sound'), { code: 'ERR_MODULE_NOT_FOUND' })\nexport const film = undefined\n"

const BUN_NOTICE = `Bun ${BUN} (MIT), https://github.com/oven-sh/bun/blob/bun-v${BUN}/LICENSE.md

The binaries contain the runtime Bun, unmodified. Bun links JavaScriptCore and WebKit (LGPL-2.0), tinycc (LGPL-2.1), and the libraries that
its licence lists. Their source is at https://github.com/oven-sh/bun and https://github.com/oven-sh/WebKit. To use another build of them,
run \`bun build --compile --compile-executable-path=YOUR_BUN\` as tools/release/packages/binary.ts of Whittle does.
`

/**
 * Builds binaries into `outdir`.
 * @throws Error if npm cannot bring Bun
 */
export async function buildBinaries(targets: readonly Target[], outdir: string): Promise<void> {
  mkdirSync(outdir, { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'whittle-binary-'))
  try {
    await buildPackage('cli', folder)
    writeFileSync(join(folder, 'entry.js'), ENTRY)
    mkdirSync(join(folder, 'node_modules/@whittle-app/film'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/@whittle-app/film/index.js'), NO_FILM)
    for (const target of targets) compile(target, folder, join(outdir, binaryName(target)))
    writeFileSync(join(outdir, 'LICENSES.txt'), `${BUN_NOTICE}\n---\n\n${readFileSync(join(folder, 'LICENSES.txt'), 'utf8')}`)
    await writeSums(outdir)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function compile(target: Target, folder: string, file: string): void {
  const bun = pathOf(programOf(`bun@${BUN}`, '.bin/bun'))
  const name = RUNTIMES[target]
  const runtime = pathOf(programOf(`@oven/bun-${name}@${BUN}`, `@oven/bun-${name}/bin/bun${target.startsWith('win32') ? '.exe' : ''}`))
  const engines = globSync('*.wasm', { cwd: folder }).sort()
  const options = [
    ...['build', '--compile', `--target=bun-${name}`, `--compile-executable-path=${runtime}`, ...NO_SETTINGS],
    // Threads and engines keep their names, by which the code finds them beside itself.
    ...['--root=.', '--reject-unresolved', '--asset-naming=[name].[ext]', '--minify', `--outfile=${file}`],
  ]
  execFileSync(bun, [...options, 'entry.js', 'worker.js', ...engines], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
}

function pathOf(program: Program): string {
  if ('missing' in program) throw new Error(program.missing)
  return program.path
}

/** Writes `SHA256SUMS` over the binaries in a folder, as `sha256sum --check` reads it. */
async function writeSums(folder: string): Promise<void> {
  const lines: string[] = []
  for (const name of globSync('whittle-*', { cwd: folder }).sort()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name)), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

if (import.meta.main) {
  const [outdir = join(ROOT, '.dev/binary'), ...names] = process.argv.slice(2)
  const targets = names.length > 0 ? names : [HOST]
  const wrong = targets.find((name) => !isTarget(name))
  if (wrong !== undefined) throw new Error(`Expected targets of ${Object.keys(RUNTIMES).join(', ')}, got '${wrong}'.`)
  await buildBinaries(targets.filter(isTarget), resolve(outdir))
  for (const target of targets.filter(isTarget)) {
    const file = join(resolve(outdir), binaryName(target))
    console.log(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB`)
  }
}
