/** Compresses files in parallel: uploads, waits, downloads, and compares the hash. */
import { chmodSync, mkdirSync, type Stats, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Client, type CompressOptions, isUnderWay, type Task, type TaskCompleted } from './client.ts'
import type { InputFile } from './files.ts'
import type { Journal } from './journal.ts'
import { findExistingResult, moveResult, resultPath } from './place.ts'
import { CliError } from './trouble.ts'

export interface Report {
  readonly path: string
  readonly status: 'compressed' | 'unchanged' | 'failed' | 'done before' | 'skipped'
  readonly originalSize: number
  readonly compressedSize?: number
  readonly result?: string
  readonly task?: Task
  readonly message?: string
}

export type Stage = 'upload' | 'press' | 'download'

export interface Reporter {
  /** `share`: progress of the stage, 0–1. */
  progress(job: InputFile, what: Stage, share: number): void
  done(report: Report): void
}

export interface CompressSettings {
  readonly options: CompressOptions
  readonly jobs: number
  readonly keep: boolean
  /** True: overwrites existing files. */
  readonly force: boolean
  /** True: skips files whose results exist. */
  readonly skipExisting: boolean
  readonly signal: AbortSignal
}

export async function compressAll(
  client: Client,
  jobs: readonly InputFile[],
  journal: Journal,
  settings: CompressSettings,
  watcher: Reporter,
): Promise<Report[]> {
  const reports: Report[] = []
  const queue = [...jobs]
  const worker = async () => {
    for (let job = queue.shift(); job && !settings.signal.aborted; job = queue.shift()) {
      const report = await press(client, job, journal, settings, watcher).catch((error: unknown): Report => {
        if (error instanceof CliError && error.exitCode === 3) throw error
        return {
          path: job!.path,
          status: 'failed',
          originalSize: job!.size,
          message: error instanceof Error ? error.message : String(error),
        }
      })
      reports.push(report)
      watcher.done(report)
    }
  }
  await Promise.all(Array.from({ length: Math.min(settings.jobs, jobs.length) }, worker))
  return reports
}

async function press(client: Client, job: InputFile, journal: Journal, settings: CompressSettings, watcher: Reporter): Promise<Report> {
  const checksExisting = settings.skipExisting || (job.place.kind === 'inPlace' && !settings.force)
  const existingResult = checksExisting ? findExistingResult(job, settings.options.format) : undefined
  if (existingResult !== undefined) return { path: job.path, status: 'skipped', originalSize: job.size, result: existingResult }
  const original = statSync(job.path)
  const modifiedMs = original.mtimeMs
  const entry = journal.begin(job, modifiedMs)
  if (entry.done) return { path: job.path, status: 'done before', originalSize: job.size, compressedSize: entry.compressedSize ?? job.size }
  const attempt = {
    key: entry.key,
    upload: entry.upload,
    onUploadStarted: (upload: string) => journal.recordUpload(job, modifiedMs, upload),
  }
  let task = await client.compress(job.path, settings.options, attempt, (bytes) => watcher.progress(job, 'upload', bytes / job.size))
  while (isUnderWay(task)) {
    watcher.progress(job, 'press', task.progress)
    settings.signal.throwIfAborted()
    task = await client.task(task.task_id, 2)
  }
  if (task.status === 'failed') {
    journal.end(job, modifiedMs)
    if (!settings.keep) await client.remove(task.task_id)
    return { path: job.path, status: 'failed', originalSize: job.size, task, message: task.error.message }
  }
  const unchanged = task.result.outcome === 'unchanged' && !settings.options.password
  const destination = resultPath(job, task.output_name)
  // An unchanged copy beside or in place of the input is useless. In another folder, every file is expected.
  const isExpected = job.place.kind === 'file' || dirname(destination) !== dirname(job.path)
  let path: string | undefined
  if (!unchanged || isExpected) {
    const received = (bytes: number) => watcher.progress(job, 'download', bytes / task.compressed_size)
    path = moveResult(await fetchResult(client, task, destination, { original, received }), destination, job, settings.force)
  }
  const sizes = { originalSize: job.size, compressedSize: task.compressed_size }
  // The journal entry ends before the task is deleted: a repeated run could not find a deleted task by its key.
  journal.end(job, modifiedMs, sizes.compressedSize)
  if (!settings.keep) await client.remove(task.task_id)
  return {
    path: job.path,
    status: unchanged ? 'unchanged' : 'compressed',
    ...sizes,
    ...(path === undefined ? {} : { result: path }),
    task,
  }
}

/**
 * Downloads a result under a temporary name until its hash matches the receipt, so that a partial download never looks like a result.
 * It gets the permissions and times of `original`.
 * @returns the temporary path
 */
export async function fetchResult(
  client: Client,
  task: TaskCompleted,
  path: string,
  { original, received }: { original?: Stats; received: (bytes: number) => void },
): Promise<string> {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${task.task_id}.part`
  await client.download(task, temporary, received)
  if (original) {
    chmodSync(temporary, original.mode)
    utimesSync(temporary, original.atime, original.mtime)
  }
  return temporary
}
