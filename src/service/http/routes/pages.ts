/** Pages beside the API: OpenAPI document, reference, files of the console. */
import { apiMessage } from '../../i18n/message.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { openApi } from '../openapi.ts'
import type { Route } from '../route.ts'
import { json } from '../route.ts'

/** @param routes all routes, passed as an argument because these pages describe them and belong to them */
export function pageRoutes(documented: () => readonly Route[]): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      handle: async (c) => json(openApi(documented(), baseUrl(c)), { 'Cache-Control': 'public, max-age=300' }),
      doc: { id: 'openapi', summary: 'This OpenAPI document', answer: 'json', errors: [] },
    },
    {
      method: 'GET',
      path: '/docs',
      access: 'public',
      handle: (c) => page(c, '/docs.html'),
      doc: { id: 'docs', summary: 'The API reference as a page', answer: 'html', errors: [] },
    },
    { method: 'GET', path: '/docs/{file}', access: 'public', handle: (c) => page(c, `/docs/${c.req.param('file')}`) },
    { method: 'GET', path: '/licences', access: 'public', handle: (c) => page(c, '/licences.html') },
    { method: 'GET', path: '/llms.txt', access: 'public', handle: forAgents },
    { method: 'GET', path: '/', access: 'public', handle: front },
    { method: 'GET', path: '/console', access: 'public', handle: (c) => page(c, '/console.html') },
    { method: 'GET', path: '/console/{file}', access: 'public', handle: (c) => page(c, `/console/${c.req.param('file')}`) },
    { method: 'GET', path: '/console/pdf/{file}', access: 'public', handle: (c) => page(c, `/console/pdf/${c.req.param('file')}`) },
  ]
}

/** Redirects browsers at `/` to the console. Other clients receive an error with the API's address. */
async function front(c: AppContext): Promise<Response> {
  if (c.req.header('Accept')?.includes('text/html')) return new Response(null, { status: 302, headers: { Location: '/console' } })
  throw new ApiError('unknown_route', apiMessage('nothing_at_root', { base: baseUrl(c) }))
}

/** Replaces relative addresses with absolute ones, because AI agents do not resolve relative ones. */
async function forAgents(c: AppContext): Promise<Response> {
  const answer = await page(c, '/llms.txt')
  return new Response((await answer.text()).replaceAll('{base}', baseUrl(c)), answer)
}

/** Content Security Policy: scripts, styles, images and media only from this origin; `blob:` for previews of dropped files and results. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

async function page(c: AppContext, path: string): Promise<Response> {
  const found = await c.env.ASSETS.fetch(new URL(path, c.req.url))
  if (!found.ok) throw new ApiError('unknown_route', 'no_such_page')
  const answer = new Response(found.body, found)
  answer.headers.set('Content-Security-Policy', PAGE_POLICY)
  answer.headers.set('Cache-Control', 'no-cache')
  return answer
}
