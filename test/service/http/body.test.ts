/** Tests of request bodies: how many bytes are read before a refusal. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createApp } from '../../../src/service/http/app.ts'
import { ROUTES } from '../../../src/service/http/routes/index.ts'
import { BASE, errorOf, member } from './client.ts'

const CHUNK_BYTES = 16 * 1024
const MAX_JSON_BYTES = 64 * 1024

/** Sends `total` bytes without Content-Length and counts the bytes that the service read. */
async function send(path: string, total: number, headers: Record<string, string> = {}, method = 'POST') {
  let taken = 0
  let cancelled = false
  const chunk = new Uint8Array(CHUNK_BYTES).fill(0x20)
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken >= total) return controller.close()
        taken += CHUNK_BYTES
        controller.enqueue(chunk.slice())
      },
      cancel() {
        cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request(BASE + path, { method, headers: { 'Content-Type': 'application/json', ...headers }, body })
  const answer = await createApp(ROUTES).fetch(request, env, createExecutionContext())
  return { answer, taken, cancelled }
}

const PUBLIC = ['/console/api/register/options', '/console/api/register', '/console/api/login']

it('refuses a 10 MB body without Content-Length after 64 KB', async () => {
  const operator = { Authorization: `Bearer ${env.ADMIN_TOKEN}` }
  for (const [path, headers] of [...PUBLIC.map((one) => [one, {}] as const), ['/admin/accounts', operator] as const]) {
    const { answer, taken, cancelled } = await send(path, 10_000_000, headers)
    const { error, error_detail } = await errorOf(answer)
    expect([answer.status, error_detail.type, error_detail['limit_bytes']], path).toEqual([400, 'malformed_request', MAX_JSON_BYTES])
    expect(error.message).toContain('65536')
    expect(taken, path).toBeLessThanOrEqual(MAX_JSON_BYTES + 2 * CHUNK_BYTES)
    expect(cancelled, path).toBe(true)
  }
})

it('discards the body of a refused request, so that the client receives the error', async () => {
  const long = await send('/console/api/login', 1_000_000, { 'Content-Length': '1000000' })
  expect((await errorOf(long.answer)).error_detail).toMatchObject({ type: 'malformed_request', limit_bytes: MAX_JSON_BYTES })
  expect(long.taken).toBeGreaterThanOrEqual(1_000_000)
  const { key } = await member()
  const raw = await send('/v1/compress', 1_000_000, { 'Content-Type': 'image/jpeg', Authorization: `Bearer ${key}` })
  expect((await errorOf(raw.answer)).error.message).toContain('multipart/form-data')
  expect(raw.taken).toBeGreaterThanOrEqual(1_000_000)
})

it('refuses a form without a key before parsing it, and the client receives the error', async () => {
  const { answer, taken } = await send('/v1/compress', 1_000_000, { 'Content-Type': 'multipart/form-data; boundary=x' })
  expect((await errorOf(answer)).error_detail.type).toBe('missing_key')
  expect(taken).toBeGreaterThanOrEqual(1_000_000)
  const { key } = await member()
  const parsed = await send('/v1/compress', 1_000_000, {
    'Content-Type': 'multipart/form-data; boundary=x',
    Authorization: `Bearer ${key}`,
  })
  expect((await errorOf(parsed.answer)).error_detail.type).toBe('malformed_request')
})

it('reads a body of 64 KB, with characters that are split between chunks', async () => {
  const text = JSON.stringify({ name: 'ü'.repeat(50), plan: 'free' })
  const bytes = new TextEncoder().encode(text + ' '.repeat(MAX_JSON_BYTES - new TextEncoder().encode(text).length))
  const cut = (sizes: number) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += sizes) controller.enqueue(bytes.slice(at, at + sizes))
        controller.close()
      },
    })
  for (const size of [11, 4096, bytes.length]) {
    const headers = { Authorization: `Bearer ${env.ADMIN_TOKEN}`, 'Content-Type': 'application/json' }
    const request = new Request(`${BASE}/admin/accounts`, { method: 'POST', headers, body: cut(size) })
    const answer = await createApp(ROUTES).fetch(request, env, createExecutionContext())
    expect([answer.status, ((await answer.json()) as { name: string }).name]).toEqual([200, 'ü'.repeat(50)])
  }
})
