/** Serves a request in this order: request id, https check, route, authentication and rate limit, handler, headers, log. */

import { Hono } from 'hono'
import { apiMessage } from '../i18n/message.ts'
import { OWNER_HEADER } from '../owner-header.ts'
import { countRequest } from '../store/metrics.ts'
import { ApiError } from '../tasks/api-error.ts'
import { validTraceparent } from '../trace-context.ts'
import { noteAction } from './audit.ts'
import { authenticate, authenticateOperator } from './authenticate.ts'
import { drain, refuseBody } from './body.ts'
import { authenticateSession, requireRole } from './console/session.ts'
import type { App, AppContext } from './context.ts'
import { errorResponse, toApiError } from './errors.ts'
import { DRAIN_BYTES } from './form.ts'
import { preflight, setCommonHeaders, setRateHeaders } from './headers.ts'
import { enforceIpRateLimit } from './ip-rate-limit.ts'
import { logRequest } from './log.ts'
import { isLoopback } from './loopback.ts'
import { requestId } from './request-id.ts'
import { isOpen, type Route } from './route.ts'
import { notFoundPage } from './routes/not-found.ts'
import { Timing } from './timing.ts'
import { refuseUnknownQuery } from './unknown-fields.ts'

export function createApp(routes: readonly Route[]): Hono<App> {
  const app = new Hono<App>()
  const byPath = Map.groupBy(routes, (route) => route.path)
  for (const [path, siblings] of byPath) {
    const { headers, preflight: facts, hasLongPath } = siblings[0]!
    const pattern = path.replace(/\{(\w+)\}/g, ':$1') + (hasLongPath ? '{.+}' : '')
    for (const route of siblings) app.on(route.method, pattern, (c) => serve(c, path, () => handle(c, route), headers))
    const methods = allowedMethods(siblings)
    app.options(pattern, (c) => serve(c, path, async () => preflight([...methods, 'OPTIONS'], facts)))
    app.all(pattern, (c) => serve(c, path, () => refuseMethod(c, siblings[0]!, methods), headers))
  }
  app.notFound((c) => serve(c, 'unknown', () => refuseRoute(c)))
  return app
}

const allowedMethods = (routes: readonly Route[]) => routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))

async function handle(c: AppContext, route: Route): Promise<Response> {
  const { access } = route
  await enforceIpRateLimit(c, access)
  if (access === 'operator') await authenticateOperator(c)
  else if (access === 'session' || access === 'session:counted') await authenticateSession(c, access)
  else if (!isOpen(access)) await c.get('timing').measure('auth', () => authenticate(c, access, route.token))
  if (route.role) requireRole(c, route.role)
  // A link to a page may carry query parameters that other sites added.
  if (!isOpen(access)) refuseUnknownQuery(c.get('url').searchParams, Object.keys(route.query?.shape ?? {}))
  if (route.bodyless || route.method === 'DELETE') await refuseBody(c.req.raw)
  const answer = await route.handle(c)
  if (route.audit) await noteAction(c, route.audit, answer)
  return answer
}

/** Adds the request id, headers, timing and the log line to every answer. */
async function serve(
  c: AppContext,
  route: string,
  answer: () => Promise<Response>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  c.set('requestId', requestId(c.req.header('X-Request-Id')))
  c.set('traceparent', validTraceparent(c.req.header('traceparent')))
  c.set('timing', new Timing())
  c.set('url', clientUrl(c))
  c.set('logged', {})
  c.set('route', route)
  let thrown: unknown
  // The handler runs to its end after the client disconnects, so that partly stored files are removed.
  const work = answerOrError(c, answer, (error) => {
    thrown = error
  })
  c.executionCtx.waitUntil(work.then(() => undefined))
  const response = await work
  setCommonHeaders(response.headers, c.get('readableBy'))
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  response.headers.set('X-Request-Id', c.get('requestId'))
  response.headers.set('Server-Timing', c.get('timing').header())
  nameOwner(c, response.headers)
  const rate = c.get('rate')
  if (rate) setRateHeaders(response.headers, rate, Date.now())
  logRequest(c, response.status, thrown)
  countRequest(c.env.METRICS, { method: c.req.method, route, status: response.status, ms: c.get('timing').elapsedMs })
  return response
}

/** Names the account to the reverse proxy of one machine. On Cloudflare, nothing would remove the header. */
function nameOwner(c: AppContext, headers: Headers): void {
  const owner = c.get('key')?.accountId ?? c.get('fileOwner')
  if (owner !== undefined && c.env.NAMES_OWNER !== undefined) headers.set(OWNER_HEADER, owner)
}

async function answerOrError(c: AppContext, answer: () => Promise<Response>, thrown: (error: unknown) => void): Promise<Response> {
  try {
    requireHttps(c)
    return await answer()
  } catch (error) {
    thrown(error)
    const known = toApiError(error)
    c.get('logged').error = known.type
    await drain(c.req.raw, DRAIN_BYTES)
    return errorResponse(c, known)
  }
}

/** URL as the client wrote it, even if a proxy uses another host name for this service. */
function clientUrl(c: AppContext): URL {
  const url = new URL(c.req.url)
  if (!c.env.PUBLIC_URL) return url
  const own = new URL(c.env.PUBLIC_URL)
  own.pathname = url.pathname
  own.search = url.search
  if (/^\s*http\s*(,|$)/i.test(c.req.header('X-Forwarded-Proto') ?? '')) own.protocol = 'http:'
  return own
}

function requireHttps(c: AppContext): void {
  const url = c.get('url')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new ApiError('https_required', 'https_only')
  }
}

async function refuseMethod(c: AppContext, route: Route, methods: readonly string[]): Promise<never> {
  await countIfKeyed(c, route.path)
  const allow = [...methods, 'OPTIONS'].join(', ')
  throw new ApiError(
    'method_not_allowed',
    apiMessage('method_not_possible', { method: c.req.method, allowed: methods.join(', ') }),
    { allowed: methods },
    { Allow: allow },
  )
}

async function refuseRoute(c: AppContext): Promise<Response> {
  const path = c.get('url').pathname
  await countIfKeyed(c, path)
  const page = notFoundPage(c)
  if (page) return page
  throw new ApiError('unknown_route', apiMessage('nothing_at', { path: path.slice(0, 100) }))
}

/** Requests without a route count for the rate limit if they carry a key. */
async function countIfKeyed(c: AppContext, path: string): Promise<void> {
  await enforceIpRateLimit(c, 'public')
  if (path.startsWith('/v1') && c.req.header('Authorization')) await authenticate(c, 'key')
}
