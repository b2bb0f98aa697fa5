/** SQLite files of Durable Objects without data are removed, and no others. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MIN_AGE_MS, removeEmptiedObjects } from '../../src/local/emptied-objects.ts'

let state: string
let made = 0
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'whittle-emptied-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

function object(name: string, sql: string): string {
  const folder = join(state, 'v3/do', name)
  mkdirSync(folder, { recursive: true })
  const file = `${String(++made).padStart(64, '0')}.sqlite`
  using database = new DatabaseSync(join(folder, file))
  database.exec(`PRAGMA journal_mode = WAL; ${sql}`)
  return join(folder, file)
}

const EMPTIED = 'CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB); INSERT INTO _cf_METADATA VALUES (1, 2)'
const WITH_DATA = `${EMPTIED}; CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID; INSERT INTO _cf_KV VALUES ('task', x'00')`
const left = (name: string) => readdirSync(join(state, 'v3/do', name)).length

it('removes what deleted tasks left (emptied-objects-stay)', async () => {
  for (const name of ['whittle-TaskRecord', 'whittle-UploadRecord']) {
    object(name, EMPTIED)
    object(name, '')
    object(name, WITH_DATA)
  }
  object('whittle-Account', EMPTIED)
  const removed = await removeEmptiedObjects(state, Number.POSITIVE_INFINITY)
  expect(removed.files).toBe(4)
  expect(removed.bytes).toBeGreaterThan(4 * 4096 - 1)
  expect([left('whittle-TaskRecord'), left('whittle-UploadRecord'), left('whittle-Account')]).toEqual([1, 1, 1])
})

it('keeps files that are young, open, damaged, or have another name', async () => {
  const young = object('whittle-TaskRecord', EMPTIED)
  const open = object('whittle-TaskRecord', EMPTIED)
  writeFileSync(`${open}-wal`, '')
  const damaged = object('whittle-TaskRecord', EMPTIED)
  writeFileSync(damaged, 'this is no database')
  writeFileSync(join(state, 'v3/do/whittle-TaskRecord/metadata.sqlite'), '')
  const old = (Date.now() - MIN_AGE_MS - 1000) / 1000
  for (const path of [open, damaged]) utimesSync(path, old, old)
  const before = left('whittle-TaskRecord')
  expect(await removeEmptiedObjects(state, Date.now() - MIN_AGE_MS)).toEqual({ files: 0, bytes: 0 })
  expect(left('whittle-TaskRecord')).toBe(before)
  utimesSync(young, old, old)
  expect(await removeEmptiedObjects(state, Date.now() - MIN_AGE_MS)).toMatchObject({ files: 1 })
  expect(await removeEmptiedObjects(join(state, 'missing'), 0)).toEqual({ files: 0, bytes: 0 })
})
