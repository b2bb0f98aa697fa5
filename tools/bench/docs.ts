/** Writes benchmark results (`--docs`) into docs/contributors/measured.md, one table per set of files, next to the previous values. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import type { Measured, Row } from './harness.ts'
import { sectionOf } from './sections.ts'

export const FILE = 'docs/contributors/measured.md'

const HEAD = `# Measured against native tools

\`npm run bench -- NAME… --docs\` writes this page.

- *bytes*: ours divided by the peer's, summed over all files that both can process. Below 1 is smaller.
- *CPU*: user and system time, ours divided by the peer's, without start-up. Below 1 is faster. One run each on a busy machine: 10 to 30 % off.
- *warm*: ours after the same job ran before in the same process, as in a service.
- *before*: the value that this page had until then.

What a peer drops of a file (metadata, data behind the end) counts against us, except for TIFF, where only strips and tiles are counted.

The corpus is what the project was made with. The [fetched files](../decisions/unseen-files.md) are public files that nobody tuned for:
\`--corpus DIR --set fetched\`. [Growth](growth.md) shows time and memory by size of a file.
`

const TABLE = `
| bench | against | files | bytes | before | the worst file | CPU | before | warm | when |
|---|---|---|---|---|---|---|---|---|---|
`

/** Benchmarks that write a section of their own, in the order of the page. */
const SECTIONS = ['collected', 'libraries', 'pictures', 'scores']

/** Number of columns. Older tables lack the column of warm runs. */
const COLUMNS = 10

export const SETS = { corpus: 'Corpus', fetched: 'Fetched files' } as const
export type SetName = keyof typeof SETS

type Report = Readonly<Record<string, readonly Row[]>>
/** Table rows as cells, by benchmark and peer. */
type Lines = Map<string, readonly string[]>

/** Largest acceptable ratio of a single file. Files above it are counted. */
const LIMIT = 1.02

export function writeDocs(report: Report, set: SetName): void {
  writeFileSync(FILE, withNewRows(existsSync(FILE) ? readFileSync(FILE, 'utf8') : '', report, set, when()))
}

/** Returns the text of measured.md with the new rows in the table of `set`. */
export function withNewRows(text: string, report: Report, set: SetName, when: string): string {
  const sections = SECTIONS.map((bench) => sectionOf(text, bench)).filter((section) => section !== '')
  const tables = known(sections.reduce((rest, section) => rest.replace(section, ''), text))
  const lines = tables[set]
  for (const [bench, rows] of Object.entries(report)) {
    for (const peer of new Set(rows.flatMap((row) => Object.keys(row.peers)))) {
      const cells = cellsOf(bench, peer, rows)
      const key = `${bench} ${peer}`
      const before = lines.get(key)
      if (cells) lines.set(key, [...cells.slice(0, 4), before?.[3] ?? '', ...cells.slice(4, 6), before?.[6] ?? '', cells[6] ?? '', when])
    }
  }
  const table = (of: SetName) =>
    TABLE +
    [...tables[of].values()]
      .map((cells) => `| ${cells.join(' | ')} |\n`)
      .toSorted()
      .join('')
  return `${HEAD}${NAMES.map((each) => `\n## ${SETS[each]}\n${table(each)}`).join('')}${sections.map((section) => `\n${section}`).join('')}`
}

const NAMES = Object.keys(SETS) as SetName[]

function known(text: string): Record<SetName, Lines> {
  const tables: Record<SetName, Lines> = { corpus: new Map(), fetched: new Map() }
  let set: SetName = 'corpus'
  for (const line of text.split('\n')) {
    set = NAMES.find((each) => line === `## ${SETS[each]}`) ?? set
    const cells = line.slice(2, -2).split(' | ')
    if (cells.length === COLUMNS - 1) cells.splice(-1, 0, '')
    if (line.startsWith('| ') && cells[0] !== 'bench' && cells.length === COLUMNS) tables[set].set(`${cells[0]} ${cells[1]}`, cells)
  }
  return tables
}

/** Returns the cells: benchmark, peer, files, bytes, worst file, CPU, warm CPU. `undefined`: the peer processed no file. */
function cellsOf(bench: string, peer: string, rows: readonly Row[]): string[] | undefined {
  const compared = rows.flatMap((row) => (row.peers[peer] ? [{ ...row, peer: row.peers[peer] }] : []))
  if (compared.length === 0) return undefined
  const sum = (of: (row: (typeof compared)[number]) => number) => compared.reduce((total, row) => total + of(row), 0)
  const ratio = (what: keyof Pick<Measured, 'bytes' | 'cpuSeconds'>) => sum((row) => row.ours[what]) / sum((row) => row.peer[what])
  const share = (row: (typeof compared)[number]) => row.ours.bytes / row.peer.bytes
  const worst = compared.reduce((a, b) => (share(b) > share(a) ? b : a))
  const above = compared.filter((row) => share(row) > LIMIT).length
  const cpu = ratio('cpuSeconds')
  const peerSeconds = sum((row) => row.peer.cpuSeconds)
  const warm = sum((row) => row.ours.warmCpuSeconds ?? Number.NaN) / peerSeconds
  return [
    bench,
    peer,
    String(compared.length),
    ratio('bytes').toFixed(3),
    `${share(worst).toFixed(3)} ${worst.name}${above > 1 ? ` (${above} above ${LIMIT})` : ''}`,
    Number.isFinite(cpu) ? cpu.toFixed(1) : '–',
    Number.isFinite(warm) ? warm.toFixed(1) : '',
  ]
}

/** Returns date, commit, processor and load of a measurement. */
export function when(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  return `${new Date().toISOString().slice(0, 10)}, ${commit}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, load ${(loadavg()[0] ?? 0).toFixed(0)}`
}
