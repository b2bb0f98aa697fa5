import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { Account } from '../../durable-objects/account.ts'
import type { Env } from '../../src/service/env.ts'
import type { AccountApi } from '../../src/service/store/accounts.ts'
import { consoleGateName } from '../../src/service/store/keys.ts'

/**
 * Number of tasks in the account. `WHITTLE_KEPT_TASKS=1000000 npx vitest run test/durable-objects/many-tasks.test.ts` benchmarks a large
 * account.
 */
const TASK_COUNT = Number(env.KEPT_TASKS || 20_000)
const DAY_MS = 86_400_000
const MAX_ROWS_READ = 20

afterEach(() => void vi.useRealTimers())

const object = () => env.ACCOUNTS.getByName(`acc_${crypto.randomUUID()}`) as unknown as DurableObjectStub

/** Runs `work` and returns its result, its SQL statements, rows read and written, and milliseconds. */
async function measured<Answer>(storage: DurableObjectStorage, work: () => Promise<Answer>) {
  const cursors: { rowsRead: number; rowsWritten: number }[] = []
  const statements: Statement[] = []
  const exec = storage.sql.exec.bind(storage.sql)
  const spy = vi.spyOn(Object.getPrototypeOf(storage.sql) as SqlStorage, 'exec').mockImplementation((...args) => {
    const cursor = exec(...(args as Parameters<typeof exec>))
    cursors.push(cursor)
    statements.push(args)
    return cursor as ReturnType<SqlStorage['exec']>
  })
  const startedMs = performance.now()
  try {
    const answer = await work()
    const ms = performance.now() - startedMs
    const sum = (of: 'rowsRead' | 'rowsWritten') => cursors.reduce((total, cursor) => total + cursor[of], 0)
    return { answer, ms, statements, read: sum('rowsRead'), written: sum('rowsWritten') }
  } finally {
    spy.mockRestore()
  }
}

type Statement = readonly unknown[]

/** Milliseconds that the SELECT statements take, averaged over 1,000 repetitions, because the clock has a resolution of 1 ms. */
function meanReadMs(storage: DurableObjectStorage, statements: readonly Statement[]): number {
  const reads = statements.filter(([sql]) => String(sql).trimStart().startsWith('SELECT'))
  const startedMs = performance.now()
  for (let i = 0; i < REPETITIONS; i++) for (const [sql, ...values] of reads) [...storage.sql.exec(String(sql), ...values)]
  return (performance.now() - startedMs) / REPETITIONS
}
const REPETITIONS = 1000

const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TASK_COUNT})`

it(`reads as few rows in an account of ${TASK_COUNT} tasks as in an empty one`, { timeout: 120_000 }, async () => {
  await runInDurableObject(object(), async (instance, { storage }) => {
    const account = instance as unknown as AccountApi
    storage.sql.exec(`${numbers} INSERT INTO tasks (task_id, stored, created_at) SELECT 'tsk_' || i, 100, 1 FROM n`)
    const now = Date.now()
    storage.sql.exec(
      `${numbers} INSERT INTO idempotency (scope, key, at, fingerprint, id) SELECT 'compress', 'key ' || i, ? + i, '', '' FROM n`,
      now - DAY_MS - TASK_COUNT / 2,
    )
    await account.tell([
      { kind: 'created', taskId: 'tsk_new', createdAt: now, format: 'text', size: 10 },
      { kind: 'completed', taskId: 'tsk_new', at: now, format: 'text', originalSize: 10, compressedSize: 4 },
    ])
    await storage.sync()
    await account.usage('free')
    const event = { taskId: 'tsk_other', createdAt: now, at: now, format: 'text' }
    const calls = {
      admit: () => account.admit('tsk_1', 1),
      usage: () => account.usage('free'),
      // KeyGate call that `usage` makes, measured separately.
      gate: () => env.KEY_GATES.getByName(consoleGateName('')).calls('2026-11'),
      list: () => account.list(3),
      begin: () => account.beginIdempotent('mine', 'compress', crypto.randomUUID()),
      create: () => account.tell({ ...event, kind: 'created', size: 10 }),
      complete: () => account.tell({ ...event, kind: 'completed', originalSize: 10, compressedSize: 5 }),
      remove: () => account.tell({ ...event, kind: 'removed' }),
    }
    const rows: Record<string, { read: number; written: number }> = {}
    for (const [name, call] of Object.entries(calls)) {
      const { ms, statements, read, written } = await measured(storage, call as () => Promise<unknown>)
      rows[name] = { read, written }
      if (!env.KEPT_TASKS) continue
      const reading = meanReadMs(storage, statements).toFixed(3)
      console.warn(
        `${TASK_COUNT} tasks: ${name} ${ms.toFixed(0)} ms, ${reading} of it its own reads; ${read} rows read, ${written} written`,
      )
    }
    for (const [name, { read }] of Object.entries(rows)) expect(read, name).toBeLessThanOrEqual(MAX_ROWS_READ)
    // Rows read by `admit`: the sum of stored bytes and the sum of reserved bytes.
    expect(rows['admit'], 'rows read and written').toEqual({ read: 2, written: 0 })
    expect((await account.usage('free')).storage_used).toBe(TASK_COUNT * 100 + 4)
  })
})

/** Tables of the first release, with its data. */
const FIRST_RELEASE_SCHEMA = `
  CREATE TABLE tasks (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL UNIQUE, batch_id TEXT, position INTEGER,
    stored INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX tasks_by_batch ON tasks (batch_id, position) WHERE batch_id IS NOT NULL;
  CREATE TABLE events (task_id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (task_id, kind)) WITHOUT ROWID;
  CREATE INDEX events_by_time ON events (at);
  CREATE TABLE usage (
    day TEXT NOT NULL, format TEXT NOT NULL, completed INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    original INTEGER NOT NULL DEFAULT 0, compressed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (day, format)) WITHOUT ROWID;
  CREATE TABLE idempotency (
    scope TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, fingerprint TEXT, id TEXT, PRIMARY KEY (scope, key)) WITHOUT ROWID;
  CREATE TABLE applications (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, environment TEXT NOT NULL, plan TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE TABLE deliveries (seq INTEGER PRIMARY KEY AUTOINCREMENT, delivery TEXT NOT NULL);
  CREATE TABLE keys (
    id TEXT PRIMARY KEY, application_id TEXT NOT NULL, masked TEXT NOT NULL, hash TEXT NOT NULL, created_at INTEGER NOT NULL);
  INSERT INTO keys VALUES ('key_1', 'app_1', 'whl_live_abcd…wxyz', 'a hash of before', 1);
  INSERT INTO tasks (task_id, batch_id, position, stored, created_at) VALUES
    ('done', 'bat_1', 1, 40, 1), ('failed', 'bat_1', 0, 0, 2), ('running', NULL, NULL, 100, 3);
  INSERT INTO events VALUES ('done', 'created', 1), ('done', 'completed', 2), ('failed', 'created', 1), ('failed', 'failed', 2),
    ('running', 'created', 3), ('gone', 'created', 1), ('gone', 'completed', 2), ('gone', 'removed', unixepoch() * 1000);
  INSERT INTO usage VALUES ('2026-11-20', 'text', 2, 1, 300, 90), ('2026-10-31', 'text', 1, 0, 10, 5);
  INSERT INTO idempotency VALUES ('compress', 'known', unixepoch() * 1000, 'print', 'done');
  INSERT INTO applications VALUES ('app_1', 'Shop', 'production', 'pro', 1);
  INSERT INTO deliveries (delivery) VALUES ('{"taskId":"done"}'), ('{"taskId":""}');
`
const CURRENT_TABLES = ['tasks', 'removed', 'totals', 'usage', 'costs', 'idempotency', 'applications', 'deliveries', 'keys']

it('migrates an account of the first release without losing data', async () => {
  await runInDurableObject(object(), async (_, ctx) => {
    for (const table of CURRENT_TABLES) ctx.storage.sql.exec(`DROP TABLE ${table}`)
    for (const name of ['schema/account', 'schema/tasks', 'schema/idempotency', 'schema/keys', 'schema/deliveries'])
      ctx.storage.kv.delete(name)
    ctx.storage.sql.exec(FIRST_RELEASE_SCHEMA)
    let account = new Account(ctx, env as unknown as Env)
    // Load the account twice, because migrations must run only once.
    account = new Account(ctx, env as unknown as Env)
    const sums = { original_size: 300, compressed_size: 90, tasks_completed: 2, tasks_failed: 1, storage_used: 140 }
    expect(await account.usage('free', '2026-11')).toMatchObject(sums)
    expect(await account.list(2)).toMatchObject({ ids: ['running', 'failed'] })
    expect(await account.batch('bat_1')).toEqual(['failed', 'done'])
    expect(await account.beginIdempotent('known', 'compress', 'a')).toEqual({ kind: 'done', fingerprint: 'print', id: 'done' })
    expect((await account.applications()).map(({ application }) => application.name)).toEqual(['Shop'])
    expect(await account.deliveries(10)).toMatchObject([{ kind: 'test' }, { kind: 'task', taskId: 'done' }])
    const record = { accountId: 'acc', keyId: 'key_1', applicationId: 'app_1', plan: 'pro', scopes: [], state: 'active' } as const
    await env.KEY_GATES.getByName('a hash of before').put(record)
    await account.updateKey('key_1', { name: 'Till' })
    expect((await account.applications())[0]?.keys.map(({ summary }) => [summary.keyId, summary.name])).toEqual([['key_1', 'Till']])
    const at = Date.parse('2026-11-21')
    const ended = { at, format: 'text', originalSize: 100, compressedSize: 30 }
    for (const taskId of ['done', 'running', 'gone']) await account.tell({ kind: 'completed', taskId, ...ended })
    await account.tell({ kind: 'created', taskId: 'gone', createdAt: at, format: 'text', size: 7 })
    expect(await account.usage('free', '2026-11'), 'two of the three completed events were counted before').toMatchObject({
      tasks_completed: 3,
      original_size: 400,
      storage_used: 70,
    })
  })
})

it('deletes traces of removed tasks after an hour and idempotency keys after a day', async () => {
  await runInDurableObject(object(), async (instance, { storage }) => {
    const account = instance as unknown as AccountApi
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    const tasks = 50
    for (let i = 0; i < 2 * tasks; i++) {
      // Create the second half of the tasks two days later. Each of them deletes two expired rows.
      vi.setSystemTime(start + (i < tasks ? 0 : 2 * DAY_MS))
      const [taskId, createdAt, format] = [`tsk_${i}`, Date.now(), 'text']
      await account.beginIdempotent(taskId, 'compress', 'a')
      await account.tell({ kind: 'created', taskId, createdAt, format, size: 10 })
      await account.tell({ kind: 'completed', taskId, at: createdAt, format, originalSize: 10, compressedSize: 4 })
      await account.tell({ kind: 'removed', taskId })
    }
    const left = (table: string) => storage.sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one().n
    expect({ tasks: left('tasks'), removed: left('removed'), idempotency: left('idempotency') }).toEqual({
      tasks: 0,
      removed: tasks,
      idempotency: tasks,
    })
    expect(await account.admit('t', 100_000_000)).toEqual({ ok: true })
  })
})

it('an idempotency key is free after a day, or 15 minutes after an unfinished request', async () => {
  await runInDurableObject(object(), async (instance) => {
    const account = instance as unknown as AccountApi
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'] })
    const begin = async (key: string, afterMs: number) => {
      vi.setSystemTime(start + afterMs)
      return (await account.beginIdempotent(key, 'compress', crypto.randomUUID())).kind
    }
    await begin('done', 0)
    await account.finishIdempotent('done', 'compress', 'print', 'tsk')
    expect([await begin('lost', 0), await begin('lost', 15 * 60_000), await begin('lost', 15 * 60_000 + 1)]).toEqual([
      'new',
      'in_flight',
      'new',
    ])
    expect([await begin('done', DAY_MS), await begin('done', DAY_MS + 1)]).toEqual(['done', 'new'])
  })
})
