/** The reverse proxy passes the client's address to the Worker, for the rate limits by address. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openReverseProxy } from '../../src/local/reverse-proxy.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Address that the Worker gets for a request with `headers`. */
async function addressFor(headers: Record<string, string>, publicUrl?: string): Promise<string> {
  const service = createServer((request, response) =>
    response.writeHead(200, { 'x-request-id': 'req_1' }).end(String(request.headers['cf-connecting-ip'])),
  )
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const proxy = await openReverseProxy(0, (service.address() as AddressInfo).port, { publicUrl })
  servers.push(service, proxy)
  return (await fetch(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/healthz`, { headers })).text()
}

const PUBLIC = 'https://whittle.example.com'

it('takes the address that the proxy in front has appended, not what the client sent before it', async () => {
  expect(await addressFor({ 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' }, PUBLIC)).toBe('198.51.100.7')
  expect(await addressFor({}, PUBLIC)).toBe('127.0.0.1')
})

it('ignores addresses in headers if there is no proxy in front', async () => {
  expect(await addressFor({ 'X-Forwarded-For': '198.51.100.7' })).toBe('127.0.0.1')
})

it('never takes the address from the header that it sets itself', async () => {
  for (const publicUrl of [PUBLIC, undefined]) expect(await addressFor({ 'CF-Connecting-IP': '198.51.100.7' }, publicUrl)).toBe('127.0.0.1')
})
