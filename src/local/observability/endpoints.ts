/**
 * Endpoints of the parent process, which answer even if the service process does not: `/livez`, `/readyz` and the metrics. The metrics
 * are at `/metrics/service` with the operator's token, and at `/metrics` on a port of loopback without one.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Readiness } from './readiness.ts'

export interface OperatorSources {
  readiness(): Promise<Readiness>
  /** Metrics in the text format of Prometheus. */
  metrics(): Promise<string>
  /** Token for `/metrics/service`. `undefined`: that path does not exist. */
  readonly token?: string | undefined
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Answers a request to one of the endpoints. @returns false if `path` is none of them, or needs a token that is not set */
export async function answerOperator(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  path: string,
  sources: OperatorSources,
): Promise<boolean> {
  const [name = ''] = path.split('?')
  if (name !== '/livez' && name !== '/readyz' && (name !== '/metrics/service' || sources.token === undefined)) return false
  incoming.resume()
  if (incoming.method !== 'GET' && incoming.method !== 'HEAD') send(outgoing, 405, { error: 'Use GET.' }, { Allow: 'GET, HEAD' })
  else if (name === '/livez') send(outgoing, 200, { status: 'ok' })
  else if (name === '/readyz') await sendReadiness(outgoing, sources)
  else if (!hasToken(incoming, sources.token!))
    send(outgoing, 401, { error: 'Send the ADMIN_TOKEN as bearer token.' }, { 'WWW-Authenticate': 'Bearer' })
  else await sendMetrics(outgoing, sources)
  return true
}

/** Serves the metrics without a token at `http://127.0.0.1:PORT/metrics`, for a Prometheus agent on this machine. */
export function openMetricsPort(port: number, sources: Pick<OperatorSources, 'metrics'>): Promise<Server> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      incoming.resume()
      if (incoming.method === 'GET' && incoming.url === '/metrics' && isLoopbackName(incoming)) await sendMetrics(outgoing, sources)
      else send(outgoing, 404, { error: 'Only GET /metrics is here.' })
    } catch {
      outgoing.destroy()
    }
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** A page in a browser on this machine could read the metrics through a name of its own that resolves to loopback. */
const isLoopbackName = ({ headers }: IncomingMessage) => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(headers.host ?? '')

async function sendReadiness(outgoing: ServerResponse, sources: OperatorSources): Promise<void> {
  const { ok, checks } = await sources.readiness()
  send(outgoing, ok ? 200 : 503, { status: ok ? 'ok' : 'unavailable', checks }, ok ? {} : { 'Retry-After': '5' })
}

async function sendMetrics(outgoing: ServerResponse, sources: Pick<OperatorSources, 'metrics'>): Promise<void> {
  const text = await sources.metrics()
  outgoing.writeHead(200, { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' }).end(text)
}

function send(outgoing: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  outgoing
    .writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers })
    .end(JSON.stringify(body))
}

/** Compares digests, so that the duration reveals neither the length nor the first difference. */
function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}
