/** Output for people: progress bars, one line per file, a summary. With `--json`: one JSON line per file. */
import { basename } from 'node:path'
import { styleText } from 'node:util'
import type { ResultFacts, Stage } from './engine.ts'
import type { InputFile } from './files.ts'
import { ProgressBars } from './progress-bars.ts'
import type { Report, Reporter } from './run.ts'

const COLOURS = { compressed: 'green', failed: 'red', unchanged: 'dim', skipped: 'dim', 'done before': 'dim' } as const
/** Share of each stage in the progress of a file: where it begins, and its length. */
const STAGES: Record<Stage, readonly [from: number, share: number]> = { upload: [0, 0.3], compress: [0.3, 0.6], download: [0.9, 0.1] }
const STAGE_NAMES: Record<Stage, string> = { upload: 'uploading', compress: 'compressing', download: 'downloading' }
/** Width of the longest name of a stage. */
const STAGE_COLUMNS = 11
/** Milliseconds before the remaining time is shown, because early estimates are poor. */
const MIN_ESTIMATE_MS = 1500

export function formatBytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = count
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`
}

function formatReport(report: Report): string {
  const { path, status, originalSize, compressedSize = originalSize, result, message, facts } = report
  if (status === 'failed') return `✗ ${path}: ${message}`
  if (status === 'done before') return `· ${path}: already done in an earlier run`
  if (status === 'skipped') return `· ${path}: ${result === path ? 'already compressed' : `skipped, ${result} already exists`}`
  if (status === 'unchanged') return `= ${path}: ${formatBytes(originalSize)}, ${reasonOf(facts)}`
  return `✓ ${path}: ${formatBytes(originalSize)} → ${formatBytes(compressedSize)} (${formatChange(originalSize, compressedSize)}) ${result}`
}

/** Why a file stayed as it is, in words. */
const REASONS: Readonly<Record<string, string>> = {
  no_gain: 'already as small as it gets',
  below_floor: 'a smaller file would look or sound worse than the minimum quality',
  signed: 'unchanged because it is signed',
  encrypted: 'unchanged because it is encrypted',
  malformed: 'unchanged because it is damaged',
  over_budget: 'unchanged because it needs more memory or time than a job may use',
  unsupported_feature: 'unchanged because it uses something that is not supported',
}

function reasonOf(facts: ResultFacts | undefined): string {
  const { reason = '', detail } = facts?.result ?? {}
  const words = REASONS[reason] ?? 'unchanged'
  return detail === undefined || reason === 'no_gain' ? words : `${words}: ${detail}`
}

/** Change of the size in percent, for example `−50.0%`. */
const formatChange = (before: number, after: number) =>
  `${after > before ? '+' : '−'}${(before > 0 ? (Math.abs(before - after) / before) * 100 : 0).toFixed(1)}%`

/** Report with the names of the API, for `--json`. */
function jsonOf({ path, status, originalSize, compressedSize, result, facts, task, message }: Report): Record<string, unknown> {
  return {
    path,
    status: status.replace(' ', '_'),
    original_size: originalSize,
    ...(compressedSize === undefined ? {} : { compressed_size: compressedSize }),
    ...(result === undefined ? {} : { output_path: result }),
    ...(facts && { format: facts.format, output_format: facts.output_format, output_name: facts.output_name, result: facts.result }),
    ...(task && { task_id: task.task_id }),
    ...(message === undefined ? {} : { message }),
  }
}

/** Summary line. Skipped files are not counted, because their sizes are unknown. `elapsedMs`: duration of the run. */
export function formatSummary(reports: readonly Report[], elapsedMs: number): string {
  const counted = reports.filter((report) => report.status !== 'skipped')
  const before = counted.reduce((total, report) => total + report.originalSize, 0)
  const after = counted.reduce((total, report) => total + (report.compressedSize ?? report.originalSize), 0)
  const failed = counted.filter((report) => report.status === 'failed').length
  const skipped = reports.length - counted.length
  const share = before > 0 ? ((1 - after / before) * 100).toFixed(1) : '0.0'
  const saved = after > before ? '' : ` (${formatBytes(before - after)})`
  const sizes = `${counted.length} file${counted.length === 1 ? '' : 's'}: ${formatBytes(before)} → ${formatBytes(after)}, ${share}% saved${saved}`
  return `${sizes} in ${formatDuration(elapsedMs)}${failed ? `, ${failed} failed` : ''}${skipped ? `, ${skipped} skipped` : ''}`
}

export interface OutputStreams {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
}

export interface OutputMode {
  readonly json: boolean
  /** True: prints failures only, on standard error. */
  readonly quiet: boolean
}

const STANDARD: OutputStreams = { out: process.stdout, err: process.stderr }

/** Chooses the reporter: bars and lines on a terminal, lines only if either stream is redirected. */
export function createReporter(
  { json, quiet }: OutputMode,
  jobs: readonly InputFile[],
  { out, err }: OutputStreams = STANDARD,
): Reporter & { stop(): void } {
  const silent = { progress: () => undefined, stop: () => undefined }
  if (json) return { ...silent, done: (report) => out.write(`${JSON.stringify(jsonOf(report))}\n`) }
  if (quiet) return { ...silent, done: (report) => report.status === 'failed' && err.write(`${coloured(report, err)}\n`) }
  if (!out.isTTY || !err.isTTY) return { ...silent, done: (report) => out.write(`${coloured(report, out)}\n`) }
  return new Bars(jobs, { out, err })
}

/** Colours the first character. Node evaluates NO_COLOR, FORCE_COLOR and the terminal type. */
function coloured(report: Report, stream: NodeJS.WriteStream): string {
  const text = formatReport(report)
  return stream.isTTY && stream.hasColors() ? styleText(COLOURS[report.status], text[0]!, { validateStream: false }) + text.slice(1) : text
}

/** Id of the bar for all files. Empty, because no path is empty. */
const TOTAL = ''

/** One bar per file in progress, lines of finished files above, and one bar for all files if there are several. */
class Bars {
  readonly #bars: ProgressBars
  readonly #streams: OutputStreams
  readonly #hasTotal: boolean
  /** Bytes completed, by file. Each stage counts as its share of the file's size. */
  readonly #completedBytes = new Map<string, number>()
  readonly #size: number
  readonly #count: number
  #done = 0
  readonly #startedMs = performance.now()

  constructor(jobs: readonly InputFile[], streams: OutputStreams) {
    this.#streams = streams
    this.#size = jobs.reduce((sum, job) => sum + Math.max(1, job.size), 0)
    this.#count = jobs.length
    this.#hasTotal = jobs.length > 1
    this.#bars = new ProgressBars(streams.err)
    this.#drawTotal()
  }

  progress(job: InputFile, what: Stage, share: number): void {
    const done = Math.min(1, share)
    this.#bars.set(job.path, { share: done, text: `${STAGE_NAMES[what].padEnd(STAGE_COLUMNS)} ${basename(job.path)}` })
    const [from, stageShare] = STAGES[what]
    this.#completedBytes.set(job.path, (from + stageShare * done) * Math.max(1, job.size))
    this.#drawTotal()
  }

  done(report: Report): void {
    this.#done++
    this.#completedBytes.set(report.path, Math.max(1, report.originalSize))
    this.#bars.remove(report.path)
    this.#drawTotal()
    this.#bars.log(coloured(report, this.#streams.out))
  }

  stop(): void {
    this.#bars.stop()
  }

  #drawTotal(): void {
    if (!this.#hasTotal) return
    const completedBytes = [...this.#completedBytes.values()].reduce((sum, size) => sum + size, 0)
    const elapsedMs = performance.now() - this.#startedMs
    const share = Math.min(1, completedBytes / this.#size)
    const rate =
      elapsedMs < MIN_ESTIMATE_MS || share === 0
        ? ''
        : ` · ${formatBytes(Math.round((completedBytes / elapsedMs) * 1000))}/s · ${formatDuration((elapsedMs * (1 - share)) / share)} left`
    this.#bars.set(TOTAL, { share, text: `${this.#done} of ${this.#count} files${rate}` })
  }
}

/** Formats a duration, for example `0.6 s`, `45 s`, `3:20 min`, `2:05 h`. */
function formatDuration(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const [large, small, unit] = seconds < 3600 ? [seconds / 60, seconds % 60, 'min'] : [seconds / 3600, (seconds / 60) % 60, 'h']
  return `${Math.floor(Number(large))}:${String(Math.floor(Number(small))).padStart(2, '0')} ${unit}`
}
