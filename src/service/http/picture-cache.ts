/** Caches in front of the pictures of all accounts: that of the platform, or the memory of a service on one machine. */
import type { Env } from '../env.ts'

/** Seconds that a cache answers alone. Longer than that, a purge would not take effect. */
const CACHED_SECONDS = 60

export interface PictureCache {
  match(name: string): Promise<Response | undefined>
  put(name: string, response: Response): Promise<void>
  /** Forgets everything, if the cache is this service's own. */
  clear(): void
}

/** Returns the cache of this place of Cloudflare's network, or of this process. */
export const pictureCacheOf = (env: Env): PictureCache => (env.ENVIRONMENT === 'local' ? IN_MEMORY : platformCache(caches.default))

/** @param cache cache of the platform, which obeys `Cache-Control` */
export const platformCache = (cache: Cache): PictureCache => ({
  match: (name) => cache.match(requestFor(name)),
  async put(name, response) {
    const headers = new Headers(response.headers)
    // A cache varies by nothing: the name holds everything that the answer depends on.
    headers.delete('Vary')
    headers.set('Cache-Control', `public, max-age=${CACHED_SECONDS}`)
    await cache.put(requestFor(name), new Response(response.body, { status: response.status, headers }))
  },
  clear: () => undefined,
})

const requestFor = (name: string) => new Request(`https://pictures.invalid/${encodeURIComponent(name)}`)

interface Kept {
  readonly bytes: ArrayBuffer
  readonly headers: Headers
  /** Time in epoch milliseconds from which it is not used any more. */
  readonly until: number
}

const MIB = 1024 * 1024

/** Cache in memory. The least recently used pictures go first. */
export class MemoryCache implements PictureCache {
  readonly #mostBytes: number
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  /** @param mostBytes bytes of all pictures; a picture larger than an eighth of it is not kept */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  async match(name: string): Promise<Response | undefined> {
    const kept = this.#kept.get(name)
    if (!kept) return undefined
    this.#forget(name, kept)
    if (kept.until <= Date.now()) return undefined
    this.#keep(name, kept)
    return new Response(kept.bytes, { headers: kept.headers })
  }

  async put(name: string, response: Response): Promise<void> {
    const size = Number(response.headers.get('Content-Length'))
    if (!(size <= this.#mostBytes / 8)) return await response.body?.cancel()
    const bytes = await response.arrayBuffer()
    const replaced = this.#kept.get(name)
    if (replaced) this.#forget(name, replaced)
    this.#keep(name, { bytes, headers: new Headers(response.headers), until: Date.now() + CACHED_SECONDS * 1000 })
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#mostBytes) break
      this.#forget(oldest, kept)
    }
  }

  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
  }

  #keep(name: string, kept: Kept): void {
    this.#kept.set(name, kept)
    this.#bytes += kept.bytes.byteLength
  }

  #forget(name: string, kept: Kept): void {
    this.#kept.delete(name)
    this.#bytes -= kept.bytes.byteLength
  }
}

const IN_MEMORY = new MemoryCache(32 * MIB)
