/**
 * Removes the SQLite files of Durable Objects that have no data. workerd keeps a file of 4 to 8 KB for each task and upload that was
 * deleted, and for each id that was requested but never existed.
 */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { RemovedFiles } from './orphan-files.ts'

/** Classes whose objects are created once, under a random id, and never again after they were emptied. */
const CLASSES = ['whittle-TaskRecord', 'whittle-UploadRecord']
const OBJECT_FILE = /^[0-9a-f]{64}\.sqlite$/
/** Largest file of an object without data: two pages. */
const MAX_EMPTY_BYTES = 8192
/** Table of workerd, which stays when an object deletes everything. */
const OWN_TABLES = "SELECT COUNT(*) AS count FROM sqlite_schema WHERE name <> '_cf_METADATA'"
/**
 * Minimum age of a file while the service runs. An upload may become a task for 24 hours; workerd could open the file of that task in
 * the moment of its removal.
 */
export const MIN_AGE_MS = 25 * 3_600_000

/** @param olderThan latest change of a removed file, in epoch milliseconds. Infinity is safe only while no service uses the state */
export async function removeEmptiedObjects(state: string, olderThan: number): Promise<RemovedFiles> {
  let [files, bytes] = [0, 0]
  for (const name of CLASSES) {
    const folder = join(state, 'v3/do', name)
    const names = new Set(await readdir(folder).catch(() => []))
    for (const file of names) {
      // A journal beside the file means that workerd has it open, or that it was killed then.
      if (!OBJECT_FILE.test(file) || names.has(`${file}-wal`) || names.has(`${file}-journal`)) continue
      const path = join(folder, file)
      const info = await stat(path).catch(() => undefined)
      if (!info || info.size > MAX_EMPTY_BYTES || info.mtimeMs > olderThan || !isEmpty(path)) continue
      await rm(path, { force: true })
      files++
      bytes += info.size
      // The reverse proxy runs in this process.
      await yieldToOthers()
    }
  }
  return { files, bytes }
}

function isEmpty(path: string): boolean {
  try {
    const url = pathToFileURL(path)
    // Without this, SQLite would create further files beside it.
    url.searchParams.set('immutable', '1')
    using database = new DatabaseSync(url, { readOnly: true })
    return database.prepare(OWN_TABLES).get()?.['count'] === 0
  } catch {
    return false
  }
}
