/**
 * Measures the formats beside those of the specification on collected files: `npm run bench -- collected --corpus FOLDER [--only 'webp,
 * flac'] [--docs]`. FOLDER has one folder per format. `--docs` writes the section of docs/contributors/measured.md.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { FILE, when } from '../docs.ts'
import { files, type Measured, ours } from '../harness.ts'
import { sectionOf, table, withSection } from '../sections.ts'
import { atEqualScore, FAMILIES, type Family } from './families.ts'

const LEVELS = ['high', 'medium', 'low'] as const

/** A line that `tools/try.ts` prints. */
interface Line {
  readonly path: string
  readonly in: number
  readonly out: number
  readonly cpuSeconds: number
  readonly rssMB: number
  readonly kind?: string
}

/** Files of one format at one level. */
interface Level {
  readonly lines: readonly Line[]
  readonly folder: string
}

const HEAD = [
  'format',
  'files',
  'upload, MB',
  'high',
  'medium',
  'low',
  'smaller at medium',
  'peer',
  'bytes',
  'compared',
  'CPU',
  'peak',
  'when',
]

export async function benchCollected(corpus: string, only: readonly string[] | undefined, docs: boolean): Promise<void> {
  const rows: string[][] = []
  for (const family of FAMILIES.filter(({ format }) => only?.includes(format) ?? true)) {
    const paths = files(join(corpus, family.format), family.format, ...(family.extensions ?? []))
    if (paths.length === 0) continue
    const row = await rowOf(family, paths)
    console.log(row.join(' | '))
    rows.push(row)
  }
  if (!docs) return
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : ''
  writeFileSync(FILE, withSection(text, 'collected', sectionText(inOrder(rows, sectionOf(text, 'collected')))))
}

/** Returns the new rows, and those of other formats that the document has, in the order of the formats. */
function inOrder(rows: readonly string[][], section: string): string[][] {
  const before = section.split('\n').map((line) => line.slice(2, -2).split(' | '))
  const all = new Map([...before, ...rows].map((cells) => [cells[0], cells]))
  return FAMILIES.map((family) => all.get(nameOf(family))).filter((row) => row !== undefined)
}

const nameOf = ({ format, output }: Family) => (output ? `${format} as ${output}` : format)

async function rowOf(family: Family, paths: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-collected-'))
  const levels = LEVELS.map((quality) => measured(family, paths, quality, join(folder, quality)))
  const [, medium] = levels as [Level, Level]
  const read = new Set(levels.flatMap(({ lines }) => lines.map(({ path }) => path)))
  const sum = (lines: readonly Line[], of: 'in' | 'out' | 'cpuSeconds') => lines.reduce((total, line) => total + line[of], 0)
  const uploaded = sum(medium.lines, 'in')
  const compared = await comparedWithPeer(family, medium, folder)
  rmSync(folder, { recursive: true })
  return [
    nameOf(family),
    String(read.size),
    (uploaded / 1e6).toFixed(2),
    ...levels.map(({ lines }) => (sum(lines, 'out') / sum(lines, 'in')).toFixed(3)),
    String(medium.lines.filter(({ kind }) => kind === 'compressed').length),
    ...compared,
    (sum(medium.lines, 'cpuSeconds') / medium.lines.length).toFixed(2),
    String(Math.max(...levels.flatMap(({ lines }) => lines.map(({ rssMB }) => rssMB)))),
    when(),
  ]
}

/** Compresses all files in one process. A file that ends the process is left out, with those behind it. */
function measured({ output }: Family, paths: readonly string[], quality: string, folder: string): Level {
  const flags = ['-q', quality, '-o', folder, ...(output ? ['-f', output] : [])]
  const args = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', ...paths, ...flags]
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  const lines = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))
  if (status !== 0) console.log(`  ${quality}: ended with ${status} after ${lines.length} of ${paths.length} files`)
  return { folder, lines: lines.filter(({ kind }) => kind !== undefined) }
}

/** Returns the cells of the peer: its name, Whittle's bytes divided by the peer's, and the number of files. */
async function comparedWithPeer(family: Family, medium: Level, folder: string): Promise<[string, string, string]> {
  const { peer } = family
  if (!peer) return ['–', '', '']
  let [mine, theirs, count] = [0, 0, 0]
  for (const line of medium.lines) {
    const result = join(medium.folder, basename(line.path) + (family.output ? `.${family.output}` : ''))
    const exact = peer.kind === 'exact'
    if (!exact && !existsSync(result)) continue
    const other: Measured | undefined = exact
      ? peer.compress(line.path, folder)
      : await atEqualScore(peer, line.path, family, result, folder)
    if (other === undefined) continue
    mine += exact ? ours(line.path, { quality: 'high', lossless: true, ...(family.output && { format: family.output }) }).bytes : line.out
    theirs += other.bytes
    count++
  }
  return [peer.name, count === 0 ? 'not installed' : (mine / theirs).toFixed(3), String(count)]
}

const sectionText = (rows: readonly string[][]) => `
## Collected files

\`npm run bench -- collected --docs\` writes this section.

Up to 30 real files a format, from test suites and issues of public projects. They are not in the repository.

- *high*, *medium*, *low*: bytes divided by those of the uploads; files that come back unchanged count as 1.
- *bytes*: Whittle's divided by the peer's. Pictures: \`medium\`, at its SSIMULACRA 2.1 score. Others: without loss.
- *CPU*: seconds a file at \`medium\`, the first with the compilation of engines. *peak*: MB of the process, of it about 90 without a job.

${table(HEAD, rows)}`
