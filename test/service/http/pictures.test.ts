/** Tests of pictures on the fly: signatures, options, the cache, one job for many requests, errors of origins. */
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chooseImage, parseImageOptions, pictureKey } from '../../../src/service/http/image-options.ts'
import { FAILURE_MS, FLIGHT_MS, FRESH_MS } from '../../../src/service/store/pictures.ts'
import { ORIGIN_LIMITS } from '../../../src/service/tasks/picture-origin.ts'
import { variantFlight } from '../../../src/service/tasks/picture-variant.ts'
import { plainPng } from '../../support/plain-png.ts'
import { S3Double } from '../../support/s3-double.ts'
import { call, errorOf, type Member, member } from './client.ts'
import { nested } from './nested.ts'

const ORIGIN = 'https://static.shop.com/pictures/'
const PNG = plainPng({ width: 90, height: 70, colourType: 2, bitDepth: 8 }, (x, y) => [(x * 5) & 255, (y * 7) & 255, (x * y) & 255])

const json = (body: unknown, method = 'PUT'): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
})

interface Signer extends Member {
  readonly imageKey: string
  readonly secret: string
}

async function signer(change: Parameters<typeof member>[0] = {}, origin = ORIGIN): Promise<Signer> {
  const who = await member(change)
  const { image_key, image_secret } = (await (await call(who, '/v1/image-origins/photos', json({ origin }))).json()) as Record<
    string,
    string
  >
  return { ...who, imageKey: image_key!, secret: image_secret! }
}

async function sign(text: string, secret: string): Promise<string> {
  const bytes = (value: string) => new TextEncoder().encode(value)
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return Buffer.from(await crypto.subtle.sign('HMAC', key, bytes(text))).toString('base64url')
}

async function address({ imageKey, secret }: Signer, path: string, options = 'w_40,f_png', name = 'photos'): Promise<string> {
  const text = `${options}/${imageKey}/${name}/${path}`
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  return `/img/${await sign(text, secret)}/${options}/${imageKey}/${name}/${encoded}`
}

/** Picture of an origin that a test answers for. */
const picture = (headers: Record<string, string> = {}) => new Response(PNG, { headers: { 'Content-Type': 'image/png', ...headers } })

/** Requests that the origin received. */
let asked: { url: string; headers: Headers }[] = []
let origin: (url: string, request: RequestInit) => Response | Promise<Response>

beforeEach(() => {
  asked = []
  origin = () => picture({ ETag: '"one"' })
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, request) => {
    asked.push({ url: String(url), headers: new Headers(request?.headers) })
    return origin(String(url), request!)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Stream of some bytes that then sends nothing until the request is aborted. */
const slowly = (bytes: Uint8Array, signal: AbortSignal) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes))
      signal.addEventListener('abort', () => controller.error(signal.reason))
    },
  })

const get = async (who: Signer, path = 'a.png', options?: string, init: RequestInit = {}) =>
  call(undefined, await address(who, path, options), init)
const typeOf = async (answer: Response) => [answer.status, (await errorOf(answer)).error_detail.type]
/** Requests the picture until its variant is there. */
const variant = (who: Signer, path = 'a.png', options?: string, init: RequestInit = {}) =>
  vi.waitFor(
    async () => {
      const answer = await get(who, path, options, init)
      if (answer.headers.get('Whittle-Outcome') === 'pending') throw new Error('It is not made yet.')
      return answer
    },
    { timeout: 20_000, interval: 50 },
  )

/** Resolves when no request of `a.png` with the usual options does any more work in the background. */
async function settled(who: Member): Promise<void> {
  const { pictures } = nested(env.ACCOUNTS.getByName(who.accountId))
  const flight = variantFlight(
    pictureKey(
      'photos',
      'a.png',
      chooseImage(parseImageOptions('w_40,f_png'), () => undefined),
    ),
  )
  expect(await pictures.wait(flight, 10_000)).toBe('ended')
}

const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer())
const taskIds = async (who: Member) => ((await (await call(who, '/v1/tasks')).json()) as { tasks: unknown[] }).tasks.length
const calls = async (who: Member) => (await env.ACCOUNTS.getByName(who.accountId).usage('enterprise')).api_calls
const stored = async (who: Member, prefix = 'pictures') => (await env.BLOBS.list({ prefix: `${prefix}/${who.accountId}/` })).objects.length

describe('an origin of pictures', () => {
  it('is stored, shown, replaced and removed, and its secret is shown once', async () => {
    const who = await member()
    const first = (await (await call(who, '/v1/image-origins/photos', json({ origin: ORIGIN }))).json()) as Record<string, string>
    expect(first).toEqual({
      name: 'photos',
      origin: ORIGIN,
      image_key: `img_${who.accountId.slice(4)}`,
      image_secret: expect.stringMatching(/^ims_[\w-]{43}$/),
    })
    const { image_secret: _, ...shown } = first
    expect(await (await call(who, '/v1/image-origins/photos')).json()).toEqual(shown)
    const second = (await (await call(who, '/v1/image-origins/shop', json({ origin: `${ORIGIN}shop/` }))).json()) as Record<string, string>
    expect(second).not.toHaveProperty('image_secret')
    expect(await (await call(who, '/v1/image-origins')).json()).toEqual({ image_origins: [shown, second] })
    expect(await (await call(await member(), '/v1/image-origins')).json()).toEqual({ image_origins: [] })
    expect((await call(who, '/v1/image-origins/photos', { method: 'DELETE' })).status).toBe(204)
    expect(await typeOf(await call(who, '/v1/image-origins/photos'))).toEqual([404, 'unknown_image_origin'])
    expect(await typeOf(await call(who, '/v1/image-origins/photos', { method: 'DELETE' }))).toEqual([404, 'unknown_image_origin'])
  })

  it.each([
    ['http://static.shop.com/', 'unsafe_url'],
    ['https://10.0.0.1/', 'unsafe_url'],
    ['https://intranet/', 'unsafe_url'],
    ['https://user:pass@static.shop.com/', 'unsafe_url'],
    ['https://static.shop.com/pictures', 'invalid_parameter'],
    ['https://static.shop.com/?x=/', 'invalid_parameter'],
    ['https://static.shop.com/#/', 'invalid_parameter'],
  ])('cannot be %s', async (address, type) => {
    const who = await member()
    expect(await typeOf(await call(who, '/v1/image-origins/photos', json({ origin: address })))).toEqual([400, type])
    expect((await call(who, '/v1/image-origins/photos')).status).toBe(404)
  })

  it.each([
    ['neither an address nor a bucket', {}, 400, 'invalid_parameter'],
    ['both', { origin: ORIGIN, bucket: { connection: 'shop' } }, 400, 'invalid_parameter'],
    ['a bucket without a connection', { bucket: { prefix: 'a/' } }, 400, 'invalid_parameter'],
    ['a bucket with an unknown field', { bucket: { connection: 'shop', key: 'a' } }, 400, 'invalid_parameter'],
    ['a connection that does not exist', { bucket: { connection: 'shop' } }, 404, 'unknown_connection'],
  ])('cannot be %s', async (_, fields, status, type) => {
    expect(await typeOf(await call(await member(), '/v1/image-origins/photos', json(fields)))).toEqual([status, type])
  })

  it('needs a valid name, known fields, and the scope `compress`', async () => {
    const who = await member()
    expect(await typeOf(await call(who, '/v1/image-origins/No%20name', json({ origin: ORIGIN })))).toEqual([400, 'invalid_parameter'])
    expect(await typeOf(await call(who, '/v1/image-origins/photos', json({ origin: ORIGIN, secret: 'x' })))).toEqual([
      400,
      'invalid_parameter',
    ])
    const reader = await member({ scopes: ['tasks:read'] })
    expect(await typeOf(await call(reader, '/v1/image-origins/photos', json({ origin: ORIGIN })))).toEqual([403, 'missing_scope'])
  })

  it('is one of 20 at most', async () => {
    const who = await member()
    const { pictures } = nested(env.ACCOUNTS.getByName(who.accountId))
    for (let i = 0; i < 20; i++) expect(await pictures.putOrigin({ name: `o${i}`, origin: ORIGIN }, false)).toBeDefined()
    expect(await typeOf(await call(who, '/v1/image-origins/photos', json({ origin: ORIGIN })))).toEqual([409, 'too_many_image_origins'])
    expect((await call(who, '/v1/image-origins/o3', json({ origin: `${ORIGIN}x/` }))).status).toBe(200)
  })
})

describe('a signature', () => {
  it('that is wrong, short, of other options or of another account starts no work', async () => {
    const [who, other] = [await signer(), await signer()]
    const right = await address(who, 'a.png')
    const [, , signature = ''] = right.split('/')
    const wrong = [
      right.replace(signature, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
      right.replace(signature, signature.slice(0, 21)),
      right.replace(signature, `${signature}A`),
      right.replace('w_40', 'w_41'),
      right.replace('a.png', 'b.png'),
      right.replace(who.imageKey, other.imageKey),
      right.replace(who.imageKey, `${who.imageKey}-1`),
      right.replace('/photos/', '/photos/../photos/x/'),
      right.replace('a.png', '%ff'),
      `/img/${signature}`,
      '/img/x/y/z',
    ]
    for (const path of wrong) {
      const answer = await call(undefined, path)
      expect([403, 404], path).toContain(answer.status)
      expect(answer.headers.get('Cache-Control')).toBe('no-store')
    }
    expect(asked).toEqual([])
    expect(await stored(who, 'picture-sources')).toBe(0)
  })

  it('may be cut to 16 bytes, and covers the decoded path', async () => {
    const who = await signer()
    const path = 'Häuser & Höfe/50 % #1?.png'
    const text = `w_40,f_png/${who.imageKey}/photos/${path}`
    const cut = (await sign(text, who.secret)).slice(0, 22)
    const answer = await call(undefined, `/img/${cut}/w_40,f_png/${who.imageKey}/photos/${encodeURIComponent(path)}`)
    expect(answer.status).toBe(200)
    expect(asked[0]!.url).toBe(`${ORIGIN}H%C3%A4user%20%26%20H%C3%B6fe/50%20%25%20%231%3F.png`)
  })

  it('never leads out of the origin', async () => {
    const who = await signer()
    for (const path of ['../secret.png', 'a/../../secret.png', '.', 'a/./b.png', '', 'x'.repeat(1025)])
      expect([403, 404], path).toContain((await call(undefined, await address(who, path))).status)
    expect(await typeOf(await call(undefined, await address(who, 'a.png', 'w_40', 'other')))).toEqual([404, 'unknown_picture'])
    expect(asked).toEqual([])
  })

  it('stops working with a new secret', async () => {
    const who = await signer()
    const changed = (await (await call(who, '/v1/image-origins/photos', json({ origin: ORIGIN, new_secret: true }))).json()) as Record<
      string,
      string
    >
    expect(changed['image_key']).toBe(`${who.imageKey}-1`)
    expect(await typeOf(await get(who))).toEqual([404, 'unknown_picture'])
    expect((await get({ ...who, imageKey: changed['image_key']!, secret: changed['image_secret']! })).status).toBe(200)
  })

  it('of a disabled account starts no work', async () => {
    const who = await signer()
    await env.ACCOUNTS.getByName(who.accountId).update({ state: 'disabled' })
    expect(await typeOf(await get(who))).toEqual([404, 'unknown_picture'])
    expect(asked).toEqual([])
  })
})

describe('options', () => {
  it('that are wrong are refused, and name the option and what is allowed', async () => {
    const wrong = [
      'w_0',
      'w_9000',
      'w_1.5',
      'h_x',
      'fit_fill',
      'fit_cover,w_5',
      'dpr_5',
      'g_face',
      'g_1.2x0',
      'q_best',
      's_40',
      's_75,q_low',
    ]
    for (const options of [...wrong, 'f_gif', 'f_png,f_png', 'x_1', 'w', '', 'w_40,', 'constructor_1', `${'w_1,'.repeat(60)}h_1`])
      expect(() => parseImageOptions(options), options).toThrow(expect.objectContaining({ type: 'invalid_parameter' }))
    const who = await signer()
    const answer = await get(who, 'a.png', 'w_40,g_face')
    expect((await errorOf(answer)).error_detail).toMatchObject({ type: 'invalid_parameter', param: 'g', got: 'g_face' })
    expect(asked).toEqual([])
  })

  it('that the content of a picture would decide, or that need another, are refused with the reason and what to use instead', async () => {
    const who = await signer()
    const refusal = async (options: string) => (await errorOf(await get(who, 'a.png', options))).error.message
    for (const name of ['face', 'faces', 'auto', 'smart', 'sm']) {
      const message = await refusal(`w_40,h_40,fit_cover,g_${name}`)
      expect(message).toContain(`'g_${name}' of the picture is not available, because Whittle does not look for faces`)
      expect(message).toContain('g_north')
    }
    expect(await refusal('fit_crop,w_auto,h_40')).toContain('needs a width and a height, such as w_640,h_480')
    expect(await refusal('s_75,q_low')).toContain('Keep one')
  })

  it('of any text never do anything but parse or be refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^([a-z]{1,3}_[a-z0-9.]{1,5},?){1,4}$/)), (text) => {
        try {
          const { rendition } = chooseImage(parseImageOptions(text), () => undefined)
          expect(rendition.width ?? 1).toBeLessThanOrEqual(8192)
        } catch (error) {
          expect(error).toMatchObject({ type: 'invalid_parameter' })
        }
      }),
    )
  })

  it('become pixels, a level and a format', () => {
    const chosen = (options: string, headers: Record<string, string> = {}) =>
      chooseImage(parseImageOptions(options), (name) => headers[name])
    expect(chosen('w_320,h_240,fit_cover,dpr_2,g_north,q_high,f_webp')).toEqual({
      rendition: { fit: 'cover', width: 640, height: 480, focus: { x: 0.5, y: 0 } },
      ...{ quality: 'high', output: 'webp', vary: [] },
    })
    expect(chosen('w_320,dpr_auto,s_75', { 'Sec-CH-DPR': '1.7', Accept: 'image/avif;q=0, image/webp' })).toEqual({
      rendition: { fit: 'contain', width: 640 },
      ...{ quality: 'medium', targetScore: 75, output: 'webp', vary: ['Accept', 'Sec-CH-DPR'] },
    })
    expect(chosen('w_auto,q_auto', { 'Sec-CH-Width': '1000', 'Save-Data': 'on', Accept: '*/*' })).toMatchObject({
      rendition: { width: 1280 },
      ...{ quality: 'low', output: 'plain' },
    })
    expect(chosen('w_auto,dpr_auto,q_auto', { 'Sec-CH-Width': '-1', 'Sec-CH-DPR': 'x' })).toMatchObject({
      rendition: { fit: 'contain' },
      quality: 'medium',
    })
    expect(chosen('w_100,dpr_auto', { 'Sec-CH-DPR': '99' }).rendition.width).toBe(300)
    expect(chosen('w_50,h_60,fit_crop,g_0.25x1').rendition.focus).toEqual({ x: 0.25, y: 1 })
  })

  it('that leave the choice to the client vary by what was used, and only by that', async () => {
    const who = await signer()
    const varied = async (options: string, headers: Record<string, string> = {}) => {
      const answer = await variant(who, 'a.png', options, { headers })
      await bytesOf(answer)
      return [answer.headers.get('Vary'), answer.headers.get('Accept-CH')]
    }
    expect(await varied('w_40,f_png')).toEqual([null, null])
    expect(await varied('w_40,f_auto', { Accept: 'image/avif,image/webp' })).toEqual(['Accept', null])
    expect(await varied('w_auto,dpr_auto,q_auto,f_png', { 'Sec-CH-Width': '300', 'Save-Data': 'on' })).toEqual([
      'Sec-CH-DPR, Sec-CH-Width, Save-Data',
      'Sec-CH-DPR, Sec-CH-Width',
    ])
  })
})

describe('a picture', () => {
  it('is fetched and made once for ten requests at the same time', async () => {
    const who = await signer()
    const before = await calls(who)
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(who)))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    await Promise.all(answers.map(bytesOf))
    await bytesOf(await variant(who))
    expect(asked).toHaveLength(1)
    expect(await stored(who)).toBe(1)
    expect((await calls(who)) - before).toBe(1)
    await vi.waitFor(async () => expect(await taskIds(who)).toBe(0))
  })

  it('is kept: the next requests ask neither the origin nor count as requests of the account', async () => {
    const who = await signer()
    const first = await variant(who)
    expect(first.headers.get('Content-Type')).toBe('image/png')
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=3600, stale-while-revalidate=86400')
    expect(first.headers.get('Content-Security-Policy')).toContain('sandbox')
    const bytes = await bytesOf(first)
    const [before, asks] = [await calls(who), asked.length]
    const again = await get(who)
    expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'))
    expect(await bytesOf(again)).toEqual(bytes)
    const known = await get(who, 'a.png', undefined, { headers: { 'If-None-Match': first.headers.get('ETag')! } })
    expect([known.status, (await known.text()).length]).toEqual([304, 0])
    const head = await get(who, 'a.png', undefined, { method: 'HEAD' })
    expect([head.status, head.headers.get('Content-Length')]).toEqual([200, String(bytes.length)])
    expect([await calls(who), asked.length]).toEqual([before, asks])
  })

  it('is answered by its source while another request makes the small one, and by the small one afterwards', async () => {
    const who = await signer()
    await bytesOf(await variant(who, 'a.png', 'w_30,f_png'))
    const { pictures } = nested(env.ACCOUNTS.getByName(who.accountId))
    const { vary: _, ...chosen } = chooseImage(parseImageOptions('w_40,f_png'), () => undefined)
    const flight = variantFlight(pictureKey('photos', 'a.png', chosen))
    const leader = await pictures.join(flight)
    const answer = await get(who)
    expect([answer.headers.get('Whittle-Outcome'), answer.headers.get('Cache-Control')]).toEqual(['pending', 'no-cache'])
    expect(await bytesOf(answer)).toEqual(new Uint8Array(PNG))
    if (leader.kind === 'lead') await pictures.end(flight, leader.id)
    expect((await variant(who)).headers.get('Whittle-Outcome')).toBe('unchanged')
    expect(asked).toHaveLength(1)
  })

  it('whose maker was lost is finished by the next request', async () => {
    const who = await signer()
    const { pictures } = nested(env.ACCOUNTS.getByName(who.accountId))
    await bytesOf(await get(who, 'a.png', 'w_20,f_png'))
    const { vary: _, ...chosen } = chooseImage(parseImageOptions('w_40,f_png'), () => undefined)
    const flight = variantFlight(pictureKey('photos', 'a.png', chosen))
    await pictures.join(flight)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + FLIGHT_MS + 1000 })
    expect((await variant(who)).headers.get('Whittle-Outcome')).toBe('unchanged')
  })

  it('is compared with its origin after an hour, in the background', async () => {
    const who = await signer()
    const first = await bytesOf(await variant(who))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + FRESH_MS + 1000 })
    origin = () => new Response(null, { status: 304 })
    expect(await bytesOf(await get(who))).toEqual(first)
    await settled(who)
    expect(asked).toHaveLength(2)
    expect(asked[1]!.headers.get('If-None-Match')).toBe('"one"')
    vi.setSystemTime(Date.now() + FRESH_MS + 1000)
    const changed = plainPng({ width: 90, height: 70, colourType: 2, bitDepth: 8 }, (x) => [x, 0, 0])
    origin = () => new Response(changed, { headers: { ETag: '"two"' } })
    await bytesOf(await get(who))
    await settled(who)
    vi.setSystemTime(Date.now() + 61_000)
    expect(await bytesOf(await get(who))).not.toEqual(first)
    expect(asked).toHaveLength(3)
  })

  it('is not made again if its origin sends the same bytes without a version', async () => {
    const who = await signer()
    origin = () => picture()
    await bytesOf(await variant(who))
    const before = await calls(who)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + FRESH_MS + 1000 })
    await bytesOf(await get(who))
    await settled(who)
    expect(asked).toHaveLength(2)
    expect([...asked[1]!.headers.keys()].filter((name) => name.startsWith('if-'))).toEqual([])
    expect(await calls(who)).toBe(before)
    expect(await stored(who)).toBe(1)
  })

  it('that is gone from its origin is forgotten', async () => {
    const who = await signer()
    await bytesOf(await variant(who))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + FRESH_MS + 1000 })
    origin = () => new Response(null, { status: 404 })
    await bytesOf(await get(who))
    await settled(who)
    vi.setSystemTime(Date.now() + 61_000)
    expect((await get(who)).status).toBe(404)
    expect(await stored(who)).toBe(0)
  })

  it('is fetched again after a purge of its path, and others are not', async () => {
    const who = await signer()
    for (const path of ['a.png', 'b/c.png']) await bytesOf(await variant(who, path))
    const purge = (query: string) => call(who, `/v1/image-origins/photos/cache${query}`, { method: 'DELETE' })
    expect(await (await purge('?path=b/c.png')).json()).toEqual({ purged: 1 })
    expect(await stored(who)).toBe(1)
    const asks = asked.length
    await bytesOf(await variant(who))
    expect(asked).toHaveLength(asks)
    await bytesOf(await variant(who, 'b/c.png'))
    expect(asked).toHaveLength(asks + 1)
    expect(await (await purge('')).json()).toEqual({ purged: 2 })
    expect([await stored(who), await stored(who, 'picture-sources')]).toEqual([0, 0])
  })

  it('is not found after its origin was removed', async () => {
    const who = await signer()
    await bytesOf(await variant(who))
    await call(who, '/v1/image-origins/photos', { method: 'DELETE' })
    expect(await typeOf(await get(who))).toEqual([404, 'unknown_picture'])
    expect(await stored(who)).toBe(0)
  })

  it('counts for the rate limit of the account when it is made', async () => {
    const who = await signer({ plan: 'free' })
    await env.ACCOUNTS.getByName(who.accountId).update({ limitAbove: 1 })
    await bytesOf(await get(who, 'a.png'))
    const refused = await get(who, 'b.png')
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(await typeOf(refused)).toEqual([429, 'rate_limited'])
    expect((await variant(who, 'a.png')).status).toBe(200)
  })
})

describe('an origin', () => {
  let shared: Promise<Signer> | undefined

  it.each([
    ['has no such picture', () => new Response(null, { status: 404 }), [404, 'unknown_picture']],
    ['has it no longer', () => new Response(null, { status: 410 }), [404, 'unknown_picture']],
    ['fails', () => new Response(null, { status: 500 }), [502, 'origin_unreachable']],
    ['refuses', () => new Response(null, { status: 403 }), [502, 'origin_unreachable']],
    [
      'redirects to another host',
      () => new Response(null, { status: 302, headers: { Location: 'https://evil.shop.net/a.png' } }),
      [502, 'origin_unreachable'],
    ],
    ['cannot be reached', () => Promise.reject(new TypeError('no connection')), [502, 'origin_unreachable']],
    ['compresses the transfer', () => picture({ 'Content-Encoding': 'gzip' }), [502, 'origin_unreachable']],
    ['sends a page', () => new Response('<!doctype html><title>x</title>'.repeat(100)), [415, 'not_a_picture']],
    [
      'sends a drawing with scripts',
      () => new Response('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
      [415, 'not_a_picture'],
    ],
    ['sends nothing', () => new Response(''), [415, 'not_a_picture']],
    ['sends too much', () => picture({ 'Content-Length': '900000000' }), [400, 'file_too_large']],
    ['breaks off', () => picture({ 'Content-Length': String(PNG.length + 5) }), [502, 'origin_unreachable']],
  ] as const)('that %s is an error, stores nothing, and is not asked again at once', async (name, answer, expected) => {
    const who = await (shared ??= signer())
    origin = answer
    expect(await typeOf(await get(who, name))).toEqual(expected)
    expect(await typeOf(await get(who, name))).toEqual(expected)
    expect(asked).toHaveLength(1)
    expect([await stored(who), await stored(who, 'picture-sources'), await taskIds(who)]).toEqual([0, 0, 0])
  })

  it.each([
    [
      'never answers',
      (signal: AbortSignal) => new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ],
    ['falls silent after one byte', (signal: AbortSignal) => new Response(slowly(PNG.subarray(0, 1), signal))],
  ])('that %s holds nobody for long', async (_, answer) => {
    const who = await signer()
    const limits = { ...ORIGIN_LIMITS }
    Object.assign(ORIGIN_LIMITS, { firstByteMs: 100, silenceMs: 100 })
    origin = (_url, { signal }) => answer(signal!)
    expect(await typeOf(await get(who))).toEqual([504, 'origin_timeout'])
    Object.assign(ORIGIN_LIMITS, limits)
    expect(await stored(who, 'picture-sources')).toBe(0)
  })

  it('that sends for ever is cut off at the limit of the plan', async () => {
    const who = await signer({ plan: 'free' })
    let sent = 0
    origin = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(sent === 0 ? new Uint8Array(PNG) : new Uint8Array(1_000_000))
            sent++
          },
        }),
      )
    expect(await typeOf(await get(who))).toEqual([400, 'file_too_large'])
    expect(sent).toBeLessThan(40)
    expect(await stored(who, 'picture-sources')).toBe(0)
  })

  it('that failed is asked again after some seconds', async () => {
    const who = await signer()
    origin = () => new Response(null, { status: 500 })
    expect((await get(who)).status).toBe(502)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + FAILURE_MS + 1000 })
    origin = () => picture()
    expect((await get(who)).status).toBe(200)
  })

  it('may be asked for problem details', async () => {
    const who = await signer()
    origin = () => new Response(null, { status: 500 })
    const answer = await get(who, 'a.png', undefined, { headers: { Accept: 'application/problem+json' } })
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([502, 'application/problem+json'])
  })
})

describe('a bucket as origin', () => {
  /** Account with a bucket below `photos/` as origin. */
  async function bucketSigner(): Promise<{ readonly who: Signer; readonly double: S3Double }> {
    const double = new S3Double()
    origin = double.fetch
    const own = await member()
    const { type, endpoint, region, bucket, accessKeyId, secretAccessKey } = double.settings
    const settings = { type, endpoint, region, bucket, access_key_id: accessKeyId, secret_access_key: secretAccessKey }
    expect((await call(own, '/v1/connections/shop', json(settings))).status).toBe(200)
    const place = { bucket: { connection: 'shop', prefix: 'photos/' } }
    const made = (await (await call(own, '/v1/image-origins/photos', json(place))).json()) as Record<string, string>
    expect(made).toMatchObject({ name: 'photos', ...place })
    await double.put('photos/a.png', new Uint8Array(PNG))
    double.requests.length = 0
    return { who: { ...own, imageKey: made['image_key']!, secret: made['image_secret']! }, double }
  }

  it('serves the pictures below its prefix, and asks again only for the entity tag', async () => {
    const { who, double } = await bucketSigner()
    const answer = await variant(who)
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'image/png'])
    expect(double.requests).toEqual(['GET photos/a.png'])
    await settled(who)
    vi.useFakeTimers({ now: Date.now() + FRESH_MS + 1000, toFake: ['Date'] })
    expect((await get(who)).status).toBe(200)
    await vi.waitFor(() => expect(double.requests).toEqual(['GET photos/a.png', 'HEAD photos/a.png']), 10_000)
    await settled(who)
  })

  it.each<[string, string, (double: S3Double) => void, number, string]>([
    ['a missing object', 'none.png', () => undefined, 404, 'unknown_picture'],
    ['revoked credentials', 'a.png', (double) => void (double.isAuthorised = false), 502, 'origin_unreachable'],
  ])('answers for %s with an error, and stores nothing', async (_, path, prepare, status, type) => {
    const { who, double } = await bucketSigner()
    prepare(double)
    expect(await typeOf(await get(who, path))).toEqual([status, type])
    expect(await stored(who)).toBe(0)
  })
})
