/**
 * Fuzzer: `npm run fuzz -- [--minutes N | --count N] [--format F] [--seed WORD] [--from N] [--jobs N] [--seeds FOLDER] [--keep FOLDER]
 * [--judge SHARE]`. Mutates small files and compresses them. A crash, hang, excessive memory, failed verification or disagreement of an
 * independent reader is a finding. Each finding is minimised and stored below `--keep` with the data to reproduce it. Exits with 1 if
 * there are findings.
 */
import { parseArgs } from 'node:util'
import { FORMATS, type FormatId } from '../../src/core/catalog/index.ts'
import { Findings } from './findings.ts'
import type { ChildOptions, Report } from './link.ts'
import { formatOf, mutantOf } from './mutant.ts'
import { Runner } from './runner.ts'
import { seedsFor } from './seeds.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    count: { type: 'string' },
    format: { type: 'string' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    keep: { type: 'string', default: '.dev/fuzz' },
    judge: { type: 'string', default: '1' },
  },
})

const LIMITS = { processorMs: 20_000, memoryBytes: 400 * 2 ** 20 }
const TROUBLE: readonly Report['kind'][] = ['crash', 'defect', 'disagreement', 'hang', 'memory', 'died']

if (values.format !== undefined && !(values.format in FORMATS))
  throw new Error(`unknown format '${values.format}' in --format; available: ${Object.keys(FORMATS).join(', ')}`)
const options: ChildOptions = {
  seed: values.seed,
  seeds: values.seeds,
  format: values.format as FormatId | undefined,
  judge: Number(values.judge),
}
const until =
  performance.now() + (values.minutes === undefined ? (values.count === undefined ? 5 : Infinity) : Number(values.minutes)) * 60_000
const end = values.count === undefined ? Infinity : Number(values.from) + Number(values.count)
const seeds = await seedsFor(options)
const findings = new Findings(values.keep)
const rows = new Map<string, Record<string, number>>()
let next = Number(values.from)
let stopped = false
// After an interrupt, the findings so far are printed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopped = true
  })
}

function count(format: string, { kind, why, judged, processorMs }: Report): void {
  const row = rows.get(format) ?? {}
  rows.set(format, row)
  for (const name of [kind === 'unchanged' && why !== undefined ? why : kind, ...(judged ? ['judged'] : [])])
    row[name] = (row[name] ?? 0) + 1
  row['slowest ms'] = Math.max(row['slowest ms'] ?? 0, Math.round(processorMs))
}

async function work(): Promise<void> {
  using runner = new Runner(options, LIMITS)
  while (!stopped && next < end && performance.now() < until) {
    const number = next++
    const report = await runner.run({ number })
    // An interrupt of the process group also ends the child process, which is no finding.
    if (stopped && report.kind === 'died') break
    count(formatOf(seeds, number), report)
    if (!TROUBLE.includes(report.kind)) continue
    const mutant = mutantOf(seeds, options.seed, number)
    const kept = await findings.keep(mutant, report, runner, { seed: options.seed, number })
    if (kept) console.log(`${kept}: ${report.why?.split('\n')[0]}`)
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work))
console.table(Object.fromEntries(rows))
console.log(`${next - Number(values.from)} mutants, seed ${options.seed}, from ${values.from} to ${next}`)
for (const [signature, found] of findings.counts) console.log(`${found} × ${signature}`)
process.exitCode = findings.counts.size > 0 ? 1 : 0
