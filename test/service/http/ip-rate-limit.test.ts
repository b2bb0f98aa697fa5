/** Rate limits by address on one machine with a public URL (limiters-off-with-public-url). */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import edge from '../../../src/index.ts'
import type { Env } from '../../../src/service/env.ts'
import { LOCAL_LIMITS } from '../../../src/service/http/ip-rate-limit.ts'
import { MemoryRateLimiter } from '../../../src/service/http/memory-rate-limiter.ts'
import { BASE } from './client.ts'

async function guess(address: string, change: Partial<Env>): Promise<Response> {
  const headers = { 'CF-Connecting-IP': address, Authorization: 'Bearer a guess' }
  const context = createExecutionContext()
  const request = new Request(`${BASE}/admin/accounts`, { headers }) as Parameters<typeof edge.fetch>[0]
  const response = await edge.fetch(request, { ...(env as unknown as Env), ...change }, context)
  await waitOnExecutionContext(context)
  await response.arrayBuffer()
  return response
}

/** Status codes of `count` guesses of the operator's token, each with its number. */
async function statuses(count: number, address: string, change: Partial<Env>): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (let at = 0; at < count; at++) {
    const { status } = await guess(address, change)
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  return counts
}

it('refuses guesses of one address above the limit, and no other address', { timeout: 60_000 }, async () => {
  const own = { PUBLIC_URL: 'https://whittle.example.com' }
  const counts = await statuses(LOCAL_LIMITS.ANON_LIMITER + 20, '192.0.2.1', own)
  expect(counts.get(429)).toBeGreaterThanOrEqual(20)
  expect((await guess('192.0.2.1', own)).headers.get('Retry-After')).toBe('60')
  expect((await guess('192.0.2.2', own)).status).not.toBe(429)
})

it('refuses nothing without a public URL, where all clients share the address of this machine', async () => {
  expect((await statuses(50, '127.0.0.1', {})).get(429)).toBeUndefined()
})

it('counts each key separately, in windows', async () => {
  const limiter = new MemoryRateLimiter(2, 60_000)
  const answers = []
  for (const key of ['a', 'a', 'a', 'b']) answers.push((await limiter.limit({ key })).success)
  expect(answers).toEqual([true, true, false, true])
})
