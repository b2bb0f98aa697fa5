import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { Account } from '../../durable-objects/account.ts'
import type { Env } from '../../src/service/env.ts'
import { hashKey, isWellFormedKey } from '../../src/service/store/key-format.ts'

async function newAccount() {
  const accountId = `acc_${crypto.randomUUID()}`
  const account = env.ACCOUNTS.getByName(accountId)
  await account.put({ accountId, name: 'Test', plan: 'free', createdAt: Date.now(), state: 'active' })
  return account
}
const created = (taskId: string, size = 10) => ({ kind: 'created', taskId, createdAt: Date.now(), format: 'text', size }) as const
const completed = (taskId: string) =>
  ({ kind: 'completed', taskId, at: Date.now(), format: 'text', originalSize: 10, compressedSize: 4 }) as const

describe('Account', () => {
  it('counts a repeated task event once', async () => {
    const account = await newAccount()
    for (let i = 0; i < 3; i++) {
      await account.tell(created('t1'))
      await account.tell(completed('t1'))
    }
    expect(await account.usage('free')).toMatchObject({ tasks_completed: 1, original_size: 10, compressed_size: 4, storage_used: 4 })
    await account.tell({ kind: 'removed', taskId: 't1' })
    await account.tell(created('t1'))
    expect(await account.usage('free')).toMatchObject({ tasks_completed: 1, storage_used: 0 })
  })

  it('sums measured CPU time by format and effort, without estimates', async () => {
    const account = await newAccount()
    const end = (taskId: string, effort: 'fast' | undefined, cpu: { readonly ms: number; readonly estimated: boolean }) => [
      created(taskId),
      { ...completed(taskId), ...(effort ? { effort } : {}), cpu },
    ]
    await account.tell(end('a', 'fast', { ms: 100, estimated: false }))
    await account.tell(end('a', 'fast', { ms: 100, estimated: false }))
    await account.tell(end('b', 'fast', { ms: 60, estimated: false }))
    await account.tell(end('c', undefined, { ms: 250, estimated: false }))
    await account.tell(end('d', undefined, { ms: 9000, estimated: true }))
    expect(await account.costs()).toEqual([
      { format: 'text', effort: 'balanced', tasks: 1, original: 10, cpu_ms: 250 },
      { format: 'text', effort: 'fast', tasks: 2, original: 20, cpu_ms: 160 },
    ])
  })

  it('lists tasks newest first, page by page', async () => {
    const account = await newAccount()
    for (let i = 0; i < 7; i++) await account.tell(created(`t${i}`))
    const first = await account.list(3)
    expect(first?.ids).toEqual(['t6', 't5', 't4'])
    const second = await account.list(3, first?.nextCursor)
    expect(second?.ids).toEqual(['t3', 't2', 't1'])
    expect(await account.list(3, second?.nextCursor)).toEqual({ ids: ['t0'] })
    expect(await account.list(3, 'no cursor of ours')).toBeUndefined()
  })

  it('admits an upload only if it fits the storage quota', async () => {
    const account = await newAccount()
    await account.tell(created('big', 99_999_990))
    expect(await account.admit('t1', 11)).toEqual({ ok: false, used: 99_999_990, quota: 100_000_000 })
    expect(await account.admit('t1', 10)).toEqual({ ok: true })
  })

  it('admits as many tasks and uploads as its storage holds at 16 KB each (tasks-without-quota)', async () => {
    const account = await newAccount()
    const maxObjects = Math.floor(100_000_000 / 16_384)
    const tasks = Array.from({ length: maxObjects - 3 }, (_, at) => created(`t${at}`, 0))
    await account.tell(tasks)
    await account.tell(tasks.slice(0, 10))
    expect(await account.reserve('upload', 0, Date.now() + 60_000)).toEqual({ ok: true })
    const full = { ok: false, used: 0, quota: 100_000_000, maxObjects }
    expect(await account.admit('batch', 0, 3)).toEqual({ ...full, objects: maxObjects - 2 })
    expect(await account.admit('batch', 0, 2)).toEqual({ ok: true })
    expect(await account.admit('one', 0)).toEqual({ ...full, objects: maxObjects })
    expect(await account.reserve('another upload', 0, Date.now() + 60_000)).toEqual({ ...full, objects: maxObjects })
    await account.release('upload')
    await account.tell([0, 1, 1].map((at) => ({ kind: 'removed', taskId: `t${at}` }) as const))
    expect(await account.admit('three', 0, 3)).toEqual({ ok: true })
    expect(await account.admit('one', 0)).toEqual({ ...full, objects: maxObjects })
  })

  it('reserves storage for an admitted upload until its task is created, it is released, or 15 minutes have passed', async () => {
    const account = await newAccount()
    const half = 50_000_000
    const full = { ok: false, used: 100_000_000, quota: 100_000_000 }
    expect([await account.admit('t1', half), await account.admit('t2', half)]).toEqual([{ ok: true }, { ok: true }])
    expect(await account.admit('t3', 1)).toEqual(full)
    await account.tell(created('t1', half))
    expect(await account.admit('t3', 1), 'the task counts once, not also as a reservation').toEqual(full)
    await account.giveBack(['t2'])
    expect(await account.admit('t3', half)).toEqual({ ok: true })
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + 15 * 60_000)
    expect(await account.admit('t4', half)).toEqual({ ok: true })
    vi.useRealTimers()
  })

  it('lets one request at a time use an idempotency key', async () => {
    const account = await newAccount()
    expect(await account.beginIdempotent('k', 'compress', crypto.randomUUID())).toEqual({ kind: 'new' })
    expect(await account.beginIdempotent('k', 'compress', crypto.randomUUID())).toEqual({ kind: 'in_flight' })
    expect(await account.beginIdempotent('k', 'batch', crypto.randomUUID())).toEqual({ kind: 'new' })
    await account.finishIdempotent('k', 'compress', 'print', 'tsk_1')
    expect(await account.beginIdempotent('k', 'compress', crypto.randomUUID())).toEqual({ kind: 'done', fingerprint: 'print', id: 'tsk_1' })
    await account.abandonIdempotent('k', 'batch')
    expect(await account.beginIdempotent('k', 'batch', crypto.randomUUID())).toEqual({ kind: 'new' })
  })

  it('lets the same request claim an idempotency key again after its response was lost', async () => {
    const account = await newAccount()
    expect(await account.beginIdempotent('k', 'compress', 'one')).toEqual({ kind: 'new' })
    expect(await account.beginIdempotent('k', 'compress', 'one')).toEqual({ kind: 'new' })
    expect(await account.beginIdempotent('k', 'compress', 'two')).toEqual({ kind: 'in_flight' })
    await account.finishIdempotent('k', 'compress', 'print', 'tsk_1')
    expect(await account.beginIdempotent('k', 'compress', 'one')).toMatchObject({ kind: 'done', id: 'tsk_1' })
  })

  it('creates API keys, returns each key once, and disables them', async () => {
    const account = await newAccount()
    const { applicationId } = await account.createApplication('Shop', 'production')
    const made = await account.createKey(applicationId, { plan: 'free', scopes: ['compress'] })
    if (!made) throw new Error('no key')
    expect(isWellFormedKey(made.key)).toBe(true)
    const gate = env.KEY_GATES.getByName(await hashKey(made.key))
    expect(await gate.enter('compress')).toMatchObject({ kind: 'accepted' })
    expect(JSON.stringify(await account.applications())).not.toContain(made.key)
    expect(await account.updateKey(made.summary.keyId, { state: 'disabled' })).toBe(true)
    expect(await gate.enter('compress')).toEqual({ kind: 'disabled' })
    expect(await account.createKey('app_none', { plan: 'free', scopes: [] })).toBeUndefined()
    expect((await account.usage('free')).api_calls).toBe(1)
  })

  it('asks only the keys that existed in a month for its calls', async () => {
    const accountId = `acc_${crypto.randomUUID().slice(0, 8)}`
    const asked: string[] = []
    const gates = {
      getByName: (name: string) =>
        new Proxy(env.KEY_GATES.getByName(name), {
          get(gate, method) {
            asked.push(name)
            return Reflect.get(gate, method)
          },
        }),
    }
    await runInDurableObject(env.ACCOUNTS.getByName(accountId) as unknown as DurableObjectStub, async (_, ctx) => {
      const account = new Account(ctx, { ...(env as unknown as Env), KEY_GATES: gates })
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-10-31T23:00:00Z') })
      try {
        await account.put({ accountId, name: 'Test', plan: 'free', createdAt: Date.now(), state: 'active' })
        const { applicationId } = await account.createApplication('Shop', 'production')
        const { key, summary } = (await account.createKey(applicationId, { plan: 'free', scopes: ['compress'] }))!
        await env.KEY_GATES.getByName(await hashKey(key)).enter('compress')
        vi.setSystemTime(Date.parse('2026-11-02T00:00:00Z'))
        await account.updateOwnKey(summary.keyId, { state: 'disabled' })
        expect(await account.removeKey(summary.keyId)).toEqual({ kind: 'removed' })
        const calls = async (month: string) => {
          asked.length = 0
          return [(await account.usage('free', month)).api_calls, asked.includes(summary.hash)]
        }
        expect(await calls('2026-10')).toEqual([1, true])
        expect(await calls('2026-11')).toEqual([0, true])
        expect(await calls('2026-09')).toEqual([0, false])
        expect(await calls('2026-12')).toEqual([0, false])
        asked.length = 0
        expect((await account.applications())[0]?.keys).toEqual([])
        expect(asked, 'a removed key is not asked').toEqual([])
      } finally {
        vi.useRealTimers()
      }
    })
  })
})
