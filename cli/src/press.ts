/** Compresses many files, some at a time: upload, wait, download, compare the hash. */
import { createHash } from 'node:crypto'
import { closeSync, createReadStream, mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Client, Task, Wishes } from './client.ts'
import { type Job, numbered, resultPath } from './files.ts'
import type { Journal } from './journal.ts'
import { Trouble } from './trouble.ts'

export interface Report {
  readonly path: string
  readonly status: 'compressed' | 'unchanged' | 'failed' | 'done before'
  readonly originalSize: number
  readonly compressedSize?: number
  readonly result?: string
  readonly task?: Task
  readonly message?: string
}

export interface Watcher {
  /** `share` 0–1 of the upload, then of the job. */
  step(job: Job, what: 'upload' | 'press' | 'download', share: number): void
  done(report: Report): void
}

export interface Settings {
  readonly wishes: Wishes
  readonly jobs: number
  readonly keep: boolean
  readonly signal: AbortSignal
}

export async function pressAll(
  client: Client,
  jobs: readonly Job[],
  journal: Journal,
  settings: Settings,
  watcher: Watcher,
): Promise<Report[]> {
  const reports: Report[] = []
  const queue = [...jobs]
  const worker = async () => {
    for (let job = queue.shift(); job && !settings.signal.aborted; job = queue.shift()) {
      const report = await press(client, job, journal, settings, watcher).catch((error: unknown): Report => {
        if (error instanceof Trouble && error.exitCode === 3) throw error
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

async function press(client: Client, job: Job, journal: Journal, settings: Settings, watcher: Watcher): Promise<Report> {
  const modifiedMs = statSync(job.path).mtimeMs
  const entry = journal.begin(job, modifiedMs)
  if (entry.done) return { path: job.path, status: 'done before', originalSize: job.size, compressedSize: entry.compressedSize ?? job.size }
  const attempt = { key: entry.key, upload: entry.upload, begun: (upload: string) => journal.note(job, modifiedMs, upload) }
  let task = await client.compress(job.path, settings.wishes, attempt, (bytes) => watcher.step(job, 'upload', bytes / job.size))
  while (task.status === 'pending' || task.status === 'processing') {
    watcher.step(job, 'press', task.progress ?? 0)
    settings.signal.throwIfAborted()
    task = await client.task(task.task_id, 2)
  }
  if (task.status === 'failed') {
    journal.end(job, modifiedMs)
    if (!settings.keep) await client.remove(task.task_id)
    return { path: job.path, status: 'failed', originalSize: job.size, task, message: task.error?.message ?? 'failed' }
  }
  const unchanged = task.result?.outcome === 'unchanged' && !settings.wishes.password
  const wanted = resultPath(job, task.output_name ?? task.file_name)
  const toOtherFolder = dirname(wanted) !== dirname(job.path)
  // Beside the upload an unchanged copy helps nobody; in a folder of results every file is expected.
  const path =
    !unchanged || toOtherFolder
      ? await fetchResult(client, task, wanted, (bytes) => watcher.step(job, 'download', bytes / (task.compressed_size ?? 1)))
      : undefined
  const sizes = { originalSize: job.size, compressedSize: task.compressed_size ?? job.size }
  // In this order: the key of a task that is gone would find nothing.
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
 * Under a temporary name until its hash is the receipt's, so that a broken download never looks like a result.
 * @returns where it lies
 */
async function fetchResult(client: Client, task: Task, path: string, received: (bytes: number) => void): Promise<string> {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${task.task_id}.part`
  await client.download(task.task_id, temporary, received)
  const hash = createHash('sha256')
  await pipeline(createReadStream(temporary), hash)
  const digest = hash.digest('hex')
  if (digest !== task.result?.sha256) throw new Trouble('failed', `the download of ${path} is damaged (SHA-256 ${digest})`)
  return moveToFreeName(temporary, path)
}

/** Never over a file that is there, nor over the result of a file of the same name from another folder. */
function moveToFreeName(from: string, wanted: string): string {
  for (let number = 1; ; number++) {
    const path = numbered(wanted, number)
    try {
      // Fails where something has the name; a rename would replace it.
      closeSync(openSync(path, 'wx'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw error
    }
    renameSync(from, path)
    return path
  }
}
