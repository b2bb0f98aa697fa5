/**
 * Well-known npm packages that Whittle is compared with. The benchmark installs them into a temporary folder; the project does not use
 * them.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VERSIONS = {
  '@jsquash/jpeg': '1.6.0',
  '@jsquash/png': '3.1.1',
  '@jsquash/oxipng': '2.3.0',
  '@jsquash/webp': '1.5.0',
  '@jsquash/avif': '2.1.1',
  '@ffmpeg/ffmpeg': '0.12.15',
  '@ffmpeg/core': '0.12.10',
  fflate: '0.8.3',
  'zstd-codec': '0.1.5',
} as const

export type Package = keyof typeof VERSIONS

export const nameOf = (name: Package) => `${name} ${VERSIONS[name]}`

/** Installs the packages. Returns the temporary folder, which also takes other files. */
export function install(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-stock-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }))
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' })
  return folder
}
