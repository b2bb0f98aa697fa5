/** Compresses files in parallel, and moves each result to its place. */
import { chmodSync, type Stats, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { isAddress } from './address.ts'
import type { CompressOptions, Task } from './client.ts'
import type { CompressedFile, Engine, ResultFacts, Stage } from './engine.ts'
import type { InputFile } from './files.ts'
import type { Journal } from './journal.ts'
import type { MadeResults } from './made-results.ts'
import { findExistingResult, moveResult, resultPath } from './place.ts'
import { CliError } from './trouble.ts'

export interface Report {
  readonly path: string
  readonly status: 'compressed' | 'unchanged' | 'failed' | 'done before' | 'skipped'
  readonly originalSize: number
  readonly compressedSize?: number
  /** Path of the result. */
  readonly result?: string
  readonly facts?: ResultFacts
  readonly task?: Task
  readonly message?: string
}

export interface Reporter {
  /** `share`: progress of the stage, 0–1. */
  progress(job: InputFile, what: Stage, share: number): void
  done(report: Report): void
}

interface RunSettings {
  readonly options: CompressOptions
  readonly jobs: number
  readonly keep: boolean
  /** True: overwrites existing files. */
  readonly force: boolean
  /** True: skips files whose results exist. */
  readonly skipExisting: boolean
  readonly signal: AbortSignal
}

/** What a run has: the engine, the state of interrupted runs, and where progress is shown. */
interface Run {
  readonly engine: Engine
  readonly journal: Journal
  readonly made: MadeResults
  readonly settings: RunSettings
  readonly reporter: Reporter
}

export async function compressAll(jobs: readonly InputFile[], run: Run): Promise<Report[]> {
  const { settings, reporter } = run
  const reports: Report[] = []
  const queue = [...jobs]
  const worker = async () => {
    for (let job = queue.shift(); job && !settings.signal.aborted; job = queue.shift()) {
      const { path, size } = job
      const report = await compressOne(job, run).catch((error: unknown): Report => {
        if (error instanceof CliError && error.exitCode === 3) throw error
        return { path, status: 'failed', originalSize: size, message: error instanceof Error ? error.message : String(error) }
      })
      if (settings.signal.aborted && report.status === 'failed') return
      reports.push(report)
      reporter.done(report)
    }
  }
  await Promise.all(Array.from({ length: Math.min(settings.jobs, jobs.length) }, worker))
  return reports
}

async function compressOne(job: InputFile, { engine, journal, made, settings, reporter }: Run): Promise<Report> {
  const checksExisting = settings.skipExisting || (job.place.kind === 'inPlace' && !settings.force)
  const isOwnResult = job.place.kind === 'inPlace' && !settings.force && made.has(job.path)
  const existingResult = isOwnResult ? job.path : checksExisting ? findExistingResult(job, settings.options.format) : undefined
  if (existingResult !== undefined) return { path: job.path, status: 'skipped', originalSize: job.size, result: existingResult }
  const original = isAddress(job.path) ? undefined : statSync(job.path)
  const modifiedMs = original?.mtimeMs ?? 0
  const entry = journal.begin(job, modifiedMs)
  if (entry.done) return { path: job.path, status: 'done before', originalSize: job.size, compressedSize: entry.compressedSize ?? job.size }
  const attempt = {
    key: entry.key,
    upload: entry.upload,
    onUploadStarted: (upload: string) => journal.recordUpload(job, modifiedMs, upload),
  }
  const answer = await engine.compress(job, {
    ...{ options: settings.options, attempt, keep: settings.keep, signal: settings.signal },
    progress: (stage, share) => reporter.progress(job, stage, share),
  })
  const task = answer.task ? { task: answer.task } : {}
  if (answer.status === 'failed') {
    journal.end(job, modifiedMs)
    await answer.settle()
    return { path: job.path, status: 'failed', originalSize: job.size, ...task, message: answer.message }
  }
  try {
    const placed = await place(job, answer, original, settings)
    // The journal entry ends before the task is deleted: a repeated run could not find a deleted task by its key.
    journal.end(job, modifiedMs, answer.facts.compressed_size)
    if (job.place.kind === 'inPlace' && !job.place.backup && placed.result === job.path) made.add(job.path)
    return {
      path: job.path,
      originalSize: answer.facts.original_size,
      compressedSize: answer.facts.compressed_size,
      ...placed,
      facts: answer.facts,
      ...task,
    }
  } finally {
    await answer.settle()
  }
}

/** Moves the result to its place. @returns its path, and whether it is the input itself */
async function place(
  job: InputFile,
  made: CompressedFile,
  original: Stats | undefined,
  { options, force }: RunSettings,
): Promise<Pick<Report, 'status' | 'result'>> {
  const unchanged = made.facts.result.outcome === 'unchanged' && !options.password
  if (job.place.kind === 'sent')
    return {
      status: unchanged ? 'unchanged' : 'compressed',
      ...(options.destination_url ? { result: shown(options.destination_url) } : {}),
      ...(options.destination ? { result: shownPlace(options.destination, made.facts.output_name) } : {}),
    }
  const destination = resultPath(job, made.facts.output_name)
  // An unchanged copy beside or in place of the input is useless. In another folder, every file is expected.
  const isExpected = job.place.kind === 'file' || isAddress(job.path) || dirname(destination) !== dirname(job.path)
  const status = unchanged ? 'unchanged' : 'compressed'
  if (unchanged && !isExpected) return { status }
  const stored = await made.store(destination)
  if (original) {
    chmodSync(stored, original.mode)
    utimesSync(stored, original.atime, original.mtime)
  }
  return { status, result: moveResult(stored, destination, job, force) }
}

const shownPlace = ({ connection, key, prefix = '' }: NonNullable<CompressOptions['destination']>, name: string) =>
  `s3://${connection}/${key ?? prefix + name}`

/** Address without its query, which may hold a signature. */
const shown = (address: string) => address.replace(/[?#].*$/s, '')
