/**
 * The reverse proxy of the local service, in front of Miniflare. Miniflare forwards over connections that it keeps; workerd closes a
 * connection that was idle for 5 s, and while its thread is busy that may be the one a request was just written to: Miniflare then
 * answers 500 in the Worker's name. The Worker never saw such a request, so it is sent again.
 *
 * Miniflare's own paths and headers (they show everything that is stored, without any key) are not forwarded.
 */
import { randomUUID } from 'node:crypto'
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { keepPace, PACE_MS, takeBody } from './request-body.ts'

const ATTEMPTS = 5
const RETRY_PAUSE_MS = 100
/** A body may be slow as long as it arrives (`keepPace`), headers may not: `requestTimeout: 0` alone allows both for ever. */
const HEADERS_TIMEOUT_MS = 60_000
/** How often Node checks for requests that are late. */
const LATE_EVERY_MS = 5000
/** A name or an address, and a port (RFC 9110, 7.2). The Worker could not build a URL from anything else. */
const HOST = /^([\w.~%!$&'()*+,;=-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i
/** The header that every answer of the Worker has, and Miniflare's own answers do not have. */
export const REQUEST_ID = 'x-request-id'
/** Headers of one connection, not of the message (RFC 9110, 7.6.1), or answered here already. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'expect'])
/** Miniflare's own. */
const INTERNAL_PATH = /^\/cdn-cgi(\/|$)/i
const INTERNAL_HEADER = /^(mf|cf)-/i

export interface ReverseProxyOptions {
  /** The address to listen on. Default: loopback. */
  readonly host?: string | undefined
  /** The origin that clients use. Default: the address it listens on. */
  readonly publicUrl?: string | undefined
  /** Called for every answer that comes from the Worker itself. */
  readonly onAnswer?: () => void
  /** Milliseconds after which a body that hardly arrives is given up. */
  readonly paceMs?: number
}

/** Listens and forwards to `upstreamPort`. */
export function openReverseProxy(port: number, upstreamPort: number, options: ReverseProxyOptions = {}): Promise<Server> {
  const agent = new Agent({ keepAlive: false })
  const { host = '127.0.0.1', publicUrl, onAnswer = () => {}, paceMs = PACE_MS } = options
  const origin = () => publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo | null)?.port}`
  const times = {
    requestTimeout: 0,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: LATE_EVERY_MS,
    keepAliveTimeout: 65_000,
  }
  // Node's own refusal of a request without a host has no body; ours is an error like all others.
  const server = createServer({ ...times, requireHostHeader: false }, (incoming, outgoing) => {
    const refuse = (refusal: Refusal) => {
      incoming.unpipe()
      incoming.resume()
      const { body, headers } = textOf(refusal, origin())
      outgoing.writeHead(refusal.status, headers).end(body)
    }
    forward(incoming, outgoing, { port: upstreamPort, agent, onAnswer, paceMs })
      .then((refusal) => refusal && refuse(refusal))
      .catch((error: unknown) => {
        if (outgoing.headersSent) outgoing.destroy()
        else refuse(error === LATE ? LATE : BUSY)
        // The rest of what came too slowly is not waited for.
        if (error === LATE) outgoing.once('finish', () => incoming.destroy())
      })
  })
  server.on('clientError', (error, socket) => refuseUnread(error, socket, origin()))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

interface Upstream {
  readonly port: number
  readonly agent: Agent
  readonly onAnswer: () => void
  readonly paceMs: number
}

/** @returns the refusal that the client gets instead of an answer */
async function forward(incoming: IncomingMessage, outgoing: ServerResponse, upstream: Upstream): Promise<Refusal | undefined> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const path = pathOf(incoming.url ?? '/')
  if (path === undefined || !hasHost(incoming)) return UNREADABLE
  if (INTERNAL_PATH.test(path)) return NOTHING
  keepPace(incoming, upstream.paceMs, () => gone.abort(LATE))
  const body = await takeBody(incoming, path, gone.signal)
  try {
    const answer = await persist(incoming, body.held, { ...upstream, path, signal: gone.signal })
    if (!answer) return BUSY
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders))
    answer.once('error', () => outgoing.destroy())
    answer.pipe(outgoing)
    return undefined
  } finally {
    body.release()
  }
}

type Target = Upstream & { readonly path: string; readonly signal: AbortSignal }

/** The Worker's answer. `undefined`: the request was lost, and its body cannot be sent again or was lost too often. */
async function persist(incoming: IncomingMessage, held: Buffer | undefined, to: Target): Promise<IncomingMessage | undefined> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(incoming, held, to)
    if (REQUEST_ID in answer.headers) to.onAnswer()
    if (REQUEST_ID in answer.headers || answer.statusCode !== 500) return answer
    answer.resume()
    if (!held || attempt === ATTEMPTS) return undefined
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS * attempt))
  }
}

/** Path and query as every parser reads them, without `..`, also of the absolute form (RFC 9112, 3.2.2). undefined: unreadable. */
function pathOf(target: string): string | undefined {
  try {
    const url = new URL(target.startsWith('/') ? `http://localhost${target}` : target)
    return url.pathname + url.search
  } catch {
    return undefined
  }
}

/** One host that can be part of an address; only HTTP/1.0 may leave it out (RFC 9112, 3.2). */
function hasHost({ httpVersion, headersDistinct }: IncomingMessage): boolean {
  const hosts = headersDistinct['host']
  if (hosts === undefined) return httpVersion === '1.0'
  return hosts.length === 1 && HOST.test(hosts[0]!) && URL.canParse(`http://${hosts[0]}`)
}

function ask(incoming: IncomingMessage, held: Buffer | undefined, { port, agent, path, signal }: Target): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = endToEnd(incoming.rawHeaders, held ? ['content-length'] : [])
    if (incoming.headers.host === undefined) headers.push('Host', `127.0.0.1:${port}`)
    const hasBody = 'content-length' in incoming.headers || 'transfer-encoding' in incoming.headers
    // What was held may be less than was announced.
    if (held && hasBody) headers.push('Content-Length', String(held.length))
    else if ('transfer-encoding' in incoming.headers) headers.push('Transfer-Encoding', 'chunked')
    const upstream = request({ port, agent, path, signal, host: '127.0.0.1', method: incoming.method ?? 'GET', headers }, resolve)
    upstream.once('error', (error) => reject(signal.aborted ? signal.reason : error))
    if (held) upstream.end(held)
    else incoming.pipe(upstream)
  })
}

/** Names and values in turn, unchanged, without those named in `own`, which this proxy sets. */
function endToEnd(raw: readonly string[], own: readonly string[] = []): string[] {
  const stays = (name: string) => !HOP_BY_HOP.has(name.toLowerCase()) && !INTERNAL_HEADER.test(name) && !own.includes(name.toLowerCase())
  return raw.flatMap((name, i) => (i % 2 === 0 && stays(name) ? [name, raw[i + 1] ?? ''] : []))
}

// ── Answers of the proxy itself, in the shape of all others ─────────────────────────────────────────────────────────

interface Refusal {
  readonly status: number
  readonly type: string
  readonly message: string
}
const BUSY: Refusal = { status: 503, type: 'overloaded', message: 'The service is busy right now; please try again in a few seconds.' }
const NOTHING: Refusal = { status: 404, type: 'unknown_route', message: 'There is nothing here.' }
const UNREADABLE: Refusal = { status: 400, type: 'malformed_request', message: 'The request is not readable HTTP.' }
const LONG_HEADERS: Refusal = { status: 431, type: 'malformed_request', message: 'The request line and headers are longer than 16 KB.' }
const LATE: Refusal = { status: 408, type: 'malformed_request', message: 'The request did not come in time.' }

function textOf({ status, type, message }: Refusal, origin: string): { body: string; headers: Record<string, string> } {
  const id = `req_${randomUUID().replaceAll('-', '').slice(0, 20)}`
  const body = JSON.stringify({
    error: { code: status, message, request_id: id },
    error_detail: { type, doc_url: `${origin}/docs#${type}` },
  })
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Request-Id': id,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    ...(status === 503 ? { 'Retry-After': '5' } : {}),
  }
  return { body, headers }
}

/** What Node could not read as a request never becomes one: the answer is written by hand. */
function refuseUnread(error: NodeJS.ErrnoException, socket: Duplex, origin: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = error.code === 'HPE_HEADER_OVERFLOW' ? LONG_HEADERS : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? LATE : UNREADABLE
  const { body, headers } = textOf(refusal, origin)
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
}
