/** Tests of headers and errors of every answer, and of authentication. */
import { createExecutionContext } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Env } from '../../../src/service/env.ts'
import { createApp } from '../../../src/service/http/app.ts'
import { ROUTES } from '../../../src/service/http/routes/index.ts'
import { makeKey } from '../../../src/service/store/key-format.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { BASE, call, errorOf, form, member, TEXT } from './client.ts'

describe('every answer', () => {
  it('has a request id, security headers and CORS headers', async () => {
    for (const path of ['/healthz', '/nowhere', '/v1/usage']) {
      const answer = await call(undefined, path)
      expect(answer.headers.get('X-Request-Id')).toMatch(/^req_/)
      expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(answer.headers.get('Strict-Transport-Security')).toContain('max-age=')
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(answer.headers.get('Server-Timing')).toMatch(/total;dur=\d+/)
      expect(answer.headers.has('X-RateLimit-Limit')).toBe(false)
    }
    const flight = await call(undefined, '/v1/tasks/x', { method: 'OPTIONS' })
    expect(flight.status).toBe(204)
    expect(flight.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, DELETE, OPTIONS')
    expect(flight.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
  })

  it('reports errors in one JSON format, or as RFC 9457', async () => {
    const answer = await call(undefined, '/v1/usage', { headers: { 'X-Request-Id': 'mine' } })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('WWW-Authenticate')).toContain('Bearer')
    expect(await errorOf(answer)).toMatchObject({
      error: { code: 401, request_id: 'mine' },
      error_detail: { type: 'missing_key', doc_url: `${BASE}/docs#missing_key` },
    })
    const problem = await call(undefined, '/v1/usage', { headers: { Accept: 'application/problem+json, */*;q=0.1' } })
    expect(problem.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await problem.json()).toMatchObject({ status: 401, title: 'Missing key', error_detail: { type: 'missing_key' } })
  })

  it('contains the address that clients use, also behind a proxy', async () => {
    const app = createApp(ROUTES)
    const behind = { ...env, PUBLIC_URL: 'https://whittle.example.com' } as unknown as Env
    const who = await member()
    const ask = (headers: Record<string, string>, body?: FormData) => {
      const request = new Request(`${BASE}:8787/v1/compress`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${who.key}`, ...headers },
        ...(body ? { body } : {}),
      })
      return app.fetch(request, behind, createExecutionContext())
    }
    const file: [string, string, string] = ['file', TEXT, 'a.txt']
    for (const headers of [{}, { 'X-Forwarded-Proto': 'https' }, { 'X-Forwarded-Proto': 'https, http' }]) {
      const answer = await ask(headers, form({}, [file]))
      const task = (await answer.json()) as TaskView
      expect(task.download_url).toBe(`https://whittle.example.com/v1/tasks/${task.task_id}/download`)
    }
    expect((await errorOf(await ask({}))).error_detail['doc_url']).toBe('https://whittle.example.com/docs#malformed_request')
    expect((await errorOf(await ask({ 'X-Forwarded-Proto': 'http' }))).error_detail.type).toBe('https_required')
    const loopback = await ask({}, form({ callback_url: 'http://127.0.0.1:9/' }, [file]))
    expect((await errorOf(loopback)).error_detail.type).toBe('unsafe_callback_url')
  })

  it('is given only over https or to the local machine', async () => {
    const get = (url: string) => exports.default.fetch(new Request(url))
    expect((await errorOf(await get('http://api.example.com/healthz'))).error_detail.type).toBe('https_required')
    expect((await errorOf(await get('http://127.0.0.1.example.com/healthz'))).error_detail.type).toBe('https_required')
    for (const url of ['https://api.example.com/healthz', 'http://localhost/healthz', 'http://[::1]:8787/healthz']) {
      expect((await get(url)).status, url).toBe(200)
    }
  })

  it('is 405 with Allow for a wrong method, 404 for an unknown address', async () => {
    const wrong = await call(undefined, '/v1/tasks/x/download', { method: 'POST' })
    expect([wrong.status, wrong.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await errorOf(await call(undefined, '/v2/usage'))).error_detail.type).toBe('unknown_route')
  })

  it('does not reveal internal errors', async () => {
    const broken = async () => {
      throw new Error('the secret plan')
    }
    const busy = async () => {
      throw Object.assign(new Error('overloaded'), { overloaded: true })
    }
    const app = createApp([
      { method: 'GET', path: '/broken', access: 'public', handle: broken },
      { method: 'GET', path: '/busy', access: 'public', handle: busy },
    ])
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} } as unknown as ExecutionContext
    const answer = await app.fetch(new Request(`${BASE}/broken`), env, context)
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret')
    const later = await app.fetch(new Request(`${BASE}/busy`), env, context)
    expect([later.status, later.headers.get('Retry-After')]).toEqual([503, '5'])
  })
})

describe('health', () => {
  it('checks one Durable Object, and reuses a good answer', async () => {
    const names: string[] = []
    const TASKS = {
      getByName(name: string) {
        names.push(name)
        return env.TASKS.getByName(name)
      },
    }
    const app = createApp(ROUTES)
    const ask = () => app.fetch(new Request(`${BASE}/healthz`), { ...env, TASKS } as unknown as Env, createExecutionContext())
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let minute = 1; minute <= 10; minute++) {
      vi.setSystemTime(2_000_000_000_000 + minute * 60_000)
      for (const _ of [1, 2, 3]) expect((await ask()).status).toBe(200)
    }
    vi.useRealTimers()
    expect(names).toHaveLength(10)
    expect(new Set(names).size).toBeGreaterThan(3)
  })
})

describe('authentication', () => {
  it('limits requests per IP address, separately for people and API keys, before any Durable Object is called', async () => {
    const asked: string[] = []
    const limiter = (name: string) => ({
      limit: async ({ key }: { key: string }) => {
        asked.push(`${name} ${key}`)
        return { success: key !== '192.0.2.7' }
      },
    })
    const KEY_GATES = { getByName: () => expect.unreachable() }
    const own = { ...env, ENVIRONMENT: undefined, KEY_GATES, ANON_LIMITER: limiter('strangers'), KEY_LIMITER: limiter('programs') }
    const app = createApp(ROUTES)
    const knock = (path: string, address: string, more: Record<string, string> = {}) => {
      const request = new Request(`https://api.example.com${path}`, { headers: { 'CF-Connecting-IP': address, ...more } })
      return app.fetch(request, own as unknown as Env, createExecutionContext())
    }
    const key = { Authorization: `Bearer ${makeKey()}` }
    for (const [path, headers] of [
      ['/healthz', {}],
      ['/v1/usage', key],
      ['/admin/accounts', key],
      ['/v1/nowhere', key],
    ] as const) {
      const refused = await knock(path, '192.0.2.7', headers)
      expect([refused.status, refused.headers.get('Retry-After')], path).toEqual([429, '60'])
      expect((await errorOf(refused)).error_detail).toMatchObject({ type: 'rate_limited', window_seconds: 60 })
    }
    expect(asked).toEqual(['strangers 192.0.2.7', 'programs 192.0.2.7', 'strangers 192.0.2.7', 'strangers 192.0.2.7'])
    expect((await knock('/healthz', '192.0.2.8')).status).toBe(200)
  })

  const type = async (answer: Response) => [answer.status, (await errorOf(answer)).error_detail.type]

  it('distinguishes missing, mistyped, unknown, expired and disabled keys', async () => {
    const withHeader = (value: string) => call(undefined, '/v1/usage', { headers: { Authorization: value } })
    expect(await type(await call(undefined, '/v1/usage'))).toEqual([401, 'missing_key'])
    for (const wrong of ['Basic abc', 'Bearer garbage', `Bearer ${makeKey()}`, `Bearer ${makeKey()} x`]) {
      expect(await type(await withHeader(wrong)), wrong).toEqual([401, 'invalid_key'])
    }
    expect(await type(await call(await member({ expiresAt: 1000 }), '/v1/usage'))).toEqual([401, 'expired_key'])
    expect(await type(await call(await member({ state: 'disabled' }), '/v1/usage'))).toEqual([401, 'disabled_key'])
  })

  it('requires scopes, and does not count refused requests', async () => {
    const reader = await member({ plan: 'free', scopes: ['usage:read'] })
    const answer = await call(reader, '/v1/tasks')
    expect((await errorOf(answer)).error_detail).toMatchObject({ type: 'missing_scope', scope: 'tasks:read' })
    const counted = await call(reader, '/v1/usage')
    expect(counted.headers.get('X-RateLimit-Remaining')).toBe('9')
  })

  it('counts every other request once, and reports it in both header forms', async () => {
    const free = await member({ plan: 'free' })
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    for (const [index, path] of ['/v1/usage', '/v1/tasks/none', '/v1/nowhere', '/v1/formats'].entries()) {
      const answer = await call(free, path)
      const left = 9 - index
      expect(answer.headers.get('X-RateLimit-Limit')).toBe('10')
      expect(answer.headers.get('X-RateLimit-Remaining'), path).toBe(`${left}`)
      expect(answer.headers.get('RateLimit-Policy')).toBe('"minute";q=10;w=60')
      expect(answer.headers.get('RateLimit')).toMatch(new RegExp(`^"minute";r=${left};t=60$`))
      expect(Number(answer.headers.get('X-RateLimit-Reset'))).toBe(Math.ceil(Date.now() / 1000) + 60)
    }
    for (let i = 0; i < 6; i++) expect((await call(free, '/v1/usage')).status).toBe(200)
    const limited = await call(free, '/v1/usage')
    const { error, error_detail } = await errorOf(limited)
    expect(error).toMatchObject({ code: 429, message: expect.stringMatching(/free plan allows 10 requests per minute/) })
    expect(error_detail).toMatchObject({ type: 'rate_limited', limit: 10, plan: 'free', window_seconds: 60 })
    expect(limited.headers.get('Retry-After')).toBe(`${error_detail['retry_after_seconds']}`)
    const unlimited = await call(await member(), '/v1/usage')
    expect(unlimited.headers.get('X-RateLimit-Limit')).toBe('unlimited')
    expect(unlimited.headers.has('X-RateLimit-Reset')).toBe(false)
  })
})
