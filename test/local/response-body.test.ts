/** Responses in the reverse proxy: clients that do not read, and unfinished downloads per key. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openReverseProxy, type ReverseProxyOptions } from '../../src/local/reverse-proxy.ts'

const servers: Server[] = []
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const portOf = (server: Server) => (server.address() as AddressInfo).port
const PATH = '/v1/tasks/tsk_1/download'

/** A proxy before a service that answers with `answer`. */
async function proxyBefore(answer: (response: ServerResponse) => void, options: ReverseProxyOptions = {}): Promise<number> {
  const service = createServer((_, response) => answer(response.writeHead(200, { 'x-request-id': 'req_1' }) as ServerResponse))
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const proxy = await openReverseProxy(0, portOf(service), options)
  servers.push(service, proxy)
  return portOf(proxy)
}

function request(port: number, key: string, path = PATH): Socket {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  return socket
}

/** Sends bytes as fast as they are taken, without end. */
function sendEndlessly(response: ServerResponse): void {
  const chunk = Buffer.alloc(256 * 1024)
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', send)
  send()
}

it('closes the connection of a client that does not read its download (stalled-readers-fill-memory)', async () => {
  const ended = Promise.withResolvers<void>()
  const port = await proxyBefore(
    (response) => {
      response.once('close', ended.resolve)
      sendEndlessly(response)
    },
    { readWindowMs: 200 },
  )
  const socket = request(port, 'a')
  socket.pause()
  await ended.promise
})

it('keeps a client that reads slowly but steadily, and one whose response is late', async () => {
  const slow = request(await proxyBefore(sendEndlessly, { readWindowMs: 700 }), 'a')
  let bytes = 0
  for (const until = Date.now() + 2500; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 5)))
    bytes += (slow.read() as Buffer | null)?.length ?? 0
  expect(slow.closed).toBe(false)
  expect(bytes).toBeGreaterThan(1_000_000)
  const late = request(await proxyBefore((response) => setTimeout(() => response.end('late'), 900).unref(), { readWindowMs: 100 }), 'a')
  expect(String(await once(late, 'data'))).toContain('200 OK')
})

it('lets a key have six unfinished downloads, and begins the next ones as places become free', async () => {
  const begun: ServerResponse[] = []
  const port = await proxyBefore((response) => begun.push(response))
  for (let i = 0; i < 8; i++) request(port, 'a')
  await expect.poll(() => begun.length).toBe(6)
  request(port, 'b')
  request(port, 'a', '/v1/tasks/tsk_1')
  await expect.poll(() => begun.length, { message: 'another key, and another path' }).toBe(8)
  begun[0]!.end()
  await expect.poll(() => begun.length).toBe(9)
  sockets[1]!.destroy()
  await expect.poll(() => begun.length, { message: 'a client that left' }).toBe(10)
})

it('refuses downloads of a key beyond those that wait', async () => {
  const begun: ServerResponse[] = []
  const port = await proxyBefore((response) => begun.push(response))
  for (let i = 0; i < 6 + 64; i++) request(port, 'a')
  await expect.poll(() => begun.length).toBe(6)
  const answers: string[] = []
  const refused = request(port, 'a').on('data', (chunk) => answers.push(String(chunk)))
  await once(refused, 'close')
  expect(answers.join('')).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 5[\s\S]*"type":"overloaded"/)
  expect(begun).toHaveLength(6)
})
