/**
 * Files of the bucket on this machine that no object names. Miniflare writes an object's bytes to a file first and names it in its
 * database then: a process that is killed in between leaves a file that no Worker can list, so that the service's own sweep never sees
 * it. The same of parts of an upload that nobody ended: R2 itself lets go of those after a week.
 */
import { existsSync } from 'node:fs'
import { opendir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as others } from 'node:timers/promises'

const DAY_MS = 86_400_000
/** A write that is still under way has a younger file. */
const MIN_AGE_MS = DAY_MS
const PARTS_AGE_MS = 7 * DAY_MS
/** 32 random bytes and the time in milliseconds, 64 bits; anything else is not Miniflare's. */
const NAME = /^[0-9a-f]{64}([0-9a-f]{16})$/
const ROWS_AT_ONCE = 10_000
/** `state` of an upload in parts. */
const UNDER_WAY = 0
const NAMED = `
  SELECT blob_id AS name, 0 AS underWay FROM _mf_objects WHERE blob_id IS NOT NULL
  UNION ALL
  SELECT blob_id, state = ${UNDER_WAY} FROM _mf_multipart_parts JOIN _mf_multipart_uploads USING (upload_id)`

export interface Removed {
  readonly files: number
  readonly bytes: number
}

/** Removes them below `state`, the folder of `npm start`, whether or not its service runs. @throws where the database cannot be read */
export async function removeOrphans(state: string, now: number): Promise<Removed> {
  const buckets = join(state, 'v3/r2')
  const orphans = new Map<string, string>()
  for (const folder of await foldersIn(buckets)) {
    for await (const { name } of await opendir(folder)) if (madeAt(name) <= now - MIN_AGE_MS) orphans.set(name, join(folder, name))
  }
  if (orphans.size === 0 || !(await spareNamed(orphans, join(buckets, 'miniflare-R2BucketObject'), now))) return { files: 0, bytes: 0 }
  let [files, bytes] = [0, 0]
  for (const path of orphans.values()) {
    const facts = await stat(path).catch(() => undefined)
    if (!facts || facts.mtimeMs > now - MIN_AGE_MS) continue
    await rm(path, { force: true })
    files++
    bytes += facts.size
  }
  return { files, bytes }
}

const madeAt = (name: string) => Number.parseInt(NAME.exec(name)?.[1] ?? 'ffffffffffffffff', 16)

async function foldersIn(buckets: string): Promise<string[]> {
  const names = await readdir(buckets).catch(() => [])
  return names.map((name) => join(buckets, name, 'blobs')).filter((folder) => existsSync(folder))
}

/** Takes out of `orphans` what a database names. @returns whether there is one: without it nothing can be said of any file */
async function spareNamed(orphans: Map<string, string>, folder: string, now: number): Promise<boolean> {
  let known = false
  for (const file of await readdir(folder).catch(() => [])) {
    if (!file.endsWith('.sqlite')) continue
    using database = new DatabaseSync(join(folder, file), { readOnly: true, timeout: 5000 })
    if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_mf_objects'").get()) continue
    known = true
    let rows = 0
    for (const { name, underWay } of database.prepare(NAMED).iterate() as Iterable<{ name: string; underWay: number }>) {
      if (!underWay || madeAt(name) > now - PARTS_AGE_MS) orphans.delete(name)
      // The front door is in this process.
      if (++rows % ROWS_AT_ONCE === 0) await others()
    }
  }
  return known
}
