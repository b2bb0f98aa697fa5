/**
 * `npm run sources`: writes the corresponding source of `whittle-media` (GPL-3.0, section 6) to `dist/whittle-media-source.tar`: the
 * committed repository and the source archives of its engines. The archives come from Debian and are checked against `origin.json`.
 * Needs git, tar and apt's source packages of Debian 12 and 13.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const ENGINES = ['ffmpeg', 'hevc', 'lame', 'flac', 'opus', 'vorbis', 'libdeflate']
const DEBIAN = /Debian source package ([\w.+-]+)\)/

interface Source {
  readonly name: string
  readonly version: string
  readonly sha256: string
}

/**
 * Downloads a source archive. @returns its file name in `folder`
 * @throws Error if no file has the hash in origin.json
 */
function fetchSource({ name, version, sha256 }: Source, folder: string): string {
  const packageName = DEBIAN.exec(name)?.[1]
  if (packageName === undefined) throw new Error(`The source '${name}' names no Debian source package.`)
  execFileSync('apt-get', ['source', '--download-only', '--tar-only', '-q', `${packageName}=${version}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const hasExpectedHash = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex') === sha256
  const found = readdirSync(folder).find(hasExpectedHash)
  if (found === undefined) throw new Error(`No file of ${packageName} ${version} has the SHA-256 ${sha256}.`)
  return found
}

const temporaryFolder = mkdtempSync(join(tmpdir(), 'whittle-sources-'))
try {
  const sources = ENGINES.flatMap(
    (engine) => (JSON.parse(readFileSync(join(root, `wasm/${engine}/origin.json`), 'utf8')) as { sources: Source[] }).sources,
  )
  // Two engines come from the same archive.
  const archives = [...new Set(sources.map((source) => fetchSource(source, temporaryFolder)))]
  execFileSync('git', ['archive', '--format=tar', '--prefix=whittle/', '-o', join(temporaryFolder, 'whittle.tar'), 'HEAD'], { cwd: root })
  const out = join(root, 'dist/whittle-media-source.tar')
  mkdirSync(join(root, 'dist'), { recursive: true })
  execFileSync('tar', ['cf', out, '-C', temporaryFolder, 'whittle.tar', ...archives])
  console.log(`${out}: whittle.tar, ${archives.join(', ')}`)
} finally {
  rmSync(temporaryFolder, { recursive: true, force: true })
}
