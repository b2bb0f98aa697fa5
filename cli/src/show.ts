/** What a person sees: bars while it runs, a line a file, a sum. With `--json`: one JSON line a file. */
import { basename } from 'node:path'
import cliProgress from 'cli-progress'
import type { Job } from './files.ts'
import type { Report, Watcher } from './press.ts'

/** DECAWM: whether a line that reaches the terminal's edge goes on below (ECMA-48 private mode 7). */
const [WRAP_ON, WRAP_OFF] = ['\x1b[?7h', '\x1b[?7l']

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let value = count
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toPrecision(3)} ${units[unit]}`
}

export function line(report: Report): string {
  const { path, status, originalSize, compressedSize, result, message, task } = report
  if (status === 'failed') return `✗ ${path}: ${message}`
  if (status === 'done before') return `· ${path}: done before`
  if (status === 'unchanged') return `= ${path}: ${bytes(originalSize)}, unchanged (${task?.result?.detail ?? task?.result?.reason})`
  return `✓ ${path}: ${bytes(originalSize)} → ${bytes(compressedSize ?? 0)} (−${task?.compression_ratio}) ${result}`
}

export function sum(reports: readonly Report[]): string {
  const before = reports.reduce((total, report) => total + report.originalSize, 0)
  const after = reports.reduce((total, report) => total + (report.compressedSize ?? report.originalSize), 0)
  const failed = reports.filter((report) => report.status === 'failed').length
  const saved = before > 0 ? ((1 - after / before) * 100).toFixed(1) : '0.0'
  return `${reports.length} file${reports.length === 1 ? '' : 's'}: ${bytes(before)} → ${bytes(after)}, ${saved}% saved${failed ? `, ${failed} failed` : ''}`
}

export interface Streams {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
}

/** Bars above which lines appear, on a terminal; lines alone where either stream goes elsewhere. */
export function watcher(json: boolean, { out, err }: Streams = { out: process.stdout, err: process.stderr }): Watcher & { stop(): void } {
  const print = (report: Report) => `${json ? JSON.stringify(report) : line(report)}\n`
  if (json || !out.isTTY || !err.isTTY) {
    return { step: () => undefined, done: (report) => out.write(print(report)), stop: () => undefined }
  }
  const bars = new cliProgress.MultiBar(
    // A line that is printed pushes the bars down: they are drawn again even where they did not change.
    { format: '{bar} {percentage}% {what} {name}', clearOnComplete: true, hideCursor: true, forceRedraw: true, stream: err },
    cliProgress.Presets.shades_classic,
  )
  const shown = new Map<string, cliProgress.SingleBar>()
  return {
    step(job: Job, what, share) {
      const bar = shown.get(job.path) ?? bars.create(100, 0, { name: basename(job.path), what })
      shown.set(job.path, bar)
      bar.update(Math.round(share * 100), { what: what.padEnd(8) })
    },
    done(report) {
      // Bars are cut at the terminal's edge, lines are not.
      bars.log(`${WRAP_ON}${print(report)}${WRAP_OFF}`)
      const bar = shown.get(report.path)
      shown.delete(report.path)
      // Either draws now. The next frame may never come: `stop` forgets what waits for it.
      if (bar) bars.remove(bar)
      else bars.update()
    },
    stop() {
      bars.stop()
      err.write(WRAP_ON)
    },
  }
}
