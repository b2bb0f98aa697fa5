/** Browser tokens in the KeyGate object of their key: stored rows, files, and claims of interrupted requests. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hashKey } from '../../src/service/store/key-format.ts'
import { gateOfToken, makeToken } from '../../src/service/store/token-format.ts'
import { MAX_TOKENS, type UploadToken } from '../../src/service/store/upload-tokens.ts'

const START = Date.parse('2026-11-20T10:00:00Z')
const ORIGIN = 'https://app.example.com'
const USE = { origin: ORIGIN, purpose: 'file' } as const
let count = 0

async function newGate() {
  const name = await hashKey(`key ${++count}`)
  const gate = env.KEY_GATES.getByName(name)
  await gate.put({ keyId: 'key_1', accountId: 'acc_1', applicationId: 'app_1', plan: 'pro', scopes: ['tokens'], state: 'active' })
  return { gate, name }
}

const tokenOf = async (text: string, change: Partial<UploadToken> = {}): Promise<UploadToken> => ({
  id: await hashKey(text),
  origin: ORIGIN,
  expiresAt: Date.now() + 60_000,
  maxFiles: 1,
  ...change,
})

type Gate = Awaited<ReturnType<typeof newGate>>['gate']
const rows = (gate: Gate, table: string) =>
  runInDurableObject(gate as unknown as DurableObjectStub, (_, { storage }) => [...storage.sql.exec(`SELECT * FROM ${table}`)])

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(START)
})
afterEach(() => void vi.useRealTimers())

it('keeps the hash of a token, never the token', async () => {
  const { gate, name } = await newGate()
  const text = makeToken(name)
  expect(gateOfToken(text)).toBe(name)
  expect(gateOfToken(makeToken(`eu/${name}`))).toBe(`eu/${name}`)
  await gate.createToken(await tokenOf(text))
  const stored = JSON.stringify(await rows(gate, 'tokens'))
  expect(stored).toContain(await hashKey(text))
  expect(stored).not.toContain(text.split('.').at(-1))
  expect(await gate.enterWithToken(await hashKey(text), USE)).toMatchObject({ kind: 'accepted', token: { origin: ORIGIN } })
})

it('deletes tokens and their files fifteen minutes after they expired, when others are made', async () => {
  const { gate } = await newGate()
  for (let i = 0; i < 3; i++) {
    const token = await tokenOf(`old ${i}`)
    await gate.createToken(token)
    expect(await gate.claimTokenFile(token.id, `tsk_${i}`)).toBe(true)
  }
  vi.setSystemTime(START + 60_000 + 15 * 60_000)
  await gate.createToken(await tokenOf('first'))
  expect(await rows(gate, 'tokens')).toHaveLength(4)
  vi.setSystemTime(Date.now() + 1)
  await gate.createToken(await tokenOf('second'))
  expect((await rows(gate, 'tokens')).length).toBe(2)
  expect(await rows(gate, 'token_files')).toEqual([])
})

it('refuses further tokens when it has the maximum', async () => {
  const { gate } = await newGate()
  await gate.createToken(await tokenOf('one'))
  await runInDurableObject(gate as unknown as DurableObjectStub, (_, { storage }) => {
    const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_TOKENS - 1})`
    storage.sql.exec(`INSERT INTO tokens (id, expires_at, token) ${many} SELECT 'x' || i, ${START + 1e9}, '{}' FROM n`)
  })
  await runInDurableObject(gate as unknown as DurableObjectStub, async (instance, ctx) => {
    const { KeyGate } = await import('../../durable-objects/key-gate.ts')
    const restarted = new KeyGate(ctx, (instance as unknown as { env: ConstructorParameters<typeof KeyGate>[1] }).env)
    expect(await restarted.createToken(await tokenOf('one too many'))).toBe(false)
    expect(await restarted.createToken(await tokenOf('one')), 'a repeated call').toBe(true)
  })
})

it('counts a file once, however often its claim and its end are repeated and in which order they arrive', async () => {
  const { gate } = await newGate()
  const { id } = await tokenOf('files')
  await gate.createToken(await tokenOf('files', { maxFiles: 2 }))
  const claims = await Promise.all(['tsk_a', 'tsk_a', 'tsk_b', 'tsk_c', 'tsk_d'].map((taskId) => gate.claimTokenFile(id, taskId)))
  expect(claims).toEqual([true, true, true, false, false])
  await gate.settleTokenFile(id, 'tsk_a', 'used')
  await gate.settleTokenFile(id, 'tsk_a', 'refused')
  await gate.settleTokenFile(id, 'tsk_b', 'refused')
  expect(await gate.claimTokenFile(id, 'tsk_c')).toBe(true)
  expect(await gate.enterWithToken(id, USE), 'a claim is no file yet').toMatchObject({ kind: 'accepted' })
  await gate.settleTokenFile(id, 'tsk_c', 'used')
  expect(await gate.enterWithToken(id, USE)).toMatchObject({ kind: 'used_up' })
  expect(await gate.enterWithToken(id, { ...USE, purpose: 'own' })).toMatchObject({ kind: 'accepted' })
})

it('ends with its key', async () => {
  const { gate } = await newGate()
  const { id } = await tokenOf('ends')
  await gate.createToken(await tokenOf('ends'))
  await gate.forget()
  expect(await gate.enterWithToken(id, USE)).toEqual({ kind: 'unknown' })
  expect(await rows(gate, 'tokens')).toEqual([])
})

it('makes no tables in the objects of keys without tokens', async () => {
  const { gate } = await newGate()
  await gate.enter('tokens')
  expect(await gate.enterWithToken('unknown', USE)).toEqual({ kind: 'unknown' })
  await gate.settleTokenFile('unknown', 'tsk_a', 'used')
  await gate.forget()
  await expect(rows(gate, 'tokens')).rejects.toThrow('no such table')
})
