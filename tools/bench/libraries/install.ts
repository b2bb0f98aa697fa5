/** Installs the libraries of the benchmark, each into its own folder, and measures their size. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Program {
  readonly name: string
  /** Flag that prints the version, and what it must mention. */
  readonly version: readonly [flag: string, mentions: string]
}

/** Programs that packages of imagemin download or compile when they are installed. */
const PROGRAMS: { readonly [packageName: string]: Program } = {
  mozjpeg: { name: 'cjpeg', version: ['-version', 'mozjpeg'] },
  'cwebp-bin': { name: 'cwebp', version: ['-version', '.'] },
  'pngquant-bin': { name: 'pngquant', version: ['--version', '.'] },
  'optipng-bin': { name: 'optipng', version: ['--version', 'OptiPNG'] },
}
const INSTALL_SECONDS = 20

/** Installs packages into `folder`. Returns a remark if they use programs of this machine, or lack programs. */
export function installPackages(folder: string, packages: { readonly [name: string]: string }): string | undefined {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies: packages }))
  // The scripts of imagemin's packages would compile for minutes if they cannot download.
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' })
  const remarks = Object.entries(PROGRAMS).flatMap(([name, program]) => remarkOn(join(folder, 'node_modules', name), program) ?? [])
  return remarks.length > 0 ? remarks.join(', ') : undefined
}

/** Gives a package its program: that of this machine, or else what the package downloads. */
function remarkOn(packageFolder: string, { name, version }: Program): string | undefined {
  if (!existsSync(packageFolder)) return undefined
  const [flag, mentions] = version
  const found = (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, name)))
  const known = found === undefined ? undefined : spawnSync(join(found, name), [flag], { encoding: 'utf8' })
  if (found !== undefined && `${known?.stdout}${known?.stderr}`.includes(mentions)) {
    mkdirSync(join(packageFolder, 'vendor'), { recursive: true })
    copyFileSync(join(found, name), join(packageFolder, 'vendor', name))
    return `${name} of this machine`
  }
  const script = ['-s', 'KILL', String(INSTALL_SECONDS), process.execPath, 'lib/install.js']
  return spawnSync('timeout', script, { cwd: packageFolder, stdio: 'ignore' }).status === 0 ? undefined : `no ${name}`
}

/** Bytes of all files below `folder`. */
export function bytesBelow(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = lstatSync(join(folder, name))
    if (file.isFile()) bytes += file.size
  }
  return bytes
}
