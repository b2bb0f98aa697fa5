/** Guests in the KeyGate objects that count them: limits by address, requests in a minute, and stored rows. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { GUEST_ACCOUNT, GUEST_FILES, GUEST_LIMITS, GUEST_PREFIX, GUEST_WINDOW_MS, guestGate } from '../../src/service/store/guests.ts'
import { hashKey } from '../../src/service/store/key-format.ts'
import { PLANS } from '../../src/service/store/plans.ts'
import { gateOfToken, makeToken } from '../../src/service/store/token-format.ts'

const START = Date.parse('2026-11-20T10:00:00Z')
const ORIGIN = 'https://whittle.example.com'
const USE = { origin: ORIGIN, purpose: 'file', bytes: 1000 } as const
/** Two addresses that share a KeyGate object. Each test has its own object. */
let [ONE, OTHER] = ['', '']
let tests = 0

const gateOf = (address: string) => env.KEY_GATES.getByName(guestGate(address))
type Gate = ReturnType<typeof gateOf>
const rows = (gate: Gate) =>
  runInDurableObject(gate as unknown as DurableObjectStub, (_, { storage }) => [...storage.sql.exec('SELECT address FROM guests')])

/** Makes a token for a guest. Returns its id, or the end of the hour if the address has used it up. */
async function tokenFor(guest: string): Promise<{ id: string; until: number | undefined }> {
  const id = await hashKey(makeToken(guestGate(guest), GUEST_PREFIX))
  const token = { id, origin: ORIGIN, expiresAt: Date.now() + GUEST_WINDOW_MS, maxFiles: GUEST_FILES, guest }
  return { id, until: await gateOf(guest).createGuestToken(token) }
}

beforeEach(() => {
  const digit = (++tests).toString(16)
  ;[ONE, OTHER] = [`0${digit}${'00'.repeat(15)}`, `1${digit}${'00'.repeat(15)}`]
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(START)
})
afterEach(() => void vi.useRealTimers())

it('are few objects, whatever their addresses', () => {
  const names = Array.from({ length: 256 }, (_, byte) => guestGate(byte.toString(16).padStart(2, '0').repeat(16)))
  expect(new Set(names).size).toBe(16)
  expect(gateOfToken(makeToken(names[0]!, GUEST_PREFIX))).toBe(names[0])
})

it('have tokens until the hour of their address is used up', async () => {
  for (let i = 0; i < GUEST_LIMITS.tokens; i++) expect((await tokenFor(ONE)).until).toBeUndefined()
  vi.setSystemTime(START + 1000)
  expect((await tokenFor(ONE)).until).toBe(START + GUEST_WINDOW_MS)
  expect((await tokenFor(OTHER)).until, 'another address in the same object').toBeUndefined()
  vi.setSystemTime(START + GUEST_WINDOW_MS)
  expect((await tokenFor(ONE)).until).toBeUndefined()
})

it('use the account of all guests, and each has event streams of its own', async () => {
  const keys = []
  for (const address of [ONE, OTHER]) {
    const { id } = await tokenFor(address)
    const entry = await gateOf(address).enterWithToken(id, USE)
    if (entry.kind !== 'accepted') throw new Error(entry.kind)
    keys.push(entry.key)
  }
  expect(keys.map(({ accountId, plan }) => [accountId, plan])).toEqual(Array(2).fill([GUEST_ACCOUNT, 'guest']))
  expect(keys[0]!.keyId).not.toBe(keys[1]!.keyId)
})

it('may send a bounded number of bytes and of CPU seconds in an hour', async () => {
  const gate = gateOf(ONE)
  const { id } = await tokenFor(ONE)
  expect(await gate.enterWithToken(id, { ...USE, bytes: GUEST_LIMITS.bytes })).toMatchObject({ kind: 'accepted' })
  expect(await gate.enterWithToken(id, { ...USE, bytes: 1 })).toEqual({ kind: 'hour_used', until: START + GUEST_WINDOW_MS })
  expect(await gate.enterWithToken(id, { origin: ORIGIN, purpose: 'own' }), 'reading results').toMatchObject({ kind: 'accepted' })
  expect(await gate.chargeGuest(id, { cpuMs: GUEST_LIMITS.cpuMs })).toBeUndefined()
  expect(await gate.chargeGuest(id, { cpuMs: 1 })).toBe(START + GUEST_WINDOW_MS)
})

it('count a body of unknown length as the largest file', async () => {
  const gate = gateOf(ONE)
  const { id } = await tokenFor(ONE)
  const files = Math.floor(GUEST_LIMITS.bytes / PLANS.guest.maxFileBytes)
  const unknown = { origin: ORIGIN, purpose: 'file' } as const
  for (let i = 0; i < files; i++) expect((await gate.enterWithToken(id, unknown)).kind).toBe('accepted')
  expect((await gate.enterWithToken(id, unknown)).kind).toBe('hour_used')
})

it('have a rate limit for each address, not for all together', async () => {
  const limit = PLANS.guest.requestsPerMinute!
  const own = { origin: ORIGIN, purpose: 'own' } as const
  const gate = gateOf(ONE)
  const [{ id }, other] = [await tokenFor(ONE), await tokenFor(OTHER)]
  for (let i = 0; i < limit; i++) expect((await gate.enterWithToken(id, own)).kind).toBe('accepted')
  expect(await gate.enterWithToken(id, own)).toMatchObject({ kind: 'limited', rate: { limit, remaining: 0 } })
  expect((await gate.enterWithToken(other.id, own)).kind).toBe('accepted')
})

it('leave no row behind when others follow after their hour', async () => {
  const gate = gateOf(ONE)
  await tokenFor(ONE)
  expect(await rows(gate)).toHaveLength(1)
  vi.setSystemTime(START + GUEST_WINDOW_MS)
  await tokenFor(OTHER)
  expect(await rows(gate)).toEqual([{ address: OTHER }])
})
