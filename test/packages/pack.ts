/** Packs a package of this checkout and installs it into an empty folder, as a user would. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

/** Environment in which npm runs this Node, and asks no registry. */
const ENVIRONMENT = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
  npm_config_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
}

export interface Installed extends Disposable {
  /** Folder of a project that has the packages below `node_modules`. */
  readonly folder: string
}

/** Packs the package `packages/NAME` and installs it into a new folder. */
export function install(name: string): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-package-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0', private: true, type: 'module' }))
  const installed = { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
  addPackage(installed, name)
  return installed
}

/** Packs the package `packages/NAME` and installs it beside the others. */
export function addPackage({ folder }: Installed, name: string): void {
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, env: ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' })
  const printed = npm(join(ROOT, 'packages', name), 'pack', '--json', '--pack-destination', folder)
  const [{ filename }] = JSON.parse(jsonOf(printed)) as [{ filename: string }]
  npm(folder, 'install', join(folder, filename))
}

/** The JSON at the end of npm's output, after what the scripts of the package printed. */
const jsonOf = (output: string) => output.slice(output.search(/^\[\s*$/m))

/** Links the types of Node into `folder`, so that TypeScript can check a program there. */
export function linkNodeTypes(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types']) symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
}
