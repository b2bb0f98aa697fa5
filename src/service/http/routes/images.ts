/** GET /img/…: pictures on the fly. */
import { ApiError } from '../../tasks/api-error.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { parseImageAddress } from '../image-address.ts'
import { imageAnswer, VARIANT_CACHING } from '../image-answer.ts'
import { chooseImage, parseImageOptions, pictureKey } from '../image-options.ts'
import { pictureCacheOf } from '../picture-cache.ts'
import { isKnown } from '../range.ts'
import type { Route } from '../route.ts'

export const getImage: Route = {
  method: 'GET',
  path: '/img/{signature}/{options}/{source}',
  hasLongPath: true,
  // A page asks for many pictures, so the limit of an address is the higher one.
  access: 'asset',
  async handle(c) {
    const address = await parseImageAddress(c.get('url').pathname, imageSecret(c))
    c.set('fileOwner', address.accountId)
    const { vary, ...chosen } = chooseImage(parseImageOptions(address.options), (name) => c.req.header(name))
    const key = pictureKey(address.origin, address.path, chosen)
    const cache = pictureCacheOf(c.env)
    const cacheName = `${address.accountId} ${address.generation} ${key} ${vary.join(' ')}`
    const cached = await cache.match(cacheName)
    if (cached) return fromCache(c, cached, vary)
    const { accountId, generation, origin, path } = address
    const keepAlive = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
    const about = { requestId: c.get('requestId'), baseUrl: baseUrl(c), keepAlive, vary }
    const answer = await imageAnswer(c, { accountId, generation, origin, path, key, ...chosen, ...about })
    if (mayBeCached(c, answer)) keepAlive(cache.put(cacheName, answer.clone()))
    return answer
  },
  doc: {
    id: 'getImage',
    summary: 'A picture on the fly',
    description:
      'The small form of a picture of an allowed origin. `source` is `{image_key}/{name}/{path}`, and `signature` is the HMAC-SHA256 of `{options}/{source}` with `image_secret` in base64url. The guide `/docs/pictures` lists the options. If the small form takes longer than 300 ms, the answer is the source, with `Cache-Control: no-cache`.',
    headers: ['If-None-Match'],
    answer: 'picture',
    errors: [400, 403, 404, 415, 502, 504],
  },
}

/** Only variants are cached: the source of one that is being made is not. */
const mayBeCached = (c: AppContext, { status, headers }: Response) =>
  status === 200 && c.req.raw.method === 'GET' && headers.get('Whittle-Outcome') !== 'pending'

/** Answer of the platform's cache, with the headers for browsers. */
function fromCache(c: AppContext, cached: Response, vary: readonly string[]): Response {
  const headers = new Headers(cached.headers)
  headers.set('Cache-Control', VARIANT_CACHING)
  if (vary.length > 0) headers.set('Vary', vary.join(', '))
  if (isKnown(c.req.header('If-None-Match'), headers.get('ETag') ?? '')) return new Response(null, { status: 304, headers })
  return new Response(c.req.raw.method === 'HEAD' ? null : cached.body, { headers })
}

function imageSecret({ env }: AppContext): string {
  if (env.SECRET_KEY === undefined) throw new ApiError('maintenance', 'images_need_secret')
  return env.SECRET_KEY
}
