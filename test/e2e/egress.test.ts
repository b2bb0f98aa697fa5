/** What leaves the service on one machine: which addresses it reaches, with a receiver of callbacks that counts its connections. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { IncomingHttpHeaders, Server } from 'node:http'
import { createServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type EgressOptions, openEgress } from '../../src/local/egress.ts'
import { isPublicAddress, parseNetworks } from '../../src/local/public-address.ts'
import { egressSender } from '../../src/service/tasks/egress.ts'
import { deliverWebhook } from '../../src/service/tasks/notify.ts'

const NAME = 'hooks.shop.com'
const SECRET = `whsec_${btoa('a secret of some length!')}`
const LOOPBACK = parseNetworks(['127.0.0.0/8'])
const HERE = { address: '127.0.0.1', family: 4 }

const servers: (Server | TlsServer)[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** A receiver on this machine that answers with `body`, and a way out with these options. */
async function receiver(answer: { status?: number; body?: string; headers?: Record<string, string> } = {}, certified = NAME) {
  const { cert, key } = certificate(certified)
  const seen = {
    connections: 0,
    messages: [] as { host: string | undefined; id: unknown; body: string }[],
    headers: {} as IncomingHttpHeaders,
    path: '',
  }
  const server = createServer({ cert, key }, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    seen.headers = request.headers
    seen.path = request.url ?? ''
    seen.messages.push({ host: request.headers.host, id: request.headers['webhook-id'], body })
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? 'thank you')
  })
  server.on('connection', () => seen.connections++)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const out = async (options: EgressOptions) => {
    const egress = await openEgress({ ports: [port], ca: cert, ...options })
    servers.push(egress.server)
    return (url = `https://${NAME}:${port}/hook`) =>
      deliverWebhook(egressSender(egress.url), { url, messageId: 'msg_1', body: '{"a":1}' }, SECRET)
  }
  return { out, seen, port, ca: cert }
}

describe('a callback', () => {
  it('whose name leads to this machine reaches nothing (names-that-lead-inside)', async () => {
    const { out, seen } = await receiver()
    const send = await out({ resolve: async () => [HERE] })
    expect(await send()).toMatchObject({ status: 0, error: `The host name ${NAME} does not resolve to a public address.` })
    expect(seen.connections).toBe(0)
  })

  it('with one inside address among its public ones reaches nothing', async () => {
    const { out, seen } = await receiver()
    const inside = { address: '10.0.0.1', family: 4 }
    const send = await out({ networks: LOOPBACK, resolve: async () => [HERE, inside] })
    expect(await send()).toMatchObject({ status: 0, error: expect.stringContaining('public address') })
    expect(await (await out({ resolve: async () => [] }))()).toMatchObject({ status: 0 })
    expect(seen.connections).toBe(0)
  })

  it('goes to the address that was judged: its name is resolved once, whatever it would say next (rebinding)', async () => {
    const { out, seen, port } = await receiver()
    const answers = [[HERE], [{ address: '10.0.0.1', family: 4 }]]
    const send = await out({ networks: LOOPBACK, resolve: async () => answers.shift() ?? [] })
    expect(await send()).toMatchObject({ status: 200, answer: 'thank you' })
    expect(answers).toHaveLength(1)
    expect(seen.messages).toEqual([{ host: `${NAME}:${port}`, id: 'msg_1', body: '{"a":1}' }])
    expect(await send(), 'the next delivery is judged anew').toMatchObject({ status: 0 })
  })

  it('is not told to a receiver whose certificate has another name', async () => {
    const { out, seen } = await receiver({}, 'other.shop.com')
    const send = await out({ networks: LOOPBACK, resolve: async () => [HERE] })
    expect(await send()).toMatchObject({ status: 0, error: expect.stringContaining('altnames') })
    expect(seen.messages).toEqual([])
  })

  it('goes to no other port, to no address without a name, and over nothing but https', async () => {
    const { out, seen, port } = await receiver()
    const send = await out({ networks: LOOPBACK, resolve: async () => [HERE] })
    for (const url of [`https://${NAME}:22/`, `https://127.0.0.1:${port}/`, `https://[::1]:${port}/`, 'ftp://a.shop.com/']) {
      expect(await send(url), url).toMatchObject({
        status: 0,
        error: 'An outgoing request needs https, a host name (no IP address) and an allowed port (443 or 8443).',
      })
    }
    expect(seen.connections).toBe(0)
  })

  it('follows no redirect, and reads no more of a long answer than people do', async () => {
    const moved = await receiver({ status: 307, headers: { Location: 'http://169.254.169.254/' } })
    const send = await moved.out({ networks: LOOPBACK, resolve: async () => [HERE] })
    expect(await send()).toMatchObject({ status: 307 })
    const flood = await receiver({ body: 'x'.repeat(50_000_000) })
    const { answer } = await (await flood.out({ networks: LOOPBACK, resolve: async () => [HERE] }))()
    expect(answer).toBe('x'.repeat(300))
  })
})

describe('a streamed request', () => {
  const streamed = async (options: EgressOptions, url: string, request: RequestInit = {}) => {
    const egress = await openEgress({ networks: LOOPBACK, resolve: async () => [HERE], ...options })
    servers.push(egress.server)
    return egressSender(egress.url, { stream: true })(url, request)
  }

  it('gets the whole body with the headers that describe it, and no others', async () => {
    const headers = {
      'Content-Disposition': 'attachment; filename="a.txt"',
      'Content-Length': '5000000',
      'Set-Cookie': 'a=b',
      Location: '/x',
    }
    const { port, ca } = await receiver({ body: 'x'.repeat(5_000_000), headers })
    const answer = await streamed({ ports: [port], ca }, `https://${NAME}:${port}/a.txt`)
    expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="a.txt"')
    expect([answer.headers.get('Content-Length'), answer.headers.get('Location')]).toEqual(['5000000', '/x'])
    expect(answer.headers.has('Set-Cookie')).toBe(false)
    expect(await answer.text()).toBe('x'.repeat(5_000_000))
  })

  it('passes the headers that requests to buckets and their answers need', async () => {
    const returned = { etag: '"e"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT', 'content-range': 'bytes 4-8/9', 'retry-after': '5' }
    const { port, ca, seen } = await receiver({ status: 206, headers: { ...returned, 'x-ms-error-code': 'None', 'x-other': '1' } })
    const signed = { authorization: 'SharedKey a:b', 'x-amz-date': '1', 'x-ms-version': '2' }
    const sent = { ...signed, range: 'bytes=4-', 'if-match': '"e"' }
    const answer = await streamed({ ports: [port], ca }, `https://${NAME}:${port}/a%2F..%2Fb//c`, { headers: sent })
    expect(seen.headers).toMatchObject(sent)
    expect(seen.path).toBe('/a%2F..%2Fb//c')
    expect(Object.fromEntries(answer.headers)).toMatchObject({ ...returned, 'x-ms-error-code': 'None' })
    expect(answer.headers.has('x-other')).toBe(false)
  })

  it('sends a body of more bytes than a callback may have', async () => {
    const { port, ca, seen } = await receiver()
    const body = 'y'.repeat(3_000_000)
    const headers = { 'x-amz-meta-a': '1', cookie: 'secret' }
    const answer = await streamed({ ports: [port], ca }, `https://${NAME}:${port}/put`, { method: 'PUT', body, headers })
    expect(answer.status).toBe(200)
    expect(seen.messages.map((message) => message.body.length)).toEqual([3_000_000])
  })

  it('reaches nothing inside, on no port and under no name that a callback may not use', async () => {
    const { port, ca, seen } = await receiver()
    const at = `https://${NAME}:${port}/`
    await expect(streamed({ ports: [port], ca, networks: parseNetworks([]) }, at)).rejects.toThrow('public address')
    await expect(streamed({ ca }, at)).rejects.toThrow('allowed port')
    await expect(streamed({ ports: [port], ca }, `https://127.0.0.1:${port}/`)).rejects.toThrow('no IP address')
    expect(seen.connections).toBe(0)
  })

  it('breaks off when its receiver breaks off', async () => {
    const { port, ca } = await receiver({ body: 'short', headers: { 'Content-Length': '5000' } })
    const answer = await streamed({ ports: [port], ca }, `https://${NAME}:${port}/a.txt`)
    for (const server of servers) server.closeAllConnections()
    await expect(answer.text()).rejects.toThrow()
  })
})

it('nobody goes out who does not know the way', async () => {
  const { server, url } = await openEgress()
  servers.push(server)
  expect((await fetch(new URL('/', url), { headers: { 'x-egress-target': 'https://example.com/' } })).status).toBe(404)
})

describe('addresses', () => {
  it('inside of any network are told from public ones', () => {
    const inside = [
      ...['127.0.0.1', '0.0.0.0', '10.1.2.3', '100.64.0.1', '169.254.169.254', '172.31.0.1', '192.168.1.1', '198.18.0.1', '224.0.0.1'],
      ...[
        '255.255.255.255',
        '192.0.2.1',
        '::',
        '::1',
        '::ffff:8.8.8.8',
        '64:ff9b::808:808',
        'fe80::1',
        'fe80::1%eth0',
        'fc00::1',
        'fd12::1',
      ],
      ...['ff02::1', 'fec0::1', '2001:db8::1', '2002:7f00:1::', '2001::1', '100::1', '4000::1', 'no address', ''],
    ]
    for (const address of inside) expect(isPublicAddress(address), address).toBe(false)
    for (const address of ['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1']) {
      expect(isPublicAddress(address), address).toBe(true)
    }
  })

  it('of networks that the operator names are let through, and no others', () => {
    const own = parseNetworks(['10.2.0.0/16', 'fd12::/16'])
    expect([isPublicAddress('10.2.255.1', own), isPublicAddress('fd12:1::1', own)]).toEqual([true, true])
    expect([isPublicAddress('10.3.0.1', own), isPublicAddress('fd13::1', own), isPublicAddress('127.0.0.1', own)]).toEqual([
      false,
      false,
      false,
    ])
    for (const wrong of ['10.0.0.0', '10.0.0.0/33', 'a/8', '/8', '10.0.0.0/x']) expect(() => parseNetworks([wrong]), wrong).toThrow(wrong)
  })
})

// ── A certificate that signs itself (RFC 5280), for one name ───────────────────────────────────────────────────────

const der = (tag: number, ...parts: (Buffer | number[])[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const SEQUENCE = 0x30
const ECDSA_WITH_SHA256 = der(SEQUENCE, der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))

function certificate(name: string): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const who = der(SEQUENCE, der(0x31, der(SEQUENCE, der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from(name)))))
  const dates = der(SEQUENCE, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const names = der(0x04, der(SEQUENCE, der(0x82, Buffer.from(name))))
  const extensions = der(0xa3, der(SEQUENCE, der(SEQUENCE, der(0x06, [0x55, 0x1d, 0x11]), names)))
  const head = [der(0xa0, der(0x02, [2])), der(0x02, [1]), ECDSA_WITH_SHA256]
  const signed = der(SEQUENCE, ...head, who, dates, who, spki(publicKey), extensions)
  const signature = der(0x03, [0], sign('sha256', signed, privateKey))
  const pem = der(SEQUENCE, signed, ECDSA_WITH_SHA256, signature).toString('base64').replace(/.{64}/g, '$&\n')
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { cert: `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`, key }
}

const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' })
