/**
 * The reverse proxy of the local service, in front of Miniflare. Miniflare reuses connections to workerd. workerd closes a connection
 * after 5 s without a request; if that happens while Miniflare writes a request, Miniflare answers 500. The Worker never got such a
 * request, so the proxy sends it again.
 *
 * Miniflare's own paths and headers, which expose all stored data without a key, are not forwarded.
 */
import { randomUUID } from 'node:crypto'
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { DownloadLimiter, type DownloadLimits } from './download-limiter.ts'
import type { FreeSpace } from './free-space.ts'
import { answerOperator, type OperatorSources } from './observability/endpoints.ts'
import { traceRequest } from './observability/tracing.ts'
import { announcedBytes, enforceMinimumRate, RATE_WINDOW_MS, receiveBody } from './request-body.ts'
import { endEventStreamAt, enforceReadingRate, READ_WINDOW_MS } from './response-body.ts'

const ATTEMPTS = 5
const RETRY_PAUSE_MS = 100
/**
 * Time limit for request headers in milliseconds. Bodies have a minimum rate instead (`enforceMinimumRate`), and `requestTimeout: 0` would allow
 * slow headers.
 */
const HEADERS_TIMEOUT_MS = 60_000
/** Milliseconds between Node's checks for late requests. */
const LATE_CHECK_MS = 5000
/** Host header: a name or an address, with an optional port (RFC 9110, 7.2). The Worker cannot build a URL from anything else. */
const HOST_HEADER = /^([\w.~%!$&'()*+,;=-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i
/** Header that every response of the Worker has, and that Miniflare's own responses lack. */
export const REQUEST_ID = 'x-request-id'
/** Headers of a single connection (RFC 9110, 7.6.1), and `expect`, which the proxy answers itself. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'expect'])
/** Paths of Miniflare's own. */
const INTERNAL_PATH = /^\/cdn-cgi(\/|$)/i
const INTERNAL_HEADER = /^(mf|cf)-/i
/** Paths whose responses can be files. Miniflare would compress text files although they say `no-transform`. */
const FILE_PATH = /^\/(?:d|(?:console\/api\/)?v1)\//
/** Header with the client's address for the rate limits by address, as on Cloudflare. Clients cannot set it: see `INTERNAL_HEADER`. */
const CLIENT_ADDRESS = 'CF-Connecting-IP'

export interface ReverseProxyOptions {
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** Origin that clients use. Default: the address that the proxy listens on. */
  readonly publicUrl?: string | undefined
  /** Called for every response of the Worker itself. */
  readonly onAnswer?: () => void
  /** Milliseconds in which a body must make minimum progress. Default: `RATE_WINDOW_MS`. */
  readonly rateWindowMs?: number
  /** Disk of the state folder. `undefined`: uploads are not refused for its sake. */
  readonly disk?: Pick<FreeSpace, 'fits'> | undefined
  /** Milliseconds in which a client must read a minimum of its response. Default: `READ_WINDOW_MS`. */
  readonly readWindowMs?: number
  /** Limits of unfinished downloads that differ from the default. */
  readonly downloads?: Partial<DownloadLimits>
  /** Sources of `/livez`, `/readyz` and the metrics. `undefined`: these paths do not exist. */
  readonly operator?: OperatorSources | undefined
  /** Ends event streams, which last for minutes, when it aborts. Default: never. */
  readonly draining?: AbortSignal | undefined
  /** Called for every request that the proxy itself refuses. */
  readonly onRefusal?: (status: number, reason: string) => void
}

/** Listens on `port` and forwards requests to `upstreamPort`. */
export function openReverseProxy(port: number, upstreamPort: number, options: ReverseProxyOptions = {}): Promise<Server> {
  const agent = new Agent({ keepAlive: false })
  const { host = '127.0.0.1', publicUrl, disk, operator, draining, onAnswer = () => {}, onRefusal = () => {} } = options
  const { rateWindowMs = RATE_WINDOW_MS, readWindowMs = READ_WINDOW_MS } = options
  const upstream = {
    port: upstreamPort,
    agent,
    disk,
    operator,
    draining,
    onAnswer,
    rateWindowMs,
    readWindowMs,
    downloads: new DownloadLimiter(options.downloads),
    isBehindProxy: publicUrl !== undefined,
  }
  const origin = () => publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo | null)?.port}`
  const timeouts = {
    requestTimeout: 0,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: LATE_CHECK_MS,
    keepAliveTimeout: 65_000,
  }
  // Node's own response to a request without a Host header has no body. The proxy sends a JSON error instead.
  const server = createServer({ ...timeouts, requireHostHeader: false }, (incoming, outgoing) => {
    const sendRefusal = (refusal: Refusal) => {
      incoming.unpipe()
      incoming.resume()
      const { body, headers } = textOf(refusal, origin())
      onRefusal(refusal.status, refusal.reason ?? refusal.type)
      // A client that does not read its downloads does not close its connections either.
      if (refusal === TOO_MANY_DOWNLOADS) outgoing.shouldKeepAlive = false
      outgoing.writeHead(refusal.status, headers).end(body)
    }
    forward(incoming, outgoing, upstream)
      .then((refusal) => refusal && sendRefusal(refusal))
      .catch((error: unknown) => {
        if (outgoing.headersSent) outgoing.destroy()
        else sendRefusal(error === LATE ? LATE : BUSY)
        // Do not read the rest of a body that arrived too slowly.
        if (error === LATE) outgoing.once('finish', () => incoming.destroy())
      })
  })
  server.on('clientError', (error, socket) => {
    const refusal = rejectUnparsed(error, socket, origin())
    if (refusal) onRefusal(refusal.status, refusal.type)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

interface Upstream {
  readonly port: number
  readonly agent: Agent
  readonly disk: Pick<FreeSpace, 'fits'> | undefined
  readonly operator: OperatorSources | undefined
  readonly draining: AbortSignal | undefined
  readonly onAnswer: () => void
  readonly rateWindowMs: number
  readonly readWindowMs: number
  readonly downloads: DownloadLimiter
  /** True if another proxy forwards all requests, and adds their addresses to `X-Forwarded-For`. */
  readonly isBehindProxy: boolean
}

/** Forwards one request. @returns the error response if the request cannot be forwarded */
async function forward(incoming: IncomingMessage, outgoing: ServerResponse, upstream: Upstream): Promise<Refusal | undefined> {
  const abort = new AbortController()
  outgoing.once('close', () => abort.abort())
  const path = pathOf(incoming.url ?? '/')
  if (path === undefined || !hasHost(incoming)) return UNREADABLE
  if (INTERNAL_PATH.test(path)) return NOT_FOUND
  if (upstream.operator && (await answerOperator(incoming, outgoing, path, upstream.operator))) return undefined
  const traceparent = traceRequest(incoming, outgoing)
  if (!((await upstream.disk?.fits(announcedBytes(incoming, path))) ?? true)) return DISK_FULL
  if (!(await upstream.downloads.admit(incoming, path, outgoing))) return TOO_MANY_DOWNLOADS
  enforceMinimumRate(incoming, upstream.rateWindowMs, () => abort.abort(LATE))
  const body = await receiveBody(incoming, path, abort.signal)
  try {
    const response = await sendWithRetries(incoming, body.buffered, { ...upstream, path, traceparent, signal: abort.signal })
    if (!response) return BUSY
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, endToEnd(response.rawHeaders))
    response.once('error', () => outgoing.destroy())
    enforceReadingRate(outgoing, upstream.readWindowMs)
    response.pipe(outgoing)
    if (upstream.draining) endEventStreamAt(upstream.draining, response, outgoing)
    return undefined
  } finally {
    body.release()
  }
}

type ForwardTarget = Upstream & { readonly path: string; readonly traceparent: string | undefined; readonly signal: AbortSignal }

/**
 * Sends the request until the Worker answers, at most 5 times. `undefined`: all attempts were lost, or a streamed body cannot be sent
 * again.
 */
async function sendWithRetries(
  incoming: IncomingMessage,
  buffered: Buffer | undefined,
  to: ForwardTarget,
): Promise<IncomingMessage | undefined> {
  for (let attempt = 1; ; attempt++) {
    const response = await sendOnce(incoming, buffered, to)
    if (REQUEST_ID in response.headers) to.onAnswer()
    if (REQUEST_ID in response.headers || response.statusCode !== 500) return response
    response.resume()
    if (!buffered || attempt === ATTEMPTS) return undefined
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS * attempt))
  }
}

/** Normalised path and query without `..`, also of an absolute URL (RFC 9112, 3.2.2). `undefined`: not a valid target. */
function pathOf(target: string): string | undefined {
  try {
    const url = new URL(target.startsWith('/') ? `http://localhost${target}` : target)
    return url.pathname + url.search
  } catch {
    return undefined
  }
}

/** True if there is exactly one valid Host header. Only HTTP/1.0 may omit it (RFC 9112, 3.2). */
function hasHost({ httpVersion, headersDistinct }: IncomingMessage): boolean {
  const hosts = headersDistinct['host']
  if (hosts === undefined) return httpVersion === '1.0'
  return hosts.length === 1 && HOST_HEADER.test(hosts[0]!) && URL.canParse(`http://${hosts[0]}`)
}

function sendOnce(
  incoming: IncomingMessage,
  buffered: Buffer | undefined,
  { port, agent, path, traceparent, signal, isBehindProxy }: ForwardTarget,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const own = ['traceparent', ...(buffered ? ['content-length'] : []), ...(FILE_PATH.test(path) ? ['accept-encoding'] : [])]
    const headers = endToEnd(incoming.rawHeaders, own)
    if (traceparent !== undefined) headers.push('traceparent', traceparent)
    if (incoming.headers.host === undefined) headers.push('Host', `127.0.0.1:${port}`)
    headers.push(CLIENT_ADDRESS, clientAddress(incoming, isBehindProxy))
    const hasBody = 'content-length' in incoming.headers || 'transfer-encoding' in incoming.headers
    // A buffered body may be shorter than its declared length.
    if (buffered && hasBody) headers.push('Content-Length', String(buffered.length))
    else if ('transfer-encoding' in incoming.headers) headers.push('Transfer-Encoding', 'chunked')
    const upstream = request({ port, agent, path, signal, host: '127.0.0.1', method: incoming.method ?? 'GET', headers }, resolve)
    upstream.once('error', (error) => reject(signal.aborted ? signal.reason : error))
    if (buffered) upstream.end(buffered)
    else incoming.pipe(upstream)
  })
}

/**
 * Address of the client. A proxy in front appends it to `X-Forwarded-For`, after anything that the client sent in that header.
 */
function clientAddress({ headersDistinct, socket }: IncomingMessage, isBehindProxy: boolean): string {
  const forwarded = headersDistinct['x-forwarded-for']?.at(-1)?.split(',').at(-1)?.trim()
  return (isBehindProxy && forwarded) || (socket.remoteAddress ?? '')
}

/** End-to-end headers as name, value, name, value. Leaves out connection headers, Miniflare's headers and those named in `own`. */
function endToEnd(raw: readonly string[], own: readonly string[] = []): string[] {
  const isForwarded = (name: string) =>
    !HOP_BY_HOP.has(name.toLowerCase()) && !INTERNAL_HEADER.test(name) && !own.includes(name.toLowerCase())
  return raw.flatMap((name, i) => (i % 2 === 0 && isForwarded(name) ? [name, raw[i + 1] ?? ''] : []))
}

// ── Error responses of the proxy itself, in the format of the API ───────────────────────────────────────────────────

interface Refusal {
  readonly status: number
  readonly type: string
  readonly message: string
  /** Reason in `error_detail`. `undefined`: none. */
  readonly reason?: string
}
const DISK_FULL: Refusal = {
  status: 503,
  type: 'overloaded',
  message: 'The disk of this service is almost full, so it accepts no files now. Results can still be downloaded and deleted.',
  reason: 'disk_full',
}
const BUSY: Refusal = { status: 503, type: 'overloaded', message: 'The service is busy right now; please try again in a few seconds.' }
const TOO_MANY_DOWNLOADS: Refusal = {
  status: 503,
  type: 'overloaded',
  message: 'Too many downloads are unfinished. Read those of this key to their end or close them, then try again.',
}
const NOT_FOUND: Refusal = { status: 404, type: 'unknown_route', message: 'This path does not exist.' }
const UNREADABLE: Refusal = { status: 400, type: 'malformed_request', message: 'The request is not readable HTTP.' }
const LONG_HEADERS: Refusal = { status: 431, type: 'malformed_request', message: 'The request line and headers are longer than 16 KB.' }
const LATE: Refusal = { status: 408, type: 'malformed_request', message: 'The request did not come in time.' }

function textOf({ status, type, message, reason }: Refusal, origin: string): { body: string; headers: Record<string, string> } {
  const id = `req_${randomUUID().replaceAll('-', '').slice(0, 20)}`
  const body = JSON.stringify({
    error: { code: status, message, request_id: id },
    error_detail: { type, ...(reason === undefined ? {} : { reason }), doc_url: `${origin}/docs#${type}` },
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

/** Writes the error response by hand, because Node creates no response object for a request that it cannot parse. */
function rejectUnparsed(error: NodeJS.ErrnoException, socket: Duplex, origin: string): Refusal | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return undefined
  }
  const refusal = error.code === 'HPE_HEADER_OVERFLOW' ? LONG_HEADERS : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? LATE : UNREADABLE
  const { body, headers } = textOf(refusal, origin)
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`)
  return refusal
}
