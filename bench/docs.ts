/** `--docs`: what the benches came to, as a table of docs/design/measured.md, beside what stood there before. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import type { Measured, Row } from './harness.ts'

const FILE = 'docs/design/measured.md'

const HEAD = `# Measured, against native peers

\`npm run bench -- NAME… --docs\` writes this. Ours against the peer, sums over all files that both can do; below 1 is smaller, or faster. CPU is user
and system time without start-up: ours once modules are loaded, engines cold; peers' less what an idle run takes. What a peer drops of a
file (metadata, what follows its end) counts against us, but for TIFF, where strips and tiles alone are counted. One run each: on a busy machine CPU is some 10 to 30 % off.

| bench | against | files | bytes | before | the worst file | CPU | before | when |
|---|---|---|---|---|---|---|---|---|
`

/** A line of the table by its bench and peer. */
interface Line {
  readonly cells: readonly string[]
}

export function writeDocs(report: Readonly<Record<string, readonly Row[]>>): void {
  const lines = new Map<string, Line>(existsSync(FILE) ? known(readFileSync(FILE, 'utf8')) : [])
  for (const [bench, rows] of Object.entries(report)) {
    for (const peer of new Set(rows.flatMap((row) => Object.keys(row.peers)))) {
      const cells = cellsOf(bench, peer, rows)
      const key = `${bench} ${peer}`
      const before = lines.get(key)?.cells
      if (cells) lines.set(key, { cells: [...cells.slice(0, 4), before?.[3] ?? '', ...cells.slice(4, 6), before?.[6] ?? '', when()] })
    }
  }
  const body = [...lines.values()].map(({ cells }) => `| ${cells.join(' | ')} |\n`).toSorted()
  writeFileSync(FILE, HEAD + body.join(''))
}

function* known(text: string): Generator<[string, Line]> {
  for (const line of text
    .split('\n')
    .filter((each) => each.startsWith('| '))
    .slice(1)) {
    const cells = line.slice(2, -2).split(' | ')
    yield [`${cells[0]} ${cells[1]}`, { cells }]
  }
}

/** Bench, peer, files, bytes, the worst, CPU; undefined where the peer did nothing. */
function cellsOf(bench: string, peer: string, rows: readonly Row[]): string[] | undefined {
  const compared = rows.flatMap((row) => (row.peers[peer] ? [{ ...row, peer: row.peers[peer] }] : []))
  if (compared.length === 0) return undefined
  const sum = (of: (row: (typeof compared)[number]) => number) => compared.reduce((total, row) => total + of(row), 0)
  const ratio = (what: keyof Pick<Measured, 'bytes' | 'cpuSeconds'>) => sum((row) => row.ours[what]) / sum((row) => row.peer[what])
  const share = (row: (typeof compared)[number]) => row.ours.bytes / row.peer.bytes
  const worst = compared.reduce((a, b) => (share(b) > share(a) ? b : a))
  const cpu = ratio('cpuSeconds')
  return [
    bench,
    peer,
    String(compared.length),
    ratio('bytes').toFixed(3),
    `${share(worst).toFixed(3)} ${worst.name}`,
    Number.isFinite(cpu) ? cpu.toFixed(1) : '–',
  ]
}

function when(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  return `${new Date().toISOString().slice(0, 10)}, ${commit}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, load ${(loadavg()[0] ?? 0).toFixed(0)}`
}
