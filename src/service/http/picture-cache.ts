/** Cache of the platform in front of the pictures of all accounts. On one machine there is none. */
import type { Env } from '../env.ts'

/** Seconds that the cache answers alone. Longer than that, a purge would not take effect. */
const CACHED_SECONDS = 60

export interface PictureCache {
  match(name: string): Promise<Response | undefined>
  put(name: string, response: Response): Promise<void>
}

/** Returns the cache of this place of Cloudflare's network. `undefined`: there is none. */
export const platformCache = (env: Env): PictureCache | undefined =>
  env.ENVIRONMENT === 'local' ? undefined : pictureCache(caches.default)

/** @param cache cache of the platform, which obeys `Cache-Control` and answers conditional requests itself */
export const pictureCache = (cache: Cache): PictureCache => ({
  match: (name) => cache.match(requestFor(name)),
  async put(name, response) {
    const headers = new Headers(response.headers)
    // A cache varies by nothing: the name holds everything that the answer depends on.
    headers.delete('Vary')
    headers.set('Cache-Control', `public, max-age=${CACHED_SECONDS}`)
    await cache.put(requestFor(name), new Response(response.body, { status: response.status, headers }))
  },
})

const requestFor = (name: string) => new Request(`https://pictures.invalid/${encodeURIComponent(name)}`)
