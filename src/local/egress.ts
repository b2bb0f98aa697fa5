/**
 * The way out of the service on one machine. The Worker judges names; what a name leads to is judged here, once, just before the
 * connection, and the connection goes to that very address: a name that leads to this machine or its network reaches nothing,
 * however often its owner changes his mind. The name stays the one that the receiver's certificate must have.
 */
import { randomBytes } from 'node:crypto'
import { lookup as lookUp } from 'node:dns/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { type AddressInfo, isIP, type LookupFunction } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { EGRESS_REFUSAL, EGRESS_TARGET } from '../service/tasks/egress.ts'
import { isPublic, type Networks } from './public-address.ts'

const TIMEOUT_MS = 15_000
/** Of an answer; people read the first lines of it, nobody more. */
const ANSWER_BYTES = 16 * 1024
const MOST_BODY_BYTES = 1024 * 1024
/** What the Worker said to the receiver, and nothing of our own connection. */
const FORWARDED = /^(content-type|user-agent|webhook-[a-z]+)$/

export interface EgressOptions {
  /** Beside 443 and 8443. */
  readonly ports?: readonly number[]
  /** May be reached although they are not public. */
  readonly networks?: Networks
  readonly resolve?: (name: string) => Promise<{ address: string; family: number }[]>
  /** Of TLS, for receivers whose certificate no public authority signed. */
  readonly ca?: string
}

export interface Egress {
  /** Where the Worker sends to; nobody else knows it. */
  readonly url: string
  readonly server: Server
}

export async function openEgress(options: EgressOptions = {}): Promise<Egress> {
  const path = `/${randomBytes(24).toString('base64url')}`
  const server = createServer((incoming, outgoing) => {
    if (incoming.url !== path) return void outgoing.writeHead(404).end()
    goOut(incoming, outgoing, options).catch((error: unknown) => refuse(outgoing, error))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` }
}

async function goOut(incoming: IncomingMessage, outgoing: ServerResponse, options: EgressOptions): Promise<void> {
  const url = new URL(String(incoming.headers[EGRESS_TARGET]))
  const ports = [443, 8443, ...(options.ports ?? [])]
  if (url.protocol !== 'https:' || !ports.includes(Number(url.port || 443))) throw new Error('This address is not one to call.')
  // For a literal nothing is looked up, and so nothing would be judged.
  if (isIP(url.hostname.replace(/^\[|\]$/g, ''))) throw new Error('This address is not one to call.')
  const chunks = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if ((size += chunk.length) > MOST_BODY_BYTES) throw new Error('The message is too long.')
    chunks.push(chunk)
  }
  const gone = AbortSignal.timeout(TIMEOUT_MS)
  const stop = new AbortController()
  outgoing.once('close', () => stop.abort())
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => FORWARDED.test(name)))
  const answer = await ask(url, Buffer.concat(chunks), {
    method: incoming.method ?? 'POST',
    headers: { ...headers, 'content-length': size },
    lookup: judged(options),
    // No connection is kept: each delivery is judged anew.
    agent: false,
    signal: AbortSignal.any([gone, stop.signal]),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
  outgoing.writeHead(answer.statusCode ?? 502)
  await pipeline(answer, atMost(ANSWER_BYTES), outgoing)
}

function ask(url: URL, body: Buffer, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request(url, options, resolve).once('error', reject).end(body))
}

/** Resolves a name for the connection that is about to be made, unless any of its addresses is not for us. */
function judged({ resolve = (name) => lookUp(name, { all: true }), networks }: EgressOptions): LookupFunction {
  return (name, { all }, give) => {
    const found = resolve(name).then((addresses) => {
      const inside = addresses.find(({ address }) => !isPublic(address, networks))
      if (inside || addresses.length === 0) throw new Error(`The name ${name} does not lead to a public address.`)
      return addresses
    })
    found.then(
      (addresses) => (all ? give(null, addresses) : give(null, addresses[0]!.address, addresses[0]!.family)),
      (error: Error) => give(error, ''),
    )
  }
}

function atMost(bytes: number) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    let left = bytes
    for await (const chunk of chunks) {
      yield chunk.subarray(0, left)
      if ((left -= chunk.length) <= 0) return
    }
  }
}

function refuse(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent) return void outgoing.destroy()
  const why = error instanceof Error ? error.message : String(error)
  outgoing.writeHead(502, { [EGRESS_REFUSAL]: why.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 300) }).end()
}
