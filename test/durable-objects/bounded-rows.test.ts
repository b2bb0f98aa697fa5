/** Tests that repeated actions of users cannot fill an account's storage. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { SCOPES } from '../../src/service/store/keys.ts'

afterEach(() => void vi.useRealTimers())

const DAY_MS = 86_400_000

async function newAccount() {
  const accountId = `acc_${crypto.randomUUID()}`
  const account = env.ACCOUNTS.getByName(accountId)
  await account.put({ accountId, name: 'Test', plan: 'enterprise', createdAt: Date.now(), state: 'active' })
  return account
}

type Account = Awaited<ReturnType<typeof newAccount>>

const rowsOf = (account: Account, table: string) => select(account, 'COUNT(*)', table).then(([count]) => count)

/** Reads one column of an account's SQLite table directly. */
const select = (account: Account, column: string, table: string) =>
  runInDurableObject(account as unknown as DurableObjectStub, (_, { storage }) =>
    [...storage.sql.exec<{ value: string | number }>(`SELECT ${column} AS value FROM ${table}`)].map(({ value }) => value),
  )

it('repeated sign-ins end only the oldest sessions of the same person', async () => {
  const account = await newAccount()
  const people = await account.people
  const other = await people.openSession('usr_other')
  const tokens: string[] = []
  for (let i = 0; i < 105; i++) tokens.push(await people.openSession('usr_ada'))
  expect(await rowsOf(account, 'sessions')).toBe(101)
  const kept = await select(account, 'hash', 'sessions')
  const hashes = await Promise.all([other, ...tokens].map(sha256))
  expect(hashes.map((hash) => kept.includes(hash))).toEqual([true, ...Array(5).fill(false), ...Array(100).fill(true)])
})

it('deletes unused invitations after a week and keeps at most 200', async () => {
  const account = await newAccount()
  const people = await account.people
  for (let i = 0; i < 3; i++) await people.invite('Bob')
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 8 * DAY_MS)
  const last = await people.invite('Cleo')
  expect(await rowsOf(account, 'invitations')).toBe(1)
  for (let i = 0; i < 200; i++) await people.invite('Dan')
  expect(await rowsOf(account, 'invitations')).toBe(200)
  expect(await people.openInvitation(last)).toBeUndefined()
})

it('deletes unanswered challenges after five minutes', async () => {
  const account = await newAccount()
  const challenges = await account.challenges
  for (let i = 0; i < 20; i++) await challenges.issue(`holder ${i}`)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 5 * 60_000)
  await challenges.issue('another')
  expect(await rowsOf(account, 'challenges')).toBe(1)
})

it('deletes the row of an unused key and keeps the row of a used key for its usage', async () => {
  const account = await newAccount()
  const { applicationId } = await account.createApplication('Shop', 'test')
  const [used, idle] = [
    await account.createOwnKey(applicationId, { scopes: SCOPES }),
    await account.createOwnKey(applicationId, { scopes: SCOPES }),
  ]
  if (used.kind !== 'made' || idle.kind !== 'made') throw new Error('no keys')
  await env.KEY_GATES.getByName(used.summary.hash).enter(null)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + 2 * 60_000)
  for (const { summary } of [used, idle]) {
    await account.updateOwnKey(summary.keyId, { state: 'disabled' })
    expect(await account.removeKey(summary.keyId)).toEqual({ kind: 'removed' })
  }
  expect(await rowsOf(account, 'keys')).toBe(1)
})

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
