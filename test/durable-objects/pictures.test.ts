/** Tests of the pictures that an account keeps: the bound, what goes first, flights. */
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import type { PictureSource, PicturesApi, PictureVariant } from '../../src/service/store/pictures.ts'
import { FLIGHT_MS, pictureBytes, SOURCE_MS, USE_MS, VARIANT_MS } from '../../src/service/store/pictures.ts'

afterEach(() => void vi.useRealTimers())

/** The wrapper classes of the test runner do not pipeline calls, so the property is fetched first. */
async function pictures(): Promise<PicturesApi> {
  const accountId = `acc_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
  const account = env.ACCOUNTS.getByName(accountId)
  await account.put({ accountId, name: 'Test', plan: 'free', createdAt: Date.now(), state: 'active' })
  const found = (await account.pictures) as PicturesApi
  await found.putOrigin({ name: 'photos', origin: 'https://static.shop.com/' }, false)
  return found
}

const QUARTER = pictureBytes('free') / 4
const blobOf = (key: string) => ({ blob: `pictures/acc/${key}`, size: QUARTER, sha256: key, contentType: 'image/webp' })
const variant = (key: string): PictureVariant => ({
  ...{ key, origin: 'photos', path: `${key}.jpg`, outcome: 'compressed', validators: {}, fetchedAt: Date.now() },
  ...blobOf(key),
})
const source = (key: string): PictureSource => ({
  ...{ origin: 'photos', path: `${key}.jpg`, format: 'jpg', validators: {}, fetchedAt: Date.now() },
  ...blobOf(key),
})
const kindOf = async (found: PicturesApi, key: string) => (await found.find(key, 'photos', 0)).kind
const later = (ms: number) => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

it('forgets the least recently used variants when an account keeps too many bytes', async () => {
  const kept = await pictures()
  for (const key of ['a', 'b', 'c', 'd']) {
    expect(await kept.keepVariant(variant(key))).toEqual([])
    later(1000)
  }
  later(USE_MS + 1000)
  expect(await kindOf(kept, 'a')).toBe('ready')
  later(1000)
  expect(await kept.keepVariant(variant('e'))).toEqual(['pictures/acc/b'])
  expect(await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => kindOf(kept, key)))).toEqual([
    'ready',
    'missing',
    'ready',
    'ready',
    'ready',
  ])
})

it('keeps a variant that is larger than everything it may keep, and nothing else', async () => {
  const kept = await pictures()
  await kept.keepVariant(variant('a'))
  expect(await kept.keepVariant({ ...variant('large'), size: 5 * QUARTER })).toEqual(['pictures/acc/a'])
  expect(await kindOf(kept, 'large')).toBe('ready')
})

it('returns the blob of a variant that is made again', async () => {
  const kept = await pictures()
  await kept.keepVariant(variant('a'))
  expect(await kept.keepVariant({ ...variant('a'), blob: 'pictures/acc/new' })).toEqual(['pictures/acc/a'])
  expect(await kept.drop('a')).toEqual(['pictures/acc/new'])
  expect(await kindOf(kept, 'a')).toBe('missing')
})

it('keeps sources for some minutes, and apart from variants', async () => {
  const kept = await pictures()
  for (const key of ['a', 'b', 'c', 'd']) await kept.keepVariant(variant(key))
  expect(await kept.keepSource(source('x'))).toEqual([])
  expect(await kept.source({ origin: 'photos', path: 'x.jpg' })).toMatchObject({ sha256: 'x' })
  later(SOURCE_MS + 1000)
  expect(await kept.source({ origin: 'photos', path: 'x.jpg' })).toBeUndefined()
  expect(await kept.keepSource(source('y'))).toEqual(['pictures/acc/x'])
})

it('forgets a variant after a month', async () => {
  const kept = await pictures()
  await kept.keepVariant(variant('a'))
  later(VARIANT_MS + 1000)
  expect(await kindOf(kept, 'a')).toBe('missing')
})

it('stores nothing that was fetched before a purge', async () => {
  const kept = await pictures()
  const [early, old] = [variant('a'), source('a')]
  await kept.purge('photos')
  await kept.keepVariant(early)
  await kept.keepSource(old)
  expect(await kindOf(kept, 'a')).toBe('missing')
  expect(await kept.source({ origin: 'photos', path: 'a.jpg' })).toBeUndefined()
  later(1000)
  await kept.keepVariant(variant('a'))
  expect(await kindOf(kept, 'a')).toBe('ready')
})

it('has one leader of a flight, until it ends or is lost', async () => {
  const kept = await pictures()
  const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => kept.join('variant a')))
  expect(first!.kind).toBe('lead')
  expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['follow']))
  const pending = { taskId: 'tsk_1', validators: { etag: '"one"' }, fetchedAt: 1 }
  await kept.notePending('variant a', pending)
  later(FLIGHT_MS + 1000)
  const second = await kept.join('variant a')
  expect(second).toMatchObject({ kind: 'lead', pending })
  // The lost leader comes back late.
  if (first!.kind === 'lead') await kept.end('variant a', first!.id)
  expect((await kept.join('variant a')).kind).toBe('follow')
  const waiting = kept.wait('variant a', 60_000)
  if (second.kind === 'lead') await kept.end('variant a', second.id)
  expect(await waiting).toBe('ended')
  expect(await kept.join('variant a')).toEqual({ kind: 'lead', id: expect.any(String) })
})
