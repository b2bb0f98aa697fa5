/** Pages of the documentation site, which `pages/docs/build.ts` writes to `console/public/docs`. */
import { ApiError } from '../../tasks/api-error.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { PAGE_POLICY } from '../page-policies.ts'
import { prefersHtml, redirect, withPolicy } from './page.ts'

/** Path of the API reference, whose renderer creates `<style>` elements. */
const REFERENCE = '/docs/api.html'
/** Element of the reference that names the nonce for these elements. */
const NONCE_META = '<meta property="csp-nonce" content="">'
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** Files whose names contain a hash of their contents. */
const HASHED = /^\/docs\/assets\//
/** Page that says that the site is being built. It reloads after this many seconds. */
const UNBUILT = { path: '/docs-unbuilt.html', reloadSeconds: 3 } as const

/** Answers `/docs` and everything below it. Addresses of earlier versions end in `.html` and are redirected. */
export async function docsPage(c: AppContext): Promise<Response> {
  const { pathname, search } = new URL(c.req.url)
  if (pathname.endsWith('.html')) {
    const to = pathname.replace(/(\/index)?\.html$/, '')
    return redirect(to + search, 301)
  }
  const path = fileOf(pathname)
  const found = await docsFile(c, path)
  if (!found.ok && !(await docsFile(c, '/docs/index.html')).ok) return unbuilt(c)
  if (!found.ok && prefersHtml(c)) return notFound(c)
  if (path === REFERENCE) return reference(found)
  const answer = withPolicy(path.endsWith('.html') ? withAddresses(found, baseUrl(c)) : found)
  if (HASHED.test(path)) answer.headers.set('Cache-Control', IMMUTABLE)
  return answer
}

/** Completes the addresses of the same page in other languages, which search engines take only with a host. */
const withAddresses = (found: Response, base: string) =>
  new HTMLRewriter()
    .on('link[hreflang]', { element: (link) => void link.setAttribute('href', new URL(link.getAttribute('href') ?? '', base).href) })
    .transform(found)

/** File of an address: `/docs` and `/docs/zh` are first pages, and addresses without an extension are pages. */
function fileOf(pathname: string): string {
  if (/^\/docs(\/zh)?\/?$/.test(pathname)) return `${pathname.replace(/\/$/, '')}/index.html`
  return /\.\w+$/.test(pathname) ? pathname : `${pathname.replace(/\/$/, '')}.html`
}

/** `npm start` builds the site while it serves, so it reads the files from disk (`DOCS`). Elsewhere they are assets. */
const docsFile = (c: AppContext, path: string) => (c.env.DOCS ?? c.env.ASSETS).fetch(new URL(path, c.req.url))

/** Lets only the `<style>` elements of this response's own scripts pass. The nonce is different in each response. */
async function reference(found: Response): Promise<Response> {
  const nonce = crypto.randomUUID()
  const html = found.ok ? (await found.text()).replace(NONCE_META, NONCE_META.replace('content=""', `content="${nonce}"`)) : null
  const answer = withPolicy(new Response(html, found), PAGE_POLICY.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`))
  // They describe the page without its nonce.
  for (const name of ['Content-Length', 'ETag']) answer.headers.delete(name)
  answer.headers.set('Cache-Control', 'no-store')
  return answer
}

/** Page with the search and the sidebar, for a wrong address in a browser. */
async function notFound(c: AppContext): Promise<Response> {
  const answer = withPolicy(await docsFile(c, '/docs/404.html'))
  return new Response(answer.body, { status: 404, headers: answer.headers })
}

async function unbuilt(c: AppContext): Promise<Response> {
  const found = await c.env.ASSETS.fetch(new URL(UNBUILT.path, c.req.url))
  if (!found.ok) throw new ApiError('unknown_route', 'no_such_page')
  const answer = withPolicy(found)
  const headers = new Headers(answer.headers)
  headers.set('Retry-After', String(UNBUILT.reloadSeconds))
  headers.set('Refresh', String(UNBUILT.reloadSeconds))
  headers.set('Cache-Control', 'no-store')
  return new Response(answer.body, { status: 503, headers })
}
