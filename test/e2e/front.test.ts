/** The door before wrangler, with an upstream that loses requests as wrangler's proxy does (proxy-loses-request). */
import { EventEmitter } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { enforceMinimumRate } from '../../src/local/request-body.ts'
import { openReverseProxy, type ReverseProxyOptions } from '../../src/local/reverse-proxy.ts'
import { freePort, Service } from '../../src/local/service.ts'

const KEY = { Authorization: 'Bearer some-key' }
const MB = 1_000_000

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** An upstream that answers the first `lost` requests itself and then passes on what it got; its front's address. */
async function front(
  lost: number,
  options: ReverseProxyOptions = {},
): Promise<{ url: string; port: number; seen: string[]; headers: IncomingHttpHeaders[] }> {
  const seen: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const upstream = createServer(async (request, response) => {
    headers.push(request.headers)
    const chunks = await request.toArray().catch(() => undefined)
    if (!chunks) return // its sender is gone
    const body = Buffer.concat(chunks).toString()
    seen.push(`${request.method} ${request.url} ${body.length}`)
    if (seen.length <= lost) response.writeHead(500).end()
    else response.writeHead(request.url === '/broken' ? 500 : 200, { 'x-request-id': 'req_1', etag: '"a"' }).end(body)
  })
  const port = await freePort()
  await new Promise<void>((done) => upstream.listen(port, '127.0.0.1', done))
  const own = await freePort()
  servers.push(upstream, await openReverseProxy(own, port, options))
  return { url: `http://127.0.0.1:${own}`, port: own, seen, headers }
}

it('sends a lost request again, body and all', async () => {
  const { url, seen } = await front(2)
  const body = 'x'.repeat(100_000)
  const answer = await fetch(`${url}/v1/compress?a=1`, { method: 'POST', headers: KEY, body })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('etag')).toBe('"a"')
  expect(await answer.text()).toBe(body)
  expect(seen).toEqual(Array(3).fill('POST /v1/compress?a=1 100000'))
})

it('passes on what the Worker itself answers', async () => {
  const { url, seen } = await front(0)
  expect((await fetch(`${url}/broken`, { method: 'DELETE' })).status).toBe(500)
  expect(seen).toEqual(['DELETE /broken 0'])
})

it('streams what is too long to be held, once', async () => {
  const { url, seen } = await front(1)
  const body = new Uint8Array(17 * 1024 * 1024)
  expect((await fetch(`${url}/v1/compress`, { method: 'POST', headers: KEY, body })).status).toBe(503)
  expect((await fetch(`${url}/v1/compress`, { method: 'POST', headers: KEY, body })).status).toBe(200)
  expect(seen).toHaveLength(2)
})

/** `total` bytes without a length. */
const chunked = (total: number, headers: Record<string, string> = {}) => {
  const chunk = new Uint8Array(65_536)
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= total) return controller.close()
      sent += chunk.length
      controller.enqueue(chunk)
    },
  })
  return { method: 'POST', headers, body, duplex: 'half' } as RequestInit
}

it('cuts what a stranger sends after 64 KB, with and without a length, and still tells why (strangers-fill-the-door)', async () => {
  const { url, seen, headers } = await front(0)
  const long = { method: 'POST', body: new Uint8Array(10 * MB) }
  for (const [path, init] of [
    ['/console/api/login', chunked(10 * MB)],
    ['/console/api/login', long],
    ['/v1/compress', chunked(10 * MB)],
    ['/admin/accounts', chunked(10 * MB, KEY)],
  ] as const) {
    const answer = await fetch(url + path, init)
    expect([answer.status, (await answer.arrayBuffer()).byteLength], path).toEqual([200, 65_537])
    expect(seen.pop(), path).toBe(`POST ${path} 65537`)
    expect(headers.pop()?.['content-length'], path).toBe('65537')
  }
  const upload = await fetch(`${url}/v1/compress`, chunked(MB, KEY))
  expect((await upload.arrayBuffer()).byteLength, 'a file of a caller passes').toBe(Math.ceil(MB / 65_536) * 65_536)
})

it('holds 64 MB of uploads at a time, whoever sends them, and streams the next (bodies-held-for-bad-keys)', async () => {
  const { port, headers } = await front(0)
  const begun = (length: number) =>
    `POST /v1/compress HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer none\r\nContent-Length: ${length}\r\n\r\nabc`
  const sockets = []
  for (let i = 0; i < 4; i++) sockets.push(connect(port, '127.0.0.1').setNoDelay())
  for (const socket of sockets) socket.write(begun(16 * 1024 * 1024))
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(headers, 'what is held waits at the door').toHaveLength(0)
  const more = () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(begun(1_000_000))
    sockets.push(socket)
    return headers.length
  }
  await expect.poll(more).toBeGreaterThan(0)
  for (const socket of sockets) socket.destroy()
  await expect
    .poll(async () => (await raw(port, `${begun(3)}`.replace('Host: a', 'Host: a\r\nConnection: close'))).slice(9, 12))
    .toBe('200')
})

it('gives up a body that hardly comes, with 408, also while it is streamed (one-byte-every-3-seconds)', async () => {
  const { port, seen } = await front(0, { rateWindowMs: 200 })
  for (const head of [
    'POST /console/api/login HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n',
    'POST /v1/compress HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer none\r\nContent-Length: 900\r\n\r\n',
    'POST /v1/compress HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer none\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n',
  ]) {
    expect(await raw(port, `${head}a`), head).toMatch(/^HTTP\/1\.1 408 [\s\S]*"type":"malformed_request"/)
  }
  expect(seen).toEqual([])
})

it('keeps nothing of a request that was answered (requests-held-for-a-minute)', async () => {
  const PACE_MS = 54_321
  const [began, ended] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')]
  const { url } = await front(0, { rateWindowMs: PACE_MS })
  for (const init of [{}, { method: 'POST', headers: KEY, body: 'x'.repeat(1000) }]) await (await fetch(`${url}/v1/compress`, init)).text()
  await vi.waitFor(() => {
    const timers = began.mock.results.filter((_, i) => began.mock.calls[i]![1] === PACE_MS).map(({ value }) => value)
    expect(timers).toHaveLength(2)
    for (const timer of timers) expect(ended).toHaveBeenCalledWith(timer)
  }, 30_000)
  vi.restoreAllMocks()
})

it('does not blame a sender for an upstream that takes its time', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const socket = { bytesRead: 0, destroyed: false }
  const incoming = Object.assign(new EventEmitter(), { socket, complete: false, readableLength: 1 })
  const tooSlow = vi.fn()
  enforceMinimumRate(incoming as unknown as IncomingMessage, 60_000, tooSlow)
  vi.advanceTimersByTime(20 * 60_000)
  expect(tooSlow, 'bytes wait for the upstream').not.toHaveBeenCalled()
  incoming.readableLength = 0
  socket.bytesRead = 16 * 1024
  vi.advanceTimersByTime(60_000)
  expect(tooSlow, 'the least that a sender must send').not.toHaveBeenCalled()
  socket.bytesRead += 16 * 1024 - 1
  vi.advanceTimersByTime(60_000)
  expect(tooSlow).toHaveBeenCalledOnce()
})

it('says that it is busy where the upstream is gone', async () => {
  const { url } = await front(0)
  servers[0]?.close().closeAllConnections()
  const answer = await fetch(url)
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
  expect(await answer.json()).toMatchObject({
    error: { code: 503 },
    error_detail: { type: 'overloaded', doc_url: `${url}/docs#overloaded` },
  })
})

/** The answer to bytes as they are. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}

it("keeps wrangler's addresses and headers to itself (explorer-without-a-key)", async () => {
  const { port, seen, headers } = await front(0)
  for (const target of [
    '/cdn-cgi/explorer/api',
    '/a/../cdn-cgi/x',
    '/%2e/cdn-cgi/',
    '/CDN-CGI/x',
    '//x/../../cdn-cgi/x',
    'http://a.example/cdn-cgi/x',
  ]) {
    const answer = await raw(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer, target).toMatch(/^HTTP\/1\.1 404 [\s\S]*"type":"unknown_route"/)
  }
  expect(seen).toEqual([])
  await raw(
    port,
    'GET / HTTP/1.1\r\nHost: a\r\nMF-Original-URL: https://b.example/\r\nCF-Connecting-IP: 1.1.1.1\r\nX-A: 1\r\nConnection: close\r\n\r\n',
  )
  expect(
    Object.keys(headers[0]!)
      .filter((name) => /^(mf|cf|x)-/.test(name))
      .sort(),
  ).toEqual(['cf-connecting-ip', 'x-a'])
  // The address is that of the connection, not the one that the client claims.
  expect(headers[0]!['cf-connecting-ip']).toMatch(/127\.0\.0\.1$/)
})

it('answers what it cannot read in the shape of all errors, and dates its answers', async () => {
  const { port, url } = await front(0)
  for (const [bytes, status] of [
    ['NONSENSE\r\n\r\n', 400],
    ['BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc', 400],
    [`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    const answer = await raw(port, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ error: { code: status }, error_detail: { type: 'malformed_request' } })
  }
  expect(Date.parse((await fetch(url)).headers.get('Date') ?? '')).toBeGreaterThan(0)
})

it('refuses a Host that no address has at once, in the shape of all errors', async () => {
  const { port, seen } = await front(9)
  for (const host of ['a b', 'localhost:99999', '127.0.0.1:1@evil.example', '', 'a/b', 'a:b', '[::1', 'a?b', '%zz']) {
    const answer = await raw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(answer, host).toMatch(/^HTTP\/1\.1 400 [\s\S]*"type":"malformed_request"/)
  }
  expect(await raw(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"type":"malformed_request"/)
  expect(await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /)
  expect(seen).toEqual([])
})

it('passes on every kind of Host that an address has', async () => {
  const { port, seen } = await front(0)
  for (const host of ['localhost', '127.0.0.1:8787', '[::1]:8787', 'my_host.example.']) {
    expect(await raw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`), host).toContain(' 200 ')
  }
  expect(seen).toHaveLength(4)
})

it('gives headers a minute, and says so to who dribbles them', async () => {
  const own = await openReverseProxy(0, await freePort())
  servers.push(own)
  expect(own.headersTimeout).toBe(60_000)
  own.headersTimeout = 1000
  const answer = await raw((own.address() as AddressInfo).port, 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ')
  expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"type":"malformed_request"/)
})

it('takes the absolute form, and HTTP/1.0 without a Host', async () => {
  const { port, seen } = await front(0)
  expect(await raw(port, 'GET http://a.example/b?c=1 HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n')).toContain(' 200 ')
  expect(await raw(port, 'GET /d HTTP/1.0\r\n\r\n')).toContain(' 200 ')
  expect(seen).toEqual(['GET /b?c=1 0', 'GET /d 0'])
})

it('says that its port is taken before anything is started', async () => {
  const port = await freePort()
  const root = resolve(import.meta.dirname, '../..')
  const state = join(tmpdir(), 'whittle-never-started')
  const service = () => new Service({ root, state, port, inspectorPort: 0, secretsFile: join(state, 'none'), verbose: false })
  servers.push(await openReverseProxy(port, await freePort()))
  await expect(service().start()).rejects.toThrow(`Port ${port} is already in use`)
})
