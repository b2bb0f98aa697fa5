/** Tests of the platform's cache in front of pictures. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MemoryCache, platformCache } from '../../../src/service/http/picture-cache.ts'

it('keeps an answer for a minute, by a name that holds all that it depends on', async () => {
  const cache = platformCache(await caches.open('pictures'))
  const headers = { 'Content-Type': 'image/webp', ETag: '"one"', Vary: 'Accept', 'Cache-Control': 'public, max-age=3600' }
  await cache.put('acc_1 0 key Accept', new Response('picture', { headers }))
  const found = await cache.match('acc_1 0 key Accept')
  expect(await found?.text()).toBe('picture')
  expect(found?.headers.get('ETag')).toBe('"one"')
  expect(found?.headers.get('Cache-Control')).toBe('public, max-age=60')
  expect(found?.headers.has('Vary')).toBe(false)
  for (const other of ['acc_1 0 key', 'acc_2 0 key Accept', 'acc_1 1 key Accept', 'acc_1 0 key/../Accept'])
    expect(await cache.match(other)).toBeUndefined()
})

describe('the cache of one machine', () => {
  afterEach(() => void vi.useRealTimers())

  const picture = (bytes: number) =>
    new Response(new Uint8Array(bytes), { headers: { 'Content-Length': String(bytes), ETag: `"${bytes}"` } })
  const sizeOf = async (cache: MemoryCache, name: string) => (await (await cache.match(name))?.arrayBuffer())?.byteLength

  it('keeps an answer for a minute', async () => {
    const cache = new MemoryCache(1000)
    await cache.put('a', picture(100))
    expect((await cache.match('a'))?.headers.get('ETag')).toBe('"100"')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expect(await sizeOf(cache, 'a')).toBeUndefined()
  })

  it('forgets the least recently used when it is full, and takes nothing large', async () => {
    const cache = new MemoryCache(800)
    for (let i = 0; i < 8; i++) await cache.put(`${i}`, picture(100))
    expect(await sizeOf(cache, '0')).toBe(100)
    await cache.put('large', picture(101))
    await cache.put('8', picture(100))
    expect(await sizeOf(cache, 'large')).toBeUndefined()
    expect(await sizeOf(cache, '1')).toBeUndefined()
    for (const name of ['0', '2', '8']) expect(await sizeOf(cache, name), name).toBe(100)
    await cache.put('8', picture(50))
    await cache.put('9', picture(50))
    expect(await sizeOf(cache, '2')).toBe(100)
    cache.clear()
    expect(await sizeOf(cache, '0')).toBeUndefined()
  })

  it('does not keep an answer of unknown length', async () => {
    const cache = new MemoryCache(800)
    await cache.put('a', new Response('picture', { headers: { 'Content-Length': 'x' } }))
    expect(await cache.match('a')).toBeUndefined()
  })
})
