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
  /** Paths of the packed files. */
  readonly archives: readonly string[]
}

/** Packs the packages `names` of `packages/` and installs them together into a new folder. */
export function install(...names: readonly string[]): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-package-'))
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, env: ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' })
  const archives = names.map((name) => {
    const [packed] = JSON.parse(jsonOf(npm(join(ROOT, 'packages', name), 'pack', '--json', '--pack-destination', folder))) as [
      { filename: string },
    ]
    return join(folder, packed.filename)
  })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0', private: true, type: 'module' }))
  npm(folder, 'install', ...archives)
  return { folder, archives, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The JSON at the end of npm's output, after what the scripts of the package printed. */
const jsonOf = (output: string) => output.slice(output.search(/^\[\s*$/m))

/** Links the types of Node into `folder`, so that TypeScript can check a program there. */
export function linkNodeTypes(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types']) symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
}
