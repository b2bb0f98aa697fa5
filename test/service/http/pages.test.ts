/** Tests of pages: policy, redirects, and the documentation site before and after it is built. */

import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Env } from '../../../src/service/env.ts'
import { createApp } from '../../../src/service/http/app.ts'
import { ROUTES } from '../../../src/service/http/routes/index.ts'

const REFERENCE = '<head><meta property="csp-nonce" content=""></head>'
const ALTERNATE = '<link rel="alternate" hreflang="zh-Hans" href="/docs/zh/formats">'
const SITE: Readonly<Record<string, string>> = {
  '/docs/index.html': '<h1>Docs</h1>',
  '/docs/quick-start.html': '<h1>Quick start</h1>',
  '/docs/decisions/png.html': '<h1>PNG</h1>',
  '/docs/formats.html': ALTERNATE,
  '/docs/zh/index.html': '<h1>文档</h1>',
  '/docs/zh/quick-start.html': '<h1>快速开始</h1>',
  '/docs/assets/app.a1b2c3.js': 'export {}',
  '/docs/api.html': REFERENCE,
  '/docs/404.html': '<h1>Not found</h1>',
}
const app = createApp(ROUTES)

/** Sends a request to a service whose documentation site has these files. */
async function get(path: string, { files = SITE, origin = 'http://localhost:8787', accept = 'text/html' } = {}): Promise<Response> {
  const DOCS = {
    fetch: async (url: URL) => {
      const file = files[url.pathname]
      return new Response(file ?? null, { status: file === undefined ? 404 : 200, headers: { 'Content-Type': 'text/html' } })
    },
  } as unknown as Fetcher
  const request = new Request(origin + path, { headers: { Accept: accept }, redirect: 'manual' })
  return app.fetch(request, { ...(env as unknown as Env), DOCS }, createExecutionContext())
}

describe('the documentation site', () => {
  it.each([
    ['/docs', '<h1>Docs</h1>'],
    ['/docs/', '<h1>Docs</h1>'],
    ['/docs/quick-start', '<h1>Quick start</h1>'],
    ['/docs/quick-start/', '<h1>Quick start</h1>'],
    ['/docs/decisions/png', '<h1>PNG</h1>'],
    ['/docs/zh', '<h1>文档</h1>'],
    ['/docs/zh/', '<h1>文档</h1>'],
    ['/docs/zh/quick-start', '<h1>快速开始</h1>'],
    ['/docs/assets/app.a1b2c3.js', 'export {}'],
  ])('serves %s', async (path, text) => {
    const answer = await get(path)
    expect([answer.status, await answer.text()]).toEqual([200, text])
  })

  it.each([
    ['/docs/quick-start.html', '/docs/quick-start'],
    ['/docs/self-hosting.html?from=mail', '/docs/self-hosting?from=mail'],
    ['/docs/index.html', '/docs'],
    ['/docs/zh/index.html', '/docs/zh'],
  ])('redirects the old address %s', async (path, to) => {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('Location')]).toEqual([301, to])
  })

  it('names the host in the addresses of the same page in other languages', async () => {
    for (const origin of ['http://localhost:8787', 'https://whittle.example.com'])
      expect(await (await get('/docs/formats', { origin })).text()).toBe(ALTERNATE.replace('href="', `href="${origin}`))
  })

  it('answers 404 for a page that does not exist: a page to a browser, an error to others', async () => {
    const answer = await get('/docs/no-such-page')
    expect([answer.status, await answer.text()]).toEqual([404, '<h1>Not found</h1>'])
    const error = await get('/docs/no-such-page', { accept: '*/*' })
    expect([error.status, await error.json()]).toMatchObject([404, { error_detail: { type: 'unknown_route' } }])
  })

  it('says that it is being built until it is there, and reloads', async () => {
    const answer = await get('/docs/quick-start', { files: {} })
    expect([answer.status, answer.headers.get('Refresh'), answer.headers.get('Cache-Control')]).toEqual([503, '3', 'no-store'])
    expect(answer.headers.get('Content-Security-Policy')).toContain("script-src 'self'")
    expect(await answer.text()).toContain('node pages/docs/build.ts')
  })

  it('may be cached for ever where names change with the content, and not elsewhere', async () => {
    expect((await get('/docs/assets/app.a1b2c3.js')).headers.get('Cache-Control')).toContain('immutable')
    expect((await get('/docs/quick-start')).headers.get('Cache-Control')).toBe('no-cache')
  })
})

describe('the policy of pages', () => {
  const directives = (answer: Response) =>
    Object.fromEntries((answer.headers.get('Content-Security-Policy') ?? '').split(/; */).map((part) => [part.split(' ')[0], part]))

  it.each([
    '/docs',
    '/docs/quick-start',
    '/docs/assets/app.a1b2c3.js',
    '/docs/api',
  ])('allows nothing of another host on %s', async (path) => {
    const policy = directives(await get(path))
    expect(policy['default-src']).toBe("default-src 'none'")
    expect(policy['script-src']).toBe("script-src 'self'")
    expect(policy['connect-src']).toBe("connect-src 'self'")
    expect(JSON.stringify(policy)).not.toMatch(/unsafe|https?:|\*/)
  })

  it('allows styles of this origin only, and on the API reference those with its nonce, which is never the same', async () => {
    expect(directives(await get('/docs/quick-start'))['style-src']).toBe("style-src 'self'")
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const answer = await get('/docs/api')
        const [, nonce] = /^style-src 'self' 'nonce-([\w-]{36})'$/.exec(directives(answer)['style-src'] ?? '') ?? []
        expect(await answer.text()).toBe(REFERENCE.replace('content=""', `content="${nonce}"`))
        expect(answer.headers.get('Cache-Control')).toBe('no-store')
        return nonce
      }),
    )
    expect(new Set(nonces).size).toBe(2)
  })
})

it('is no error in the log while the documentation is being built (docs-unbuilt-logged-as-error)', async () => {
  const [errors, lines] = [vi.spyOn(console, 'error'), vi.spyOn(console, 'log')]
  onTestFinished(() => {
    errors.mockRestore()
    lines.mockRestore()
  })
  expect((await get('/docs', { files: {} })).status).toBe(503)
  expect(errors).not.toHaveBeenCalled()
  expect(lines.mock.calls.map(([line]) => JSON.parse(String(line)))).toContainEqual(expect.objectContaining({ level: 'info', status: 503 }))
})

describe('loopback addresses', () => {
  it.each([
    'http://127.0.0.1:8787',
    'http://[::1]:8787',
    'http://127.1.2.3:8787',
  ])('redirect the pages of %s to localhost', async (origin) => {
    for (const path of ['/', '/console?a=1', '/docs', '/docs/quick-start', '/licences', '/status']) {
      const answer = await get(path, { origin })
      expect([path, answer.status, answer.headers.get('Location')]).toEqual([path, 307, `http://localhost:8787${path}`])
    }
  })

  it('do not redirect API calls, scripts, or clients that want no page', async () => {
    const origin = 'http://127.0.0.1:8787'
    expect((await get('/v1/formats', { origin })).status).toBe(401)
    expect((await get('/openapi.json', { origin })).status).toBe(200)
    expect((await get('/docs', { origin, accept: '*/*' })).status).toBe(200)
    expect((await get('/docs/assets/app.a1b2c3.js', { origin, accept: '*/*' })).status).toBe(200)
  })

  it('leave localhost and public names where they are', async () => {
    for (const origin of ['http://localhost:8787', 'https://whittle.example.com', 'http://docs.localhost:8787'])
      expect((await get('/docs', { origin })).status, origin).toBe(200)
  })
})
