/** Pages beside the API: OpenAPI document, reference, files of the console. */
import { apiMessage } from '../../i18n/message.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { openApi } from '../openapi.ts'
import type { Route } from '../route.ts'
import { json } from '../route.ts'
import { docsPage } from './docs-pages.ts'
import { forReaders, page, prefersHtml, redirect } from './page.ts'

/** @param documented all routes, passed as an argument because these pages describe them and belong to them */
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
      handle: forReaders((c) => docsPage(c)),
      doc: { id: 'docs', summary: 'The documentation as pages', answer: 'html', errors: [] },
    },
    { method: 'GET', path: '/docs/*', access: 'public', handle: forReaders((c) => docsPage(c)) },
    { method: 'GET', path: '/licences', access: 'public', handle: forReaders((c) => page(c, '/licences.html')) },
    { method: 'GET', path: '/llms.txt', access: 'public', handle: forAgents },
    { method: 'GET', path: '/', access: 'public', handle: forReaders(front) },
    { method: 'GET', path: '/console', access: 'public', handle: forReaders((c) => page(c, '/console.html')) },
    { method: 'GET', path: '/console/{file}', access: 'public', handle: (c) => page(c, `/console/${c.req.param('file')}`) },
    { method: 'GET', path: '/console/pdf/{file}', access: 'public', handle: (c) => page(c, `/console/pdf/${c.req.param('file')}`) },
  ]
}

/** Redirects browsers at `/` to the console. Other clients receive an error with the API's address. */
async function front(c: AppContext): Promise<Response> {
  if (prefersHtml(c)) return redirect('/console', 302)
  throw new ApiError('unknown_route', apiMessage('nothing_at_root', { base: baseUrl(c) }))
}

/** Replaces relative addresses with absolute ones, because AI agents do not resolve relative ones. */
async function forAgents(c: AppContext): Promise<Response> {
  const answer = await page(c, '/llms.txt')
  return new Response((await answer.text()).replaceAll('{base}', baseUrl(c)), answer)
}
