/** What all pages have in common: their headers, and where a browser reads them. */
import { ApiError } from '../../tasks/api-error.ts'
import type { AppContext } from '../context.ts'
import { PAGE_POLICY } from '../page-policies.ts'
import type { Route } from '../route.ts'

/** Loopback addresses, for which browsers create no passkey. */
const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Redirects a browser from a loopback address to `localhost`, where passkeys work. Other clients, scripts and API calls stay: only the
 * request of a page prefers HTML.
 */
export function forReaders(handle: Route['handle']): Route['handle'] {
  return async (c) => {
    const url = new URL(c.get('url'))
    if (!LOOPBACK_ADDRESS.test(url.hostname) || !prefersHtml(c)) return handle(c)
    url.hostname = 'localhost'
    return redirect(url.href, 307)
  }
}

/** True for the request of a page by a browser. */
export const prefersHtml = (c: AppContext) => c.req.header('Accept')?.includes('text/html') ?? false

export const redirect = (to: string, status: 301 | 302 | 307) => new Response(null, { status, headers: { Location: to } })

/** Returns a file of `console/public`. @throws ApiError `unknown_route` if there is none */
export async function page(c: AppContext, path: string, policy = PAGE_POLICY): Promise<Response> {
  return withPolicy(await c.env.ASSETS.fetch(new URL(path, c.req.url)), policy)
}

/** Adds the headers of pages. @throws ApiError `unknown_route` if the file was not found */
export function withPolicy(found: Response, policy = PAGE_POLICY): Response {
  if (!found.ok) throw new ApiError('unknown_route', 'no_such_page')
  const answer = new Response(found.body, found)
  answer.headers.set('Content-Security-Policy', policy)
  answer.headers.set('Cache-Control', 'no-cache')
  return answer
}
