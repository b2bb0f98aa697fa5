/**
 * Measures CPU seconds and memory of each format from 1 to 500 MB: `npm run bench -- growth [--only 'PDF, WAV'] [--minutes N]
 * [--resume FILE] [--docs]`. CPU time must not grow faster than the file (exponent at most 1), and memory must not grow. FILE stores one
 * run per line; stored runs are not repeated. `--docs` writes docs/contributors/growth.md and growth.svg (`--minutes 0`: without new runs).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Journal } from '../journal.ts'
import { curves } from './curves.ts'
import { GROWTH_FILES, type GrowthFile } from './files.ts'
import type { JobFigures } from './job.ts'
import { slopeOf } from './slope.ts'

/** Sizes of the files in MB. A press accepts files of the largest size. */
const SIZES = [1, 4, 16, 64, 256, 500] as const
const UP_TO = 64
/** Smallest size in MB that counts for the exponent. Below it, compiling the engines dominates. */
const MIN_FITTED_MB = 4
/** Largest CPU time of a run in seconds. A run that is expected to take longer is skipped. */
const MOST_CPU_SECONDS = 120
const MOST_EXPONENT = 1.05
const MOST_MEMORY_RATIO = 1.3
/** Memory budgets in MB: of a job in an isolate, and of a job in a press process. */
const [ISOLATE, PRESS] = [96, 1312]

interface Run extends JobFigures {
  /** Requested size in MB. */
  readonly size: number
  /** Memory budget of the job in MB. */
  readonly memory: number
}

interface Series {
  readonly grown: GrowthFile
  readonly runs: Run[]
  /** Reason why no larger file was measured. `undefined`: not ended. */
  ended?: string
}

interface GrowthOptions {
  readonly only: readonly string[] | undefined
  /** File that stores runs, so that they are not repeated. `undefined`: none. */
  readonly journal: string | undefined
  /** Minutes after which no further run starts. 0: only stored runs are reported. */
  readonly minutes: number
  readonly docs: boolean
}

/** Starts with the cheapest expected run, so that an interrupted benchmark has measured as much as possible. */
export async function benchGrowth({ only, journal, minutes, docs }: GrowthOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-growth-'))
  const known = new Journal<Run | undefined>(journal)
  const all = GROWTH_FILES.map((grown): Series => ({ grown, runs: [] }))
  const asked = all.filter(({ grown }) => only?.includes(grown.name) ?? true)
  const until = performance.now() + minutes * 60_000
  try {
    for (let next = cheapest(asked); next; next = cheapest(asked)) {
      const { series, size } = next
      const { grown, runs } = series
      for (const memory of [ISOLATE, PRESS]) {
        const run = await known.getOrMeasure(`${grown.name} ${size} ${memory}`, async () =>
          performance.now() < until ? measured(grown, size, memory, folder) : undefined,
        )
        if (!run) {
          series.ended = `${size} MB not measured`
          break
        }
        runs.push(run)
        print(grown.name, run)
        if (run.outcome !== 'over_budget') break
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  if (docs) writeDocs(all)
  for (const series of asked.filter(({ runs }) => runs.length > 0)) console.log(cellsOf(series).join('  '))
}

/** Returns the remaining run that is expected to be cheapest. Formats with larger files get priority. */
function cheapest(all: readonly Series[]): { series: Series; size: number } | undefined {
  let best: { series: Series; size: number; cost: number } | undefined
  for (const series of all) {
    const size = nextOf(series)
    if (size === undefined) continue
    const cost = expected(series, size) / ((series.grown.upTo ?? UP_TO) > UP_TO ? 4 : 1)
    if (!best || cost < best.cost) best = { series, size, cost }
  }
  return best
}

const expected = ({ runs }: Series, size: number) => {
  const last = runs.at(-1)
  return last ? (last.cpuSeconds * size) / last.size : 0
}

/** Returns the size to be measured next. `undefined`: none, and `ended` has the reason. */
function nextOf(series: Series): number | undefined {
  const { grown, runs } = series
  const last = runs.at(-1)
  const size = SIZES.find((each) => each > (last?.size ?? 0) && each <= (grown.upTo ?? UP_TO))
  if (series.ended !== undefined || size === undefined) return undefined
  const seconds = expected(series, size)
  if (last?.outcome === 'over_budget') series.ended = 'nothing larger'
  else if (last?.outcome === 'crashed') series.ended = `crashed at ${last.size} MB`
  else if (seconds > MOST_CPU_SECONDS) series.ended = `${size} MB would take about ${Math.round(seconds)} CPU seconds`
  return series.ended === undefined ? size : undefined
}

async function measured(grown: GrowthFile, size: number, memory: number, folder: string): Promise<Run> {
  const path = join(folder, grown.file)
  await grown.make(path, size * 2 ** 20)
  const script = ['--max-semi-space-size=4', '--import', './tools/wasm-hook.ts', 'tools/bench/growth/job.ts', path, String(memory)]
  const done = spawnSync(process.execPath, [...script, ...(grown.output ? [grown.output] : [])], { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (done.status !== 0) console.error(done.stderr)
  const crashed: JobFigures = { outcome: 'crashed', inBytes: 0, outBytes: 0, cpuSeconds: 0, peakMiB: 0 }
  rmSync(path, { force: true })
  return { size, memory, ...(done.status === 0 ? (JSON.parse(done.stdout) as JobFigures) : crashed) }
}

function print(name: string, { memory, inBytes, outBytes, outcome, cpuSeconds, peakMiB }: Run): void {
  const cells = [`${megabytes(inBytes).toFixed(1)} MB`, `${cpuSeconds.toFixed(2)} s`, `${peakMiB.toFixed(0)} MB`]
  console.log(
    name.padEnd(8),
    ...cells.map((cell) => cell.padStart(10)),
    ` of ${memory} MB, ${outcome} ${(outBytes / inBytes).toFixed(3)}`,
    new Date().toISOString().slice(11, 19),
  )
}

const megabytes = (bytes: number) => bytes / 2 ** 20

/** Returns the completed runs. A refused run says nothing about growth. */
const done = ({ runs }: Series) => runs.filter(({ outcome }) => outcome !== 'over_budget' && outcome !== 'crashed')

/**
 * Returns the ratio of the peak memory of the largest file to that of 16 MB, or of the next smaller file if the largest is 16 MB or less.
 */
function memoryOf(series: Series): { ratio: number; from: number } | undefined {
  const inIsolate = done(series).filter(({ memory }) => memory === ISOLATE)
  const last = inIsolate.at(-1)
  const first = inIsolate.findLast(({ size }) => size <= 16 && size < (last?.size ?? 0) && size >= MIN_FITTED_MB)
  return first && last ? { ratio: last.peakMiB / first.peakMiB, from: first.size } : undefined
}

/** Returns the exponent of CPU time over size. `undefined`: fewer than two sizes large enough to count. */
const exponentOf = (runs: readonly Run[]) =>
  slopeOf(runs.filter(({ size }) => size >= MIN_FITTED_MB).map(({ inBytes, cpuSeconds }) => [Math.log(inBytes), Math.log(cpuSeconds)]))

function cellsOf(series: Series): string[] {
  const { grown, ended } = series
  const runs = done(series)
  const [last, exponent, memory] = [runs.at(-1), exponentOf(runs), memoryOf(series)]
  if (!last) return [grown.name, grown.holds, ended ?? 'not measured', '', '', '', '', '']
  const marked = (value: number, most: number) => (value > most ? `**${value.toFixed(2)}**` : value.toFixed(2))
  return [
    grown.name,
    grown.holds,
    runs.map(({ inBytes }) => short(megabytes(inBytes))).join(', '),
    runs.map(({ cpuSeconds }) => short(cpuSeconds)).join(', '),
    short(last.cpuSeconds / megabytes(last.inBytes)),
    exponent === undefined ? '–' : marked(exponent, MOST_EXPONENT),
    runs.map(({ peakMiB, memory: had }) => `${Math.round(peakMiB)}${had === ISOLATE ? '' : '*'}`).join(', '),
    memory ? `${marked(memory.ratio, MOST_MEMORY_RATIO)}${memory.from === 16 ? '' : ` (of ${memory.from} MB)`}` : '–',
  ]
}

const short = (value: number) => (value >= 10 ? value.toFixed(0) : value.toFixed(value >= 1 ? 1 : 2))

const FILE = 'docs/contributors/growth.md'
const PICTURE = 'docs/contributors/growth.svg'
const [FROM, TO] = ['<!-- npm run bench -- growth -->\n', '<!-- end -->']
const HEAD = `| format | grows by | MB | CPU seconds | a MB | exponent | peak, MB | largest : 16 MB |
|---|---|---|---|---|---|---|---|
`

function writeDocs(all: readonly Series[]): void {
  const text = readFileSync(FILE, 'utf8')
  const [from, to] = [text.indexOf(FROM) + FROM.length, text.indexOf(TO)]
  if (from < FROM.length || to < from) throw new Error(`${FILE} lacks the markers of the table (${FROM.trim()} … ${TO})`)
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const [cpu] = cpus()
  const when = `${new Date().toISOString().slice(0, 10)}, ${commit}, ${cpus().length} × ${cpu?.model ?? ''}, load ${Math.round(loadavg()[0]!)}`
  const measured = all.filter((series) => done(series).length > 0)
  const rows = measured.map((series) => `| ${cellsOf(series).join(' | ')} |\n`).join('')
  const ends = all.flatMap(({ grown, runs, ended }) => {
    const refused = runs
      .filter(({ outcome }) => outcome === 'over_budget')
      .map(({ size, memory }) => `over budget at ${size} MB in ${memory} MB`)
    const remarks = [
      ...refused,
      ...(ended === undefined ? [] : [ended]),
      ...(runs.length === 0 && ended === undefined ? ['not measured'] : []),
    ]
    return remarks.length > 0 ? [`- ${grown.name}: ${remarks.join(', ')}.\n`] : []
  })
  writeFileSync(FILE, `${text.slice(0, from)}\n${when}.\n\n${HEAD}${rows}\nWhere series end:\n\n${ends.join('')}${text.slice(to)}`)
  writeFileSync(
    PICTURE,
    curves(
      measured.map((series) => ({
        name: series.grown.name,
        points: done(series).map(({ inBytes, cpuSeconds, peakMiB }) => ({ megabytes: megabytes(inBytes), cpuSeconds, peakMiB })),
      })),
    ),
  )
}
