/**
 * The reverse proxy of the local service, in front of Miniflare. Miniflare reuses connections to workerd. workerd closes a connection
 * after 5 s without a request; if that happens while Miniflare writes a request, Miniflare answers 500. The Worker never got such a
 * request, so the proxy sends it again.
 *
 * Miniflare's own paths and headers, which expose all stored data without a key, are not forwarded.
 */
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OWNER_HEADER } from '../service/owner-header.ts'
import { DownloadLimiter, type DownloadLimits } from './download-limiter.ts'
import type { FreeSpace } from './free-space.ts'
import { answerOperator, type OperatorSources } from './observability/endpoints.ts'
import { traceRequest } from './observability/tracing.ts'
import { BUSY, DISK_FULL, LATE, NOT_FOUND, type Refusal, rejectUnparsed, TOO_MANY_DOWNLOADS, textOf, UNREADABLE } from './refusals.ts'
import { enforceMinimumRate, neededBytes, RATE_WINDOW_MS, receiveBody } from './request-body.ts'
import { type OwnedRequest, RequestOwners } from './request-owners.ts'
import { RequestTurns } from './request-turns.ts'
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
/** Header of a response that is the result of the request's own upload. */
const RESULT_HEADER = 'whittle-outcome'
/** Results up to this size need no place: the buffers of a connection hold them. In bytes. */
const MAX_UNCOUNTED_BYTES = 256 * 1024

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
    owners: new RequestOwners(),
    turns: new RequestTurns(),
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
  readonly owners: RequestOwners
  readonly turns: RequestTurns
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
  if (!((await upstream.disk?.fits(neededBytes(incoming, path))) ?? true)) return DISK_FULL
  const target: ForwardTarget = { ...upstream, method: incoming.method ?? 'GET', path, traceparent, signal: abort.signal }
  const request = { method: target.method, path, headers: incoming.headers, address: clientAddress(incoming, upstream.isBehindProxy) }
  const names = await upstream.owners.downloadOf(request, () => linkOwner(incoming, target, upstream.turns))
  if (names && !(await upstream.downloads.admit(names, outgoing))) return TOO_MANY_DOWNLOADS
  const owner = upstream.owners.ownerOf(request)
  const endTurn = owner === undefined ? () => undefined : await upstream.turns.take(owner, abort.signal)
  try {
    enforceMinimumRate(incoming, upstream.rateWindowMs, () => abort.abort(LATE))
    const body = await receiveBody(incoming, path, abort.signal)
    const response = await sendWithRetries(incoming, body.buffered, target).finally(() => body.release())
    endTurn()
    return response ? await passOn(response, outgoing, { ...target, request }) : BUSY
  } finally {
    endTurn()
  }
}

/** Sends a response of the Worker to the client. @returns the error response if the client has too many unfinished downloads */
async function passOn(
  response: IncomingMessage,
  outgoing: ServerResponse,
  { owners, downloads, readWindowMs, draining, request }: ForwardTarget & { readonly request: OwnedRequest },
): Promise<Refusal | undefined> {
  response.once('error', () => outgoing.destroy())
  const owner = ownerIn(response)
  if (owner !== undefined) {
    const names = owners.note(request, owner)
    if (isLargeResult(response) && !(await downloads.admit(names, outgoing))) {
      response.destroy()
      return TOO_MANY_DOWNLOADS
    }
  }
  outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, endToEnd(response.rawHeaders))
  enforceReadingRate(outgoing, readWindowMs)
  response.pipe(outgoing)
  if (draining) endEventStreamAt(draining, response, outgoing)
  return undefined
}

const ownerIn = ({ headers }: IncomingMessage) => headers[OWNER_HEADER.toLowerCase()]?.toString()

/** True if the response is a result that its client did not ask for by a download. */
const isLargeResult = ({ headers }: IncomingMessage) =>
  RESULT_HEADER in headers && !(Number(headers['content-length']) <= MAX_UNCOUNTED_BYTES)

/** Account of a link. HEAD is no download, so a link with few downloads keeps them. `undefined`: the link does not work. */
async function linkOwner(incoming: IncomingMessage, target: ForwardTarget, turns: RequestTurns): Promise<string | undefined> {
  const endTurn = await turns.take('', target.signal)
  const response = await sendWithRetries(incoming, Buffer.alloc(0), { ...target, method: 'HEAD' }).finally(endTurn)
  response?.resume()
  return response && ownerIn(response)
}

type ForwardTarget = Upstream & {
  readonly method: string
  readonly path: string
  readonly traceparent: string | undefined
  readonly signal: AbortSignal
}

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
  { port, agent, method, path, traceparent, signal, isBehindProxy }: ForwardTarget,
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
    const upstream = request({ port, agent, path, signal, host: '127.0.0.1', method, headers }, resolve)
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
