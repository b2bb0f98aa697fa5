/**
 * Service worker: the page and its engines work without a network. Each version of the page has a cache of its own, so code and engines
 * of different versions never meet. Everything else of the site passes: the console, the documentation and the API.
 */
import { SHARED_CACHE } from './links.ts'
import { SAVE, SAVED } from './service-worker.ts'

/** Constants that the bundler replaces: a hash of all files, what the page needs to open, and what it needs later. */
declare const SITE_VERSION: string
declare const SITE_SHELL: readonly string[]
declare const SITE_LATER: readonly string[]

const PREFIX = 'whittle-site-'
const CACHE = `${PREFIX}${SITE_VERSION}`
const KNOWN = new Set([...SITE_SHELL, ...SITE_LATER])

/** Largest number of files that another app can share at once. */
const MAX_SHARED = 100

/** The parts of `ServiceWorkerGlobalScope` that are used. The types of pages do not have it. */
interface Scope {
  readonly clients: { claim(): Promise<void> }
  addEventListener(type: 'install' | 'activate', listener: (event: Waiting) => void): void
  addEventListener(type: 'fetch', listener: (event: Waiting & Fetching) => void): void
  addEventListener(type: 'message', listener: (event: Waiting & Telling) => void): void
}
interface Waiting {
  waitUntil(work: Promise<unknown>): void
}
interface Fetching {
  readonly request: Request
  respondWith(answer: Promise<Response>): void
}
interface Telling {
  readonly data: unknown
  readonly source: { postMessage(message: unknown): void } | null
}

const scope = self as unknown as Scope

scope.addEventListener('install', (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...SITE_SHELL]))))

scope.addEventListener('activate', (event) => event.waitUntil(dropOld().then(() => scope.clients.claim())))

scope.addEventListener('message', (event) => {
  if (event.data === SAVE) event.waitUntil(saveAll().then(() => event.source?.postMessage(SAVED)))
})

scope.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method === 'POST' && pathname === '/share') event.respondWith(share(request))
  else if (request.method === 'GET' && KNOWN.has(pathname)) event.respondWith(cached(request, pathname))
})

async function dropOld(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)))
}

/** From the cache, otherwise from the network, and then kept. */
async function cached(request: Request, pathname: string): Promise<Response> {
  const cache = await caches.open(CACHE)
  const known = await cache.match(pathname)
  if (known) return known
  const answer = await fetch(request)
  if (answer.ok && answer.type === 'basic') await cache.put(pathname, answer.clone())
  return answer
}

/** One after the other, so that the compression of a file is not slowed down. */
async function saveAll(): Promise<void> {
  const cache = await caches.open(CACHE)
  for (const path of SITE_LATER) if (!(await cache.match(path))) await cache.add(path)
}

/** Keeps files that another app shares, and opens the page, which takes them. */
async function share(request: Request): Promise<Response> {
  const form = await request.formData()
  const cache = await caches.open(SHARED_CACHE)
  const files = form.getAll('files').filter((value) => value instanceof File)
  for (const [index, file] of files.slice(0, MAX_SHARED).entries()) {
    await cache.put(`/shared/${index}/${encodeURIComponent(file.name)}`, new Response(file, { headers: { 'Content-Type': file.type } }))
  }
  return Response.redirect('/?shared', 303)
}
