/** Pages beside the API: OpenAPI document, reference, files of the console. */
import { apiMessage } from '../../i18n/message.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { drain } from '../body.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { DRAIN_BYTES } from '../form.ts'
import { languageOf } from '../language.ts'
import { openApi } from '../openapi.ts'
import { SITE_POLICY } from '../page-policies.ts'
import type { Route } from '../route.ts'
import { json } from '../route.ts'
import { docsPage } from './docs-pages.ts'
import { forReaders, page, prefersHtml } from './page.ts'

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
      doc: { id: 'docs', summary: 'The documentation as pages', answer: 'html', errors: [503] },
    },
    { method: 'GET', path: '/docs/*', access: 'public', handle: forReaders((c) => docsPage(c)) },
    { method: 'GET', path: '/licences', access: 'public', handle: forReaders((c) => page(c, '/licences.html')) },
    { method: 'GET', path: '/llms.txt', access: 'public', handle: forAgents },
    { method: 'GET', path: '/', access: 'public', handle: forReaders(front) },
    { method: 'GET', path: '/app/{file}', access: 'asset', handle: siteFile },
    { method: 'GET', path: '/sw.js', access: 'public', handle: (c) => page(c, '/sw.js', SITE_POLICY) },
    { method: 'GET', path: '/manifest.webmanifest', access: 'public', handle: (c) => page(c, '/manifest.webmanifest') },
    { method: 'POST', path: '/share', access: 'public', handle: shared },
    { method: 'GET', path: '/console', access: 'public', handle: forReaders((c) => page(c, '/console.html')) },
    { method: 'GET', path: '/console/{file}', access: 'public', handle: (c) => page(c, `/console/${c.req.param('file')}`) },
    { method: 'GET', path: '/console/pdf/{file}', access: 'public', handle: (c) => page(c, `/console/pdf/${c.req.param('file')}`) },
  ]
}

/** Shows the front page to browsers, in their language. Other clients receive an error with the API's address. */
async function front(c: AppContext): Promise<Response> {
  if (!prefersHtml(c)) throw new ApiError('unknown_route', apiMessage('nothing_at_root', { base: baseUrl(c) }))
  const isChinese = languageOf(c.req.header('Accept-Language')) === 'zh-Hans'
  const answer = await page(c, isChinese ? '/index.zh.html' : '/index.html', SITE_POLICY)
  answer.headers.append('Vary', 'Accept, Accept-Language')
  return answer
}

/** Names of files that contain a hash of their content: `main-3F0A9C1B.js`. */
const HASHED = /-[0-9A-Za-z]{8}\.\w+$/

/** Files of the front page. Browsers may keep those whose name changes with their content. */
async function siteFile(c: AppContext): Promise<Response> {
  const name = c.req.param('file') ?? ''
  const answer = await page(c, `/app/${name}`, SITE_POLICY)
  if (HASHED.test(name)) answer.headers.set('Cache-Control', 'public, max-age=31536000, immutable')
  return answer
}

/** Files that another app shares are taken by the service worker of the page. Without one, the page opens, and the files are dropped. */
async function shared(c: AppContext): Promise<Response> {
  await drain(c.req.raw, DRAIN_BYTES)
  return new Response(null, { status: 303, headers: { Location: '/' } })
}

/** Replaces relative addresses with absolute ones, because AI agents do not resolve relative ones. */
async function forAgents(c: AppContext): Promise<Response> {
  const answer = await page(c, '/llms.txt')
  return new Response((await answer.text()).replaceAll('{base}', baseUrl(c)), answer)
}
