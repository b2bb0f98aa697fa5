/** What a person sees: bars while it runs, a line a file, a sum. With `--json`: one JSON line a file. */
import { basename } from 'node:path'
import cliProgress from 'cli-progress'
import type { Job } from './files.ts'
import type { Report, Watcher } from './press.ts'

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

/** Bars on a terminal, lines elsewhere. */
export function watcher(json: boolean): Watcher & { stop(): void } {
  const print = (report: Report) => (json ? JSON.stringify(report) : line(report))
  if (json || !process.stderr.isTTY) {
    return { step: () => undefined, done: (report) => console.log(print(report)), stop: () => undefined }
  }
  const bars = new cliProgress.MultiBar(
    { format: '{bar} {percentage}% {what} {name}', clearOnComplete: true, hideCursor: true, stream: process.stderr },
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
      const bar = shown.get(report.path)
      if (bar) bars.remove(bar)
      shown.delete(report.path)
      bars.log(`${print(report)}\n`)
    },
    stop: () => bars.stop(),
  }
}
