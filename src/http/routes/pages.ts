/** Documents beside the API: OpenAPI, the reference page, the console's place. */
import { ApiError, ERROR_TYPES } from '../../tasks/api-error.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { openApi } from '../openapi.ts'
import type { Route } from '../route.ts'
import { json } from '../route.ts'

/** The routes are handed in, for these pages describe them and are some of them. */
export function pageRoutes(documented: () => readonly Route[]): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      handle: async (c) => json(openApi(documented(), baseUrl(c)), { 'Cache-Control': 'public, max-age=300' }),
      doc: { id: 'openapi', summary: 'This document', answer: 'json', errors: [] },
    },
    {
      method: 'GET',
      path: '/docs',
      access: 'public',
      handle: async (c) => html('API reference', docsBody(documented(), baseUrl(c))),
      doc: { id: 'docs', summary: 'The reference for people', answer: 'html', errors: [] },
    },
    { method: 'GET', path: '/llms.txt', access: 'public', handle: (c) => consoleFile(c, '/llms.txt') },
    { method: 'GET', path: '/console', access: 'public', handle: (c) => consoleFile(c, '/console.html') },
    { method: 'GET', path: '/console/{file}', access: 'public', handle: (c) => consoleFile(c, `/console/${c.req.param('file')}`) },
  ]
}

/** Scripts, styles and pictures of its own only; blob: shows what was dropped and what came back. */
const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

async function consoleFile(c: AppContext, path: string): Promise<Response> {
  const found = await c.env.ASSETS.fetch(new URL(path, c.req.url))
  if (!found.ok) throw new ApiError('unknown_route', 'The console has no such file.')
  const answer = new Response(found.body, found)
  answer.headers.set('Content-Security-Policy', CONSOLE_POLICY)
  answer.headers.set('Cache-Control', 'no-cache')
  return answer
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Descriptions know two marks: `code` and paragraphs. */
const rich = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1d2430;background:#fff}' +
  'code,pre{font:14px/1.5 ui-monospace,monospace;background:#f2f4f7;border-radius:4px;padding:.1em .3em}pre{padding:1rem;overflow:auto}' +
  'h2{margin-top:2.5rem;font-size:1.15rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #dde2ea}' +
  '@media(prefers-color-scheme:dark){body{color:#e4e8ef;background:#14181f}code,pre{background:#222834}td,th{border-color:#303848}a{color:#8ab4ff}}'

function html(title: string, body: string): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Whittle: ${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`
  return new Response(page, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
  })
}

function docsBody(routes: readonly Route[], base: string): string {
  const sections = routes
    .filter((route) => route.doc)
    .map(({ method, path, access, doc }) => {
      const key = access === 'public' ? 'no key' : access === 'key' ? 'any key' : `scope <code>${escapeHtml(access)}</code>`
      const fields = doc?.form
        ? `<p>Fields: <code>${escapeHtml(doc.form.file)}</code>${Object.keys(doc.form.fields.shape)
            .map((name) => `, <code>${escapeHtml(name)}</code>`)
            .join('')}</p>`
        : ''
      const headers = doc?.headers ? `<p>Headers: ${doc.headers.map((name) => `<code>${name}</code>`).join(', ')}</p>` : ''
      return `<h2 id="${escapeHtml(doc!.id)}">${method} ${escapeHtml(path)}</h2><p>${rich(doc!.summary)} (${key}). ${rich(doc!.description ?? '')}</p>${fields}${headers}`
    })
  const errors = Object.entries(ERROR_TYPES).map(
    ([type, status]) => `<tr id="${type}"><td><code>${type}</code></td><td>${status}</td></tr>`,
  )
  const curl = `curl -H "Authorization: Bearer $WHITTLE_KEY" -F file=@photo.jpg ${base}/v1/compress`
  return (
    `<h1>Whittle</h1><p>Makes any file smaller and proves that nothing was lost. The machine-readable form of this page is <a href="/openapi.json">openapi.json</a>.</p>` +
    `<pre>${escapeHtml(curl)}</pre>${sections.join('')}` +
    `<h2>Errors</h2><p>Every error is <code>{"error": {"code", "message", "request_id"}, "error_detail": {"type", …}}</code>.</p>` +
    `<table><tr><th>error_detail.type</th><th>status</th></tr>${errors.join('')}</table>`
  )
}
