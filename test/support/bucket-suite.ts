/** What every bucket must do, for the doubles and for real servers. */
import { expect, it } from 'vitest'
import type { ObjectStore } from '../../src/service/buckets/object-store.ts'
import { utf8 } from './bucket-double.ts'

/** Keys that servers, proxies or URL parsers could change. */
export const HARD_KEYS = [
  'plain.txt',
  'with spaces/and more.txt',
  'a+b&c=d?e#f.txt',
  '100%25/%2e%2e/%.txt',
  'quotes\'"(!*)~@:,;$[]{}|^`<>.txt',
  'Ä ß 文件 ファイル.txt',
  '📷🏳️‍🌈.jpg',
  'a//b///c',
  'trailing/',
  'sl%2Fash',
  'x'.repeat(1024),
  '文'.repeat(341),
]
/** Keys that some servers refuse: with segments of dots, a slash at the beginning, a backslash, control characters. */
export const RARE_KEYS = ['../up.txt', 'a/../b', 'a/./b', 'a/..', './a', '/leading', '//two', 'back\\slash', 'tab\tline\nend']

export const streamOf = (bytes: Uint8Array<ArrayBuffer>) => new Response(bytes).body!
export const textStream = (text: string) => streamOf(utf8(text))
const HEADERS = { contentType: 'text/plain' }

/** Writes a text as an object. */
export const writeText = (store: ObjectStore, key: string, text: string) => store.write(key, textStream(text), utf8(text).length, HEADERS)

/** Reads an object as text. */
export const readText = async (store: ObjectStore, key: string) => new Response((await store.read(key)).body).text()

/** Adds the tests. `open` returns an empty bucket. */
export function bucketSuite(open: () => Promise<ObjectStore>, keys: readonly string[]): void {
  it('stores, describes, reads and deletes an object', async () => {
    const store = await open()
    const { etag } = await store.write('a/b.txt', textStream('hello'), 5, {
      ...HEADERS,
      contentDisposition: 'attachment; filename="b.txt"',
    })
    const facts = await store.head('a/b.txt')
    expect(facts).toMatchObject({ size: 5, etag })
    expect(Math.abs(facts!.modified - Date.now())).toBeLessThan(3_600_000)
    const { body, ...read } = await store.read('a/b.txt')
    expect([await new Response(body).text(), read]).toEqual(['hello', { ...facts, contentType: HEADERS.contentType }])
    await store.remove('a/b.txt')
    expect(await store.head('a/b.txt')).toBeUndefined()
    await expect(store.read('a/b.txt')).rejects.toMatchObject({ trouble: 'missing_object', status: 404 })
    await store.remove('a/b.txt')
  })

  it('stores an object without bytes, and replaces one', async () => {
    const store = await open()
    const first = await store.write('empty', textStream(''), 0, HEADERS)
    expect(await store.head('empty')).toMatchObject({ size: 0, etag: first.etag })
    expect(await readText(store, 'empty')).toBe('')
    const second = await writeText(store, 'empty', 'no longer')
    expect(second.etag).not.toBe(first.etag)
    expect(await readText(store, 'empty')).toBe('no longer')
  })

  it('reads the rest of an object, unless it has changed', async () => {
    const store = await open()
    const { etag } = await writeText(store, 'rest', '0123456789')
    const { body, size } = await store.read('rest', { offset: 4, etag })
    expect([await new Response(body).text(), size]).toEqual(['456789', 10])
    await writeText(store, 'rest', 'abcdefghij')
    await expect(store.read('rest', { offset: 4, etag })).rejects.toMatchObject({ trouble: 'changed' })
  })

  it('keeps every key as it is, when it stores, lists and reads', async () => {
    const store = await open()
    for (const key of keys) await writeText(store, key, key)
    const { objects, next } = await store.list('')
    expect(objects.map(({ key }) => key).sort()).toEqual([...keys].sort())
    expect(next).toBeUndefined()
    for (const { key, size, etag } of objects) {
      expect(await readText(store, key), key).toBe(key)
      expect(await store.head(key), key).toMatchObject({ size, etag })
      await store.remove(key)
    }
    expect((await store.list('')).objects).toEqual([])
  })

  it('lists page by page, each object once and only those with the prefix', async () => {
    const store = await open()
    for (const key of ['a/1', 'a/2', 'a/3 +%', 'a/ä', 'b/1']) await writeText(store, key, key)
    const found: string[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 10; pages++) {
      const page = await store.list('a/', { limit: 1, cursor })
      expect(page.objects.length).toBeLessThanOrEqual(1)
      found.push(...page.objects.map(({ key }) => key))
      cursor = page.next
      if (cursor === undefined) break
    }
    expect(found).toEqual(['a/1', 'a/2', 'a/3 +%', 'a/ä'])
    expect((await store.list('c/')).objects).toEqual([])
  })
}
