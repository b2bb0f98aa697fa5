/** One ZIP of all results of a run: `whittle photos/ --zip small.zip`. */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeZip } from 'client-zip'
import { zipNames } from '../../../src/core/model/zip-names.ts'
import { moveResult } from './place.ts'
import type { Report, Reporter } from './run.ts'
import { CliError } from './trouble.ts'

/** Entry with the receipts of all results, as in the ZIP of a batch. */
const RECEIPTS = '_receipts.json'

/** A result in the temporary folder. */
type Stored = Report & Required<Pick<Report, 'result' | 'facts'>>

export class Archive {
  readonly #path: string
  readonly #force: boolean
  /** Hidden folder beside the ZIP, which takes the results until all are finished. A run that finds one skips it. */
  readonly folder: string

  /** @throws CliError if `path` exists, unless `force` is true */
  constructor(path: string, force: boolean) {
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing?.isDirectory()) throw new CliError('usage', `${path} is a folder. Pass a file name with --zip.`)
    if (existing && !force) throw new CliError('usage', `${path} already exists. Use --force to overwrite it.`)
    this.#path = path
    this.#force = force
    this.folder = join(dirname(path), `.whittle-${randomUUID()}.part`, '/')
  }

  /** Reports the ZIP as the place of each result. */
  reporter(reporter: Reporter & { stop(): void }): Reporter & { stop(): void } {
    return {
      progress: (job, what, share) => reporter.progress(job, what, share),
      done: (report) => reporter.done(report.result === undefined ? report : { ...report, result: this.#path }),
      stop: () => reporter.stop(),
    }
  }

  /**
   * Writes the ZIP, which appears when it is complete. The entries are stored, because they are compressed already. Without a result there
   * is no ZIP.
   */
  async pack(reports: readonly Report[]): Promise<void> {
    const stored = reports.filter((report): report is Stored => report.result !== undefined && report.facts !== undefined)
    if (stored.length === 0) return
    const temporary = `${this.folder.slice(0, -1)}0`
    try {
      await pipeline(Readable.fromWeb(makeZip(entries(stored)) as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(temporary))
      moveResult(temporary, this.#path, { path: temporary, place: { kind: 'file', path: this.#path } }, this.#force)
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  /** Deletes the temporary folder. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Entries in the order of the input paths. Each file is opened when the one before was read to its end. */
function* entries(stored: readonly Stored[]) {
  const sorted = stored.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const names = zipNames(
    sorted.map(({ facts }) => basename(facts.output_name.replaceAll('\\', '/'))),
    [RECEIPTS],
  )
  yield { name: RECEIPTS, input: receiptsOf(sorted, names), lastModified: new Date() }
  for (const [i, { result }] of sorted.entries()) {
    const { size, mtime } = statSync(result)
    yield { name: names[i]!, input: Readable.toWeb(createReadStream(result)) as ReadableStream<Uint8Array>, size, lastModified: mtime }
  }
}

/** JSON with one object per entry: its name in the ZIP, and its receipt with the names of the API. */
function receiptsOf(stored: readonly Stored[], names: readonly string[]): string {
  const files = stored.map(({ path, facts, task }, i) => {
    const { format, output_format, output_name, original_size, compressed_size, result } = facts
    const receipt = { file_name: basename(path), format, output_format, output_name, original_size, compressed_size, result }
    return { name: names[i], receipt: { ...(task && { task_id: task.task_id }), ...receipt } }
  })
  return `${JSON.stringify({ files }, null, 2)}\n`
}
