/**
 * Removes bucket files that no object refers to. Miniflare first writes an object's bytes to a file and then inserts its name into the
 * database. A process killed in between leaves a file that no Worker can list. Unfinished multipart uploads leave files too; R2
 * deletes those after a week.
 */
import { existsSync } from 'node:fs'
import { opendir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToOthers } from 'node:timers/promises'

const DAY_MS = 86_400_000
/** Minimum age of a file, because a write in progress has a younger one. */
const MIN_AGE_MS = DAY_MS
const PARTS_AGE_MS = 7 * DAY_MS
/** Miniflare's file name: 32 random bytes and a 64-bit time in milliseconds, in hex. */
const FILE_NAME = /^[0-9a-f]{64}([0-9a-f]{16})$/
const ROWS_AT_ONCE = 10_000
/** `state` of a multipart upload that is not completed. */
const IN_PROGRESS = 0
const REFERENCED_FILES = `
  SELECT blob_id AS name, 0 AS underWay FROM _mf_objects WHERE blob_id IS NOT NULL
  UNION ALL
  SELECT blob_id, state = ${IN_PROGRESS} FROM _mf_multipart_parts JOIN _mf_multipart_uploads USING (upload_id)`

export interface RemovedFiles {
  readonly files: number
  readonly bytes: number
}

/**
 * Removes orphaned files below `state`, the state folder of `npm start`. The service may be running.
 * @param minAgeMs youngest file that is removed; 0 if nothing wrote to the folder when `now` was read
 * @throws Error if the database cannot be read
 */
export async function removeOrphans(state: string, now: number, minAgeMs = MIN_AGE_MS): Promise<RemovedFiles> {
  const buckets = join(state, 'v3/r2')
  const orphans = new Map<string, string>()
  for (const folder of await foldersIn(buckets)) {
    for await (const { name } of await opendir(folder)) if (creationTime(name) <= now - minAgeMs) orphans.set(name, join(folder, name))
  }
  if (orphans.size === 0 || !(await keepReferenced(orphans, join(buckets, 'miniflare-R2BucketObject'), now))) return { files: 0, bytes: 0 }
  let [files, bytes] = [0, 0]
  for (const path of orphans.values()) {
    const info = await stat(path).catch(() => undefined)
    if (!info || info.mtimeMs > now - minAgeMs) continue
    await rm(path, { force: true })
    files++
    bytes += info.size
  }
  return { files, bytes }
}

const creationTime = (name: string) => Number.parseInt(FILE_NAME.exec(name)?.[1] ?? 'ffffffffffffffff', 16)

async function foldersIn(buckets: string): Promise<string[]> {
  const names = await readdir(buckets).catch(() => [])
  return names.map((name) => join(buckets, name, 'blobs')).filter((folder) => existsSync(folder))
}

/** Removes from `orphans` the files that a database refers to. @returns false if there is no database, so that nothing may be deleted */
async function keepReferenced(orphans: Map<string, string>, folder: string, now: number): Promise<boolean> {
  let hasDatabase = false
  for (const file of await readdir(folder).catch(() => [])) {
    if (!file.endsWith('.sqlite')) continue
    using database = new DatabaseSync(join(folder, file), { readOnly: true, timeout: 5000 })
    if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_mf_objects'").get()) continue
    hasDatabase = true
    let rows = 0
    for (const { name, underWay } of database.prepare(REFERENCED_FILES).iterate() as Iterable<{ name: string; underWay: number }>) {
      if (!underWay || creationTime(name) > now - PARTS_AGE_MS) orphans.delete(name)
      // Yields to other work: the reverse proxy runs in this process.
      if (++rows % ROWS_AT_ONCE === 0) await yieldToOthers()
    }
  }
  return hasDatabase
}
