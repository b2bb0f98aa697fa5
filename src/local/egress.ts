/**
 * Outgoing proxy of the service on one machine, for callbacks, sources, destinations and buckets. The Worker checks the URL. This proxy
 * resolves the name once, rejects addresses that are not public, and connects to the address it has checked. So a later DNS change
 * cannot redirect the request into the local network. TLS still verifies the certificate against the host name.
 */
import { randomBytes } from 'node:crypto'
import { lookup as lookUp } from 'node:dns/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { type AddressInfo, isIP, type LookupFunction } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { EGRESS_REFUSAL, EGRESS_STREAM, EGRESS_TARGET } from '../service/tasks/egress.ts'
import { isPublicAddress, type Networks } from './public-address.ts'

const TIMEOUT_MS = 15_000
/** Longest time of a streamed request in milliseconds. Usually the Worker ends it before. */
const MAX_STREAM_MS = 15 * 60_000
const URL_REFUSED = 'An outgoing request needs https, a host name (no IP address) and an allowed port (443 or 8443).'
/** Most bytes of a receiver's response that are passed on: people read only its first lines. */
const MAX_RESPONSE_BYTES = 16 * 1024
const MAX_BODY_BYTES = 1024 * 1024
/** Headers that are forwarded to the receiver: those that the Worker set, none of this connection's own. */
const FORWARDED =
  /^(accept|accept-encoding|authorization|cache-control|content-(type|length|disposition)|if-match|range|user-agent|webhook-[a-z]+|x-(amz|goog|ms)-[a-z0-9-]+)$/
/** Headers of a streamed response that are returned to the Worker. */
const RETURNED = /^(content-(type|length|disposition|encoding|range)|etag|last-modified|location|retry-after|x-ms-error-code)$/

export interface EgressOptions {
  /** Ports allowed in addition to 443 and 8443. */
  readonly ports?: readonly number[]
  /** Networks that may be reached although they are not public. `undefined`: none. */
  readonly networks?: Networks
  readonly resolve?: (name: string) => Promise<{ address: string; family: number }[]>
  /** CA certificate (PEM) for receivers whose certificate no public authority signed. `undefined`: the system's authorities. */
  readonly ca?: string
}

export interface Egress {
  /** Address that the Worker sends its requests to. It contains a random secret. */
  readonly url: string
  readonly server: Server
}

export async function openEgress(options: EgressOptions = {}): Promise<Egress> {
  const path = `/${randomBytes(24).toString('base64url')}`
  const server = createServer((incoming, outgoing) => {
    if (incoming.url !== path) return void outgoing.writeHead(404).end()
    sendRequest(incoming, outgoing, options).catch((error: unknown) => rejectRequest(outgoing, error))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}` }
}

async function sendRequest(incoming: IncomingMessage, outgoing: ServerResponse, options: EgressOptions): Promise<void> {
  const url = checkedTarget(incoming, options)
  const isStream = incoming.headers[EGRESS_STREAM] !== undefined
  const stop = new AbortController()
  outgoing.once('close', () => stop.abort())
  const message = isStream ? incoming : await readMessage(incoming)
  const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => FORWARDED.test(name)))
  const response = await openRequest(url, message, {
    method: incoming.method ?? 'POST',
    headers: Buffer.isBuffer(message) ? { ...headers, 'content-length': message.length } : headers,
    lookup: publicLookup(options),
    // No connection is reused, so that each request checks the address again.
    agent: false,
    signal: AbortSignal.any([AbortSignal.timeout(isStream ? MAX_STREAM_MS : TIMEOUT_MS), stop.signal]),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
  const returned = Object.entries(response.headers).filter(([name]) => RETURNED.test(name))
  outgoing.writeHead(response.statusCode ?? 502, isStream ? Object.fromEntries(returned) : {})
  if (isStream) await pipeline(response, outgoing)
  else await pipeline(response, atMost(MAX_RESPONSE_BYTES), outgoing)
}

/** Returns the target of a request. @throws Error if its scheme, port or host is not allowed */
function checkedTarget(incoming: IncomingMessage, { ports = [] }: EgressOptions): URL {
  const url = new URL(String(incoming.headers[EGRESS_TARGET]))
  const allowed = [443, 8443, ...ports]
  if (url.protocol !== 'https:' || !allowed.includes(Number(url.port || 443))) throw new Error(URL_REFUSED)
  // An IP address in the URL needs no DNS lookup, so the address check would not run.
  if (isIP(url.hostname.replace(/^\[|\]$/g, ''))) throw new Error(URL_REFUSED)
  return url
}

async function readMessage(incoming: IncomingMessage): Promise<Buffer> {
  const chunks = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if ((size += chunk.length) > MAX_BODY_BYTES) throw new Error(`The message is longer than ${MAX_BODY_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Sends a request and resolves with the start of its response, which may come before the whole body was sent. */
function openRequest(url: URL, body: Buffer | IncomingMessage, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, resolve).on('error', reject)
    if (Buffer.isBuffer(body)) sent.end(body)
    else body.once('error', reject).pipe(sent)
  })
}

/** DNS lookup for one connection. Fails if any address of the name is not public. */
function publicLookup({ resolve = (name) => lookUp(name, { all: true }), networks }: EgressOptions): LookupFunction {
  return (name, { all }, callback) => {
    const found = resolve(name).then((addresses) => {
      const nonPublic = addresses.find(({ address }) => !isPublicAddress(address, networks))
      if (nonPublic || addresses.length === 0) throw new Error(`The host name ${name} does not resolve to a public address.`)
      return addresses
    })
    found.then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family)),
      (error: Error) => callback(error, ''),
    )
  }
}

function atMost(bytes: number) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    let remaining = bytes
    for await (const chunk of chunks) {
      yield chunk.subarray(0, remaining)
      if ((remaining -= chunk.length) <= 0) return
    }
  }
}

function rejectRequest(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent) return void outgoing.destroy()
  const reason = error instanceof Error ? error.message : String(error)
  outgoing.writeHead(502, { [EGRESS_REFUSAL]: reason.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 300) }).end()
}
