/**
 * `npm run sources`: the corresponding source of `whittle-media` (GPL-3.0, section 6) in `dist/whittle-media-source.tar`: this
 * repository as it was committed, and the archives its engines were made from, as Debian has them, checked against `origin.json`.
 * Needs git, tar and apt's source packages of Debian 12.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const ENGINES = ['ffmpeg', 'lame', 'flac', 'libdeflate']
const DEBIAN = /Debian source package ([\w.+-]+)\)/

interface Source {
  readonly name: string
  readonly version: string
  readonly sha256: string
}

/** Downloads what a source says. @returns its file's name in `folder` */
function fetchSource({ name, version, sha256 }: Source, folder: string): string {
  const debian = DEBIAN.exec(name)?.[1]
  if (debian === undefined) throw new Error(`Where the source of '${name}' comes from is not known.`)
  execFileSync('apt-get', ['source', '--download-only', '-q', `${debian}=${version}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const isIt = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex') === sha256
  const found = readdirSync(folder).find(isIt)
  if (found === undefined) throw new Error(`No file of ${debian} ${version} has the SHA-256 ${sha256}.`)
  return found
}

const scratch = mkdtempSync(join(tmpdir(), 'whittle-sources-'))
try {
  const sources = ENGINES.flatMap(
    (engine) => (JSON.parse(readFileSync(join(root, `wasm/${engine}/origin.json`), 'utf8')) as { sources: Source[] }).sources,
  )
  const archives = sources.map((source) => fetchSource(source, scratch))
  execFileSync('git', ['archive', '--format=tar', '--prefix=whittle/', '-o', join(scratch, 'whittle.tar'), 'HEAD'], { cwd: root })
  const out = join(root, 'dist/whittle-media-source.tar')
  mkdirSync(join(root, 'dist'), { recursive: true })
  execFileSync('tar', ['cf', out, '-C', scratch, 'whittle.tar', ...archives])
  console.log(`${out}: whittle.tar, ${archives.join(', ')}`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
