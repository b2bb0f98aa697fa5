import { RpcTarget } from 'cloudflare:workers'
import type { AccountRecord } from '../src/service/store/accounts.ts'
import { type ImageOrigin, MAX_IMAGE_ORIGINS } from '../src/service/store/image-origins.ts'
import {
  type Flight,
  type Found,
  FRESH_MS,
  type PendingVariant,
  type PicturePath,
  type PictureSource,
  type PicturesApi,
  type PictureVariant,
  pictureBytes,
} from '../src/service/store/pictures.ts'
import type { TaskError } from '../src/service/store/task.ts'
import { PictureCache } from './picture-cache.ts'
import { PictureFlights } from './picture-flights.ts'

const ORIGIN = 'image-origin/'
const GENERATION = 'image-secret'

/** Pictures on the fly of an account: its origins, the number of its secret, its cache, and the work that is going on. */
export class Pictures extends RpcTarget implements PicturesApi {
  readonly #kv: SyncKvStorage
  readonly #account: () => AccountRecord | undefined
  readonly #cache: PictureCache
  readonly #flights: PictureFlights
  /** Time of the last purge in epoch milliseconds, by origin. A flight that began before it stores nothing. */
  readonly #purgedAt = new Map<string, number>()

  constructor(storage: DurableObjectStorage, account: () => AccountRecord | undefined) {
    super()
    this.#kv = storage.kv
    this.#account = account
    this.#cache = new PictureCache(storage, () => pictureBytes(account()?.plan ?? 'free'))
    this.#flights = new PictureFlights(storage.kv)
  }

  async putOrigin(origin: ImageOrigin, makesSecret: boolean) {
    const isKnown = this.#origin(origin.name) !== undefined
    if (!isKnown && [...this.#kv.list({ prefix: ORIGIN, limit: MAX_IMAGE_ORIGINS })].length >= MAX_IMAGE_ORIGINS) return undefined
    const known = this.#generation()
    const isNew = known === undefined || makesSecret
    const generation = known === undefined ? 0 : known + (makesSecret ? 1 : 0)
    if (isNew) this.#kv.put(GENERATION, generation)
    this.#kv.put(ORIGIN + origin.name, origin)
    return { generation, isNew }
  }

  async origin(name: string) {
    const origin = this.#origin(name)
    return origin && { origin, generation: this.#generation() ?? 0 }
  }

  async origins() {
    const listed = this.#kv.list<ImageOrigin>({ prefix: ORIGIN, limit: MAX_IMAGE_ORIGINS })
    return { origins: [...listed].map(([, origin]) => origin), generation: this.#generation() ?? 0 }
  }

  async removeOrigin(name: string) {
    return this.#kv.delete(ORIGIN + name)
  }

  async find(key: string, name: string, generation: number): Promise<Found> {
    const account = this.#account()
    const origin = this.#origin(name)
    if (account?.state !== 'active' || !origin || generation !== this.#generation()) return { kind: 'unknown' }
    const { plan, lowestLimit, limitAbove } = account
    const found = this.#cache.variant(key, Date.now())
    if (found) return { kind: 'ready', ...found, origin, plan }
    return { kind: 'missing', origin, plan, requestsPerMinute: lowestLimit ?? limitAbove ?? null }
  }

  async source(picture: PicturePath) {
    return this.#cache.source(picture, Date.now())
  }

  async join(flight: string): Promise<Flight> {
    return this.#flights.join(flight)
  }

  async notePending(flight: string, pending: PendingVariant) {
    this.#flights.notePending(flight, pending)
  }

  async end(flight: string, id: string, error?: TaskError) {
    this.#flights.end(flight, id, error)
  }

  async wait(flight: string, ms: number) {
    return this.#flights.wait(flight, ms)
  }

  async keepSource(source: PictureSource) {
    return this.#isPurged(source) ? [] : this.#cache.keepSource(source, Date.now())
  }

  async keepVariant(variant: PictureVariant) {
    const now = Date.now()
    return this.#isPurged(variant) ? [] : this.#cache.keepVariant(variant, now, now + FRESH_MS)
  }

  async noteFresh(key: string, freshUntil: number) {
    this.#cache.noteFresh(key, freshUntil)
  }

  async drop(key: string) {
    return this.#cache.drop(key)
  }

  async purge(name: string, path?: string) {
    this.#purgedAt.set(name, Date.now())
    return this.#cache.purge(name, path)
  }

  /** True if a picture was fetched before its origin was purged or removed. Its blob then expires by its age. */
  #isPurged({ origin, fetchedAt }: PictureSource | PictureVariant): boolean {
    return fetchedAt <= (this.#purgedAt.get(origin) ?? 0) || this.#origin(origin) === undefined
  }

  #origin(name: string): ImageOrigin | undefined {
    return this.#kv.get<ImageOrigin>(ORIGIN + name)
  }

  #generation(): number | undefined {
    return this.#kv.get<number>(GENERATION)
  }
}
