import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KeyGate } from '../../durable-objects/key-gate.ts'
import type { Env } from '../../src/service/env.ts'
import type { KeyRecord } from '../../src/service/store/keys.ts'

const KEY: KeyRecord = {
  keyId: 'key_1',
  accountId: 'acc_1',
  applicationId: 'app_1',
  plan: 'free',
  scopes: ['compress', 'usage:read'],
  state: 'active',
}
const START = Date.parse('2026-11-20T10:00:00Z')
let count = 0
const newGate = async (change: Partial<KeyRecord> = {}) => {
  const gate = env.KEY_GATES.getByName(`gate ${++count}`)
  await gate.put({ ...KEY, ...change })
  return gate
}

describe('KeyGate', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(START)
  })
  afterEach(() => void vi.useRealTimers())

  it('accepts ten requests of the free plan in any 60 seconds, and the next one when the first has expired', async () => {
    const gate = await newGate()
    for (let i = 0; i < 10; i++) {
      vi.setSystemTime(START + i * 1000)
      const entry = await gate.enter('compress')
      expect(entry).toMatchObject({ kind: 'accepted', rate: { limit: 10, remaining: 9 - i, resetAt: START + 60_000 } })
    }
    vi.setSystemTime(START + 59_999)
    expect(await gate.enter('compress')).toMatchObject({ kind: 'limited', rate: { remaining: 0, resetAt: START + 60_000 } })
    vi.setSystemTime(START + 60_000)
    expect(await gate.enter('compress')).toMatchObject({ kind: 'accepted', rate: { remaining: 0, resetAt: START + 61_000 } })
    expect(await gate.enter('compress')).toMatchObject({ kind: 'limited' })
  })

  it('never accepts more than the limit when requests arrive at the same time', async () => {
    const gate = await newGate()
    const entries = await Promise.all(Array.from({ length: 30 }, () => gate.enter(null)))
    expect(entries.filter((entry) => entry.kind === 'accepted')).toHaveLength(10)
  })

  it('refuses unknown, disabled and expired keys and missing scopes without counting them', async () => {
    expect(await env.KEY_GATES.getByName('nobody').enter(null)).toEqual({ kind: 'unknown' })
    expect(await (await newGate({ state: 'disabled' })).enter(null)).toEqual({ kind: 'disabled' })
    expect(await (await newGate({ expiresAt: START })).enter(null)).toEqual({ kind: 'expired' })
    const gate = await newGate()
    expect(await gate.enter('tasks:delete')).toMatchObject({ kind: 'missing_scope', rate: { remaining: 10 } })
    expect((await gate.calls('2026-11')).total).toBe(0)
  })

  it('continues with a rate window stored by the first release', async () => {
    const gate = await newGate()
    await runInDurableObject(gate as unknown as DurableObjectStub, async (_, ctx) => {
      for (const [name, value] of Object.entries({
        window: [START - 60_000, START - 5000, START - 5000, START - 1],
        lastUsedAt: START - 1,
      }))
        ctx.storage.kv.put(name, value)
      const revived = new KeyGate(ctx, env as unknown as Env)
      expect(await revived.enter(null)).toMatchObject({ kind: 'accepted', rate: { remaining: 6, resetAt: START + 55_000 } })
      await vi.waitFor(() => expect(ctx.storage.kv.get('recent')).toMatchObject({ lastUsedAt: START }), { timeout: 30_000 })
      expect([...ctx.storage.kv.list()].map(([name]) => name)).toEqual(['recent', 'record'])
      expect(await new KeyGate(ctx, env as unknown as Env).enter(null)).toMatchObject({ rate: { remaining: 5 } })
    })
  })

  it('counts the calls of unlimited keys by day', async () => {
    const gate = await newGate({ plan: 'enterprise' })
    for (let i = 0; i < 25; i++) expect(await gate.enter(null)).toMatchObject({ kind: 'accepted', rate: { limit: null } })
    vi.setSystemTime(START + 86_400_000)
    await gate.enter(null)
    const counted = { total: 26, byDay: { '2026-11-20': 25, '2026-11-21': 1 } }
    expect(await gate.calls('2026-11')).toEqual(counted)
    expect(await gate.calls('2026-12')).toEqual({ total: 0, byDay: {} })
    await runInDurableObject(gate as unknown as DurableObjectStub, async (_, ctx) => {
      await vi.waitFor(() => expect(ctx.storage.kv.get('recent')).toMatchObject({ today: { day: '2026-11-21', calls: 1 } }), {
        timeout: 30_000,
      })
      expect(await new KeyGate(ctx, env as unknown as Env).calls('2026-11'), 'after reloading from storage').toEqual(counted)
    })
  })

  it('continues with daily counts stored by an earlier release', async () => {
    const gate = await newGate({ plan: 'enterprise' })
    await runInDurableObject(gate as unknown as DurableObjectStub, async (_, ctx) => {
      ctx.storage.kv.put('day:2026-11-19', 7)
      ctx.storage.kv.put('day:2026-11-20', 3)
      const revived = new KeyGate(ctx, env as unknown as Env)
      await revived.enter(null)
      expect(await revived.calls('2026-11')).toEqual({ total: 11, byDay: { '2026-11-19': 7, '2026-11-20': 4 } })
    })
  })
})
