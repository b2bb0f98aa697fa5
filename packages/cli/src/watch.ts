/** Implements `whittle watch FOLDER`: compresses new files in a folder until Ctrl-C. */
import { statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type CompressFlags, compressJobs, reporterFor } from './compress.ts'
import { collectFiles, type InputFile } from './files.ts'
import { findExistingResult } from './place.ts'
import { withEngine } from './server.ts'
import { CliError } from './trouble.ts'

const PAUSE_MS = 1000
/** Minimum pause as a multiple of the time for a scan, for folders with many files. */
const PAUSE_FACTOR = 9

/** Watches until Ctrl-C. @returns the exit code */
export async function watch(folder: string, flags: CompressFlags & { out: string }): Promise<number> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new CliError('usage', `Folder not found: '${folder}'.`)
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  return withEngine(flags, Number.POSITIVE_INFINITY, async (engine) => {
    if (!flags.json && !flags.quiet) console.error(`Watching ${folder}; results go to ${flags.out}. Press Ctrl-C to stop.`)
    const newFiles = new NewFiles(folder, flags)
    while (!interrupt.signal.aborted) {
      const startedMs = performance.now()
      const jobs = newFiles.scan()
      const pauseMs = Math.max(PAUSE_MS, (performance.now() - startedMs) * PAUSE_FACTOR)
      if (jobs.length > 0) {
        const { journal, interrupted } = await compressJobs(engine, jobs, flags, reporterFor(flags, jobs))
        if (interrupted) return 0
        journal.close()
      }
      await pause(pauseMs, interrupt.signal)
    }
    return 0
  })
}

/** Finds new files without a result, once their size and time no longer change. */
class NewFiles {
  readonly #folder: string
  readonly #flags: CompressFlags & { out: string }
  /** Size and modification time at the last scan, and of the files that were processed. */
  #lastScan = new Map<string, string>()
  readonly #processed = new Map<string, string>()

  constructor(folder: string, flags: CompressFlags & { out: string }) {
    this.#folder = folder
    this.#flags = flags
  }

  scan(): InputFile[] {
    const { out, hidden, ignore, format } = this.#flags
    const { jobs } = collectFiles([this.#folder], { kind: 'folder', folder: out }, { hidden: hidden === true, ignored: !ignore })
    const current = new Map(jobs.map((job) => [job.path, `${job.size} ${statSync(job.path, { throwIfNoEntry: false })?.mtimeMs}`]))
    const stable = jobs.filter(
      ({ path, size }) => size > 0 && current.get(path) === this.#lastScan.get(path) && current.get(path) !== this.#processed.get(path),
    )
    this.#lastScan = current
    const pending = stable.filter(
      (job) => this.#processed.has(job.path) || this.#flags.force || findExistingResult(job, format) === undefined,
    )
    for (const { path } of stable) this.#processed.set(path, current.get(path)!)
    return pending
  }
}

const pause = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal }).catch(() => undefined)
