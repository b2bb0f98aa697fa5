/**
 * Compares `@whittle-app/core` with libraries of npm on the same pictures: `npm run bench -- libraries [--count 100] [--only 'JPEG; SVG']
 * [--docs]`. Installs the libraries into a temporary folder. Bytes are compared at the SSIMULACRA 2.1 score of Whittle's result, on every
 * fifth picture. Time is that of a process that compresses all pictures, one per core at a time. `--docs` writes the table to
 * docs/contributors/measured.md.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addPackage } from '../../../test/packages/pack.ts'
import { FILE, when } from '../docs.ts'
import { interpolate, type Point, pointsAround } from '../equal-score.ts'
import { TIMED } from '../harness.ts'
import { perceptualFiguresOfFiles, perceptualFiguresOfRenderings } from '../seen-of.ts'
import { CONTESTANTS, type Job, TASKS, type Task, type TaskName, WHITTLE } from './contestants.ts'
import { bytesBelow, installPackages } from './install.ts'
import { writePictures } from './pictures.ts'
import { type InstallRow, type Libraries, type LibraryRow, withLibraries } from './tables.ts'

const WHITTLE_PACKAGE = '@whittle-app/core'
/** One of so many pictures is compared at equal score. */
const SCORED_STEP = 5
const MOST_SECONDS = 280

interface Options {
  readonly corpus: string
  /** Pictures per task. */
  readonly count: number
  /** Tasks by name. `undefined`: all. */
  readonly only: readonly string[] | undefined
  readonly docs: boolean
}

export async function benchLibraries({ corpus, count, only, docs }: Options): Promise<Libraries> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-libraries-'))
  try {
    const names = (Object.keys(TASKS) as TaskName[]).filter((name) => only?.includes(name) ?? true)
    if (names.length === 0) throw new Error(`--only takes names of tasks: ${Object.keys(TASKS).join(', ')}`)
    const installed = installAll(folder)
    await writePictures(corpus, folder, count)
    const rows: LibraryRow[] = []
    for (const name of names) rows.push(...(await runTask(name, folder)))
    const libraries = { pictures: count, rows, installed }
    if (docs) writeFileSync(FILE, withLibraries(readFileSync(FILE, 'utf8'), libraries, when()))
    return libraries
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const packagesOf = (folder: string, library: string) => join(folder, 'packages', library.replaceAll('/', '+'))

function installAll(folder: string): InstallRow[] {
  const rows: InstallRow[] = []
  for (const [library, packages] of [
    [WHITTLE_PACKAGE, {}] as const,
    ...Object.entries(CONTESTANTS).map(([name, one]) => [name, one.packages] as const),
  ]) {
    const to = packagesOf(folder, library)
    const note = installPackages(to, packages)
    if (library === WHITTLE_PACKAGE) addPackage({ folder: to, [Symbol.dispose]: () => undefined }, 'core')
    const bytes = bytesBelow(join(to, 'node_modules'))
    console.log(`  ${library.padEnd(20)} ${(bytes / 1e6).toFixed(1)} MB installed${note ? `, ${note}` : ''}`)
    rows.push({ library, bytes, ...(note ? { note } : {}) })
  }
  return rows
}

/** A run of a library over a folder. */
interface Run {
  readonly wallSeconds: number
  readonly cpuSeconds: number
  /** Error of a library that failed. `undefined`: all files have results. */
  readonly error?: string
}

/** What `jobs.ts` needs to know of a library. */
interface Runner {
  /** Folder of its packages. */
  readonly packages: string
  readonly nodeFlags: readonly string[]
  readonly job: string
  /** Format of the result. Empty: that of the job or of the file. */
  readonly format: string
}

/** Runs a job over the files of `input` in its own process. Programs that it starts are counted. */
function run({ packages, nodeFlags, job, format }: Runner, setting: string, input: string, output: string): Run {
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const script = ['timeout', '-s', 'KILL', String(MOST_SECONDS), process.execPath, ...nodeFlags, 'tools/bench/libraries/jobs.ts']
  const startedMs = performance.now()
  const done = spawnSync('bash', ['-c', TIMED, 'bash', ...script, packages, job, setting, input, output, format], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const wallSeconds = (performance.now() - startedMs) / 1000
  const [user = 0, system = 0] = (done.stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number)
  const times = { wallSeconds, cpuSeconds: user + system }
  if (done.status === 0) return times
  return {
    ...times,
    error:
      /\w*Error: .*/
        .exec(done.stderr)?.[0]
        .replace(/\/\S*\//g, '')
        .slice(0, 120) ?? `ended with ${done.signal ?? done.status}`,
  }
}

async function runTask(name: TaskName, folder: string): Promise<LibraryRow[]> {
  const { input, output, quality, scored } = TASKS[name]
  const [all, few] = [join(folder, input), join(folder, 'few')]
  const names = readdirSync(all)
  console.log(`\n${name}, ${names.length} files`)
  if (names.length === 0) return []
  const compared = scored && names.length > SCORED_STEP ? names.filter((_, i) => i % SCORED_STEP === 0) : names
  rmSync(few, { recursive: true, force: true })
  mkdirSync(few)
  for (const file of compared) copyFileSync(join(all, file), join(few, file))
  const folders = { few, all, results: join(folder, 'results') }
  const scores = () => (scored ? scoresOf(compared, folders, output) : new Map<string, number>())

  const whittle = { packages: packagesOf(folder, WHITTLE_PACKAGE), nodeFlags: [], job: WHITTLE, format: output === input ? '' : output }
  const ours = run(whittle, quality, all, folders.results)
  const own = { sizes: sizesOf(compared, folders.results), scores: await scores() }
  const rows = [rowOf(name, WHITTLE_PACKAGE, { run: ours, compared: own.sizes.size })]
  for (const [library, { jobs, nodeFlags = [] }] of ours.error === undefined ? Object.entries(CONTESTANTS) : []) {
    const job = jobs[name]
    if (!job) continue
    const runner = { packages: packagesOf(folder, library), nodeFlags, job: job.job, format: '' }
    const found = scored ? await atEqualScore(runner, job, folders, own, scores) : sameDrawing(runner, job, folders, own)
    rows.push(rowOf(name, library, found))
  }
  return rows
}

interface Folders {
  /** Files that are compared in bytes. */
  readonly few: string
  readonly all: string
  /** Results of the last run. */
  readonly results: string
}

/** Figures of Whittle by file. */
interface Own {
  readonly sizes: ReadonlyMap<string, number>
  /** Scores. A file without one is not compared. */
  readonly scores: ReadonlyMap<string, number>
}

interface Found {
  readonly run: Run
  readonly compared: number
  readonly ratio?: number
  readonly note?: string
}

/** Tries all settings on few files, interpolates the bytes at Whittle's scores, and times the setting with the nearest mean score. */
async function atEqualScore(
  runner: Runner,
  { settings }: Job,
  { few, all, results }: Folders,
  own: Own,
  scores: () => ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>,
): Promise<Found> {
  const points = new Map<string, Point[]>()
  let nearest = { setting: settings[settings.length >> 1]!, distance: Number.POSITIVE_INFINITY }
  for (const setting of settings) {
    const tried = run(runner, String(setting), few, results)
    if (tried.error !== undefined) return { run: tried, compared: 0 }
    const [sizes, scored] = [sizesOf([...own.sizes.keys()], results), await scores()]
    let difference = 0
    for (const [file, score] of scored) {
      points.set(file, [...(points.get(file) ?? []), { score, measured: { bytes: sizes.get(file) ?? 0, cpuSeconds: 0 }, file }])
      difference += score - (own.scores.get(file) ?? score)
    }
    if (scored.size > 0 && Math.abs(difference) < nearest.distance) nearest = { setting, distance: Math.abs(difference) }
  }
  return { run: run(runner, String(nearest.setting), all, results), ...ratioOf(own, points), note: `setting ${nearest.setting}` }
}

function ratioOf({ sizes, scores }: Own, points: ReadonlyMap<string, readonly Point[]>): { compared: number; ratio?: number } {
  let [compared, ours, theirs] = [0, 0, 0]
  for (const [file, score] of scores) {
    const around = pointsAround(points.get(file) ?? [], score)
    // A first point that is better already has more bytes than a result at this score would have.
    if (!around || around[0] === around[1]) continue
    compared++
    ours += sizes.get(file) ?? 0
    theirs += interpolate(around, score).bytes
  }
  return { compared, ...(compared > 0 ? { ratio: ours / theirs } : {}) }
}

function sameDrawing(runner: Runner, { settings }: Job, { all, results }: Folders, own: Own): Found {
  const timed = run(runner, String(settings[0]), all, results)
  if (timed.error !== undefined) return { run: timed, compared: 0 }
  const sizes = sizesOf([...own.sizes.keys()], results)
  const ours = new Map([...own.sizes].filter(([name]) => sizes.has(name)))
  const missing = own.sizes.size - sizes.size
  const note = missing > 0 ? { note: `${missing} files refused` } : {}
  return { run: timed, compared: sizes.size, ratio: sum(ours) / sum(sizes), ...note }
}

const sum = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((total, size) => total + size, 0)

function sizesOf(names: readonly string[], folder: string): Map<string, number> {
  const present = names.filter((name) => existsSync(join(folder, name)))
  return new Map(present.map((name) => [name, statSync(join(folder, name)).size]))
}

/** Scores of the last run. A file without a score is missing. */
async function scoresOf(names: readonly string[], { few, results }: Folders, output: Task['output']): Promise<Map<string, number>> {
  const scores = new Map<string, number>()
  for (const name of names) {
    const result = join(results, name)
    if (output === 'svg' || !existsSync(result)) continue
    const input = name.endsWith('.png') ? 'png' : 'jpg'
    const original = join(few, name)
    // Whittle's decoders do not read every file of other encoders.
    const figures =
      (await perceptualFiguresOfFiles(original, input, result, output)) ?? (await perceptualFiguresOfRenderings(original, result))
    const score = figures?.score
    if (score !== undefined) scores.set(name, score)
  }
  return scores
}

function rowOf(task: TaskName, library: string, { run: { wallSeconds, cpuSeconds, error }, ...found }: Found): LibraryRow {
  const row = { task, library, ...found, ...(error === undefined ? { wallSeconds, cpuSeconds } : { note: error }) }
  print(row)
  return row
}

function print({ library, compared, ratio, wallSeconds, cpuSeconds, note = '' }: LibraryRow): void {
  const bytes = ratio === undefined ? '' : `bytes ${ratio.toFixed(3)} (${compared} files)`
  const seconds = wallSeconds === undefined ? 'failed' : `${wallSeconds.toFixed(1)} s wall ${cpuSeconds?.toFixed(1)} s CPU`
  console.log(`  ${library.padEnd(20)} ${seconds.padEnd(28)} ${bytes} ${note}`)
}
