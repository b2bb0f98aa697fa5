/** The door before wrangler, with an upstream that loses requests as wrangler's proxy does (proxy-loses-request). */
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openFront } from '../../scripts/front.ts'
import { freePort, Service } from '../../scripts/service.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** An upstream that answers the first `lost` requests itself and then passes on what it got; its front's address. */
async function front(lost: number): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = []
  const upstream = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    seen.push(`${request.method} ${request.url} ${body.length}`)
    if (seen.length <= lost) response.writeHead(500).end()
    else response.writeHead(request.url === '/broken' ? 500 : 200, { 'x-request-id': 'req_1', etag: '"a"' }).end(body)
  })
  const port = await freePort()
  await new Promise<void>((done) => upstream.listen(port, '127.0.0.1', done))
  const own = await freePort()
  servers.push(upstream, await openFront(own, port))
  return { url: `http://127.0.0.1:${own}`, seen }
}

it('sends a lost request again, body and all', async () => {
  const { url, seen } = await front(2)
  const body = 'x'.repeat(100_000)
  const answer = await fetch(`${url}/v1/compress?a=1`, { method: 'POST', body })
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
  expect((await fetch(url, { method: 'POST', body })).status).toBe(500)
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200)
  expect(seen).toHaveLength(2)
})

it('answers nothing where the upstream is gone', async () => {
  const { url } = await front(0)
  servers[0]?.close().closeAllConnections()
  await expect(fetch(url)).rejects.toThrow()
})

it('says that its port is taken before anything is started (port-taken-while-starting)', async () => {
  const port = await freePort()
  const root = resolve(import.meta.dirname, '../..')
  const state = join(tmpdir(), 'whittle-never-started')
  const service = () => new Service({ root, state, port, inspectorPort: 0, secretsFile: join(state, 'none'), verbose: false })
  servers.push(await openFront(port, await freePort()))
  await expect(service().start()).rejects.toThrow(`Port ${port} is taken`)
})
