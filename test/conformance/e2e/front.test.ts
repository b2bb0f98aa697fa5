/** The reverse proxy before an upstream that reads nothing for a while. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openReverseProxy } from '../../../src/local/reverse-proxy.ts'
import { freePort } from '../../../src/local/service.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

it('does not blame a sender for an upstream that takes its time', async () => {
  const upstream = createServer((request, response) => {
    setTimeout(() => request.resume().on('end', () => response.writeHead(200, { 'x-request-id': 'req_1' }).end('late')), 1500)
  })
  const port = await freePort()
  await new Promise<void>((done) => upstream.listen(port, '127.0.0.1', done))
  const own = await openReverseProxy(0, port, { rateWindowMs: 200 })
  servers.push(upstream, own)
  const body = new Uint8Array(40_000_000)
  const address = `http://127.0.0.1:${(own.address() as AddressInfo).port}/v1/compress`
  const answer = await fetch(address, { method: 'POST', headers: { Authorization: 'Bearer some-key' }, body })
  expect(await answer.text()).toBe('late')
})
