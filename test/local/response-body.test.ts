/** Responses in the reverse proxy: clients that do not read, and unfinished downloads per key. */
import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { enforceReadingRate } from '../../src/local/response-body.ts'
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

it('keeps a client that reads slowly but steadily, and one whose response is late', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const [WINDOW_MS, MIN_BYTES] = [45_000, 64 * 1024]
  const socket = { bytesWritten: 0, writableLength: 0 }
  const destroy = vi.fn()
  enforceReadingRate(Object.assign(new EventEmitter(), { socket, writableLength: 0, destroy }) as unknown as ServerResponse, WINDOW_MS)
  const windows = (count: number, read: number, waiting: number) => {
    socket.writableLength = waiting
    for (let i = 0; i < count; i++) {
      socket.bytesWritten += read
      vi.advanceTimersByTime(WINDOW_MS)
    }
    return destroy.mock.calls.length
  }
  expect(windows(20, 0, 0), 'nothing to send yet').toBe(0)
  expect(windows(20, MIN_BYTES, 1), 'slow but steady').toBe(0)
  expect(windows(1, MIN_BYTES - 1, 1), 'too slow').toBe(1)
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

/** Reads the responses that begin, in order, by the first word of their query. */
function recorder(): { begun: string[]; responses: ServerResponse[]; answer: (response: ServerResponse) => void } {
  const [begun, responses]: [string[], ServerResponse[]] = [[], []]
  const answer = (response: ServerResponse) => {
    begun.push(response.req.url!.split('?')[1]!)
    responses.push(response)
  }
  return { begun, responses, answer }
}

it('gives free places to the keys with the fewest downloads', async () => {
  const { begun, responses, answer } = recorder()
  const port = await proxyBefore(answer, { downloads: { all: 3 } })
  const download = async (key: string, name: string) => {
    request(port, key, `${PATH}?${name}`)
    // The proxy handles requests of different connections in any order.
    await sleep(30)
  }
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) await download('a', name)
  await download('b', 'b1')
  await download('b', 'b2')
  await download('c', 'c1')
  expect(begun).toEqual(['a1', 'a2', 'a3'])
  for (const response of responses.splice(0)) response.end()
  await expect.poll(() => begun.slice(3)).toEqual(['b1', 'c1', 'a4'])
})

/** A proxy before a service that names the account of each response, and records the GET requests that begin. */
async function proxyOf(accountOf: (path: string) => string, options: ReverseProxyOptions = {}) {
  const [begun, looked]: [string[], string[]] = [[], []]
  const service = createServer((incoming, response) => {
    const path = incoming.url!
    const names = incoming.method === 'HEAD' ? looked : begun
    names.push(path)
    response.writeHead(200, { 'x-request-id': 'req_1', 'CF-Whittle-Owner': accountOf(path) })
    if (incoming.method === 'HEAD') response.end()
    else response.write('x')
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const proxy = await openReverseProxy(0, portOf(service), options)
  servers.push(service, proxy)
  return { port: portOf(proxy), begun, looked }
}

it('counts the downloads of a link together, whatever else a request says', async () => {
  const { port, begun } = await proxyOf(() => 'acc_1', { downloads: { all: 3, perKey: 2 } })
  for (const key of ['a', 'b', 'c']) request(port, key, '/d/token')
  await expect.poll(() => begun).toEqual(['/d/token', '/d/token'])
  request(port, 'a')
  await expect.poll(() => begun.slice(2)).toEqual([PATH])
})

it('counts links for the account of their task, and looks each link up once (stalled-links)', async () => {
  const { port, begun, looked } = await proxyOf((path) => (path.startsWith('/d/x') ? 'acc_x' : 'acc_y'), { downloads: { perOwner: 3 } })
  for (const link of ['x1', 'x2', 'x3', 'x4', 'x5', 'y1']) request(port, 'invented', `/d/${link}`)
  await expect.poll(() => begun).toHaveLength(4)
  await sleep(30)
  expect(begun.filter((path) => path.startsWith('/d/x'))).toHaveLength(3)
  expect(begun).toContain('/d/y1')
  request(port, 'invented', '/d/y1')
  await expect.poll(() => begun).toHaveLength(5)
  expect(looked.filter((path) => path === '/d/y1')).toHaveLength(1)
})

it('removes the name of the account from responses', async () => {
  const { port } = await proxyOf(() => 'acc_secret')
  const text: string[] = []
  request(port, 'a', '/v1/tasks').on('data', (chunk) => text.push(String(chunk)))
  await expect.poll(() => text.join('')).toContain('200')
  expect(text.join('')).not.toMatch(/acc_secret/)
})

it('lets the results of uploads wait for places as well', async () => {
  const begun: ServerResponse[] = []
  const service = createServer((_, response) => {
    const size = 300_000
    response.writeHead(200, { 'x-request-id': 'r', 'CF-Whittle-Owner': 'acc_1', 'Whittle-Outcome': 'compressed', 'Content-Length': size })
    response.write('x')
    begun.push(response)
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const proxy = await openReverseProxy(0, portOf(service), { downloads: { perKey: 2, waitMs: 100 } })
  servers.push(service, proxy)
  const answers: string[] = []
  for (let i = 0; i < 3; i++) {
    const socket = connect(portOf(proxy), '127.0.0.1')
    sockets.push(socket)
    socket.on('data', (chunk) => answers.push(String(chunk)))
    socket.write('POST /v1/compress HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nContent-Length: 0\r\n\r\n')
  }
  await expect.poll(() => answers.filter((text) => text.startsWith('HTTP/1.1 503 '))).toHaveLength(1)
  expect(begun).toHaveLength(3)
})

it('ends a download that its client reads slowly when a key with fewer waits, and no other (places-of-stalled-readers)', async () => {
  const [begun, ended]: [string[], string[]] = [[], []]
  const port = await proxyBefore(
    (response) => {
      const name = response.req.url!.split('?')[1]!
      begun.push(name)
      response.once('close', () => ended.push(name))
      sendEndlessly(response)
    },
    { downloads: { all: 3, paceMs: 150 } },
  )
  const open = (key: string, name: string) => request(port, key, `${PATH}?${name}`)
  open('a', 'read').resume()
  open('a', 'stalled').pause()
  open('b', 'stalled-too').pause()
  await expect.poll(() => begun).toHaveLength(3)
  open('b', 'second-of-b').resume()
  open('c', 'first-of-c').resume()
  await expect.poll(() => begun.slice(3)).toEqual(['first-of-c'])
  expect(ended).toEqual(['stalled'])
})

it('ends event streams, and no other response, when the service stops', async () => {
  const stopping = new AbortController()
  const options = { draining: stopping.signal }
  const begin = (type: string) => (response: ServerResponse) => void response.setHeader('content-type', type).write('x')
  const service = createServer((incoming, response) => {
    response.setHeader('x-request-id', 'req_1')
    begin(incoming.url === '/events' ? 'text/event-stream' : 'text/plain')(response)
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const proxy = await openReverseProxy(0, portOf(service), options)
  servers.push(service, proxy)
  const [events, other] = await Promise.all(['/events', '/file'].map((path) => fetch(`http://127.0.0.1:${portOf(proxy)}${path}`)))
  stopping.abort()
  expect(await events!.text()).toBe('x')
  const rest = other!.text().then(
    () => 'ended',
    () => 'broke',
  )
  const late = new Promise((resolve) => setTimeout(() => resolve('goes on'), 100))
  expect(await Promise.race([rest, late])).toBe('goes on')
})
