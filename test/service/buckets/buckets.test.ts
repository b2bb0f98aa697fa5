/** Tests of buckets of S3 and Azure, with doubles that check signatures: objects, keys, errors, retries and bounds. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { keyPath } from '../../../src/service/buckets/encode.ts'
import type { BucketError, ObjectStore } from '../../../src/service/buckets/object-store.ts'
import { openBucket } from '../../../src/service/buckets/open-bucket.ts'
import { bucketAddress } from '../../../src/service/buckets/settings.ts'
import type { Env } from '../../../src/service/env.ts'
import { openConnection } from '../../../src/service/tasks/open-connection.ts'
import { AzureDouble } from '../../support/azure-double.ts'
import type { BucketDouble } from '../../support/bucket-double.ts'
import { bucketSuite, HARD_KEYS, RARE_KEYS, readText, textStream, writeText } from '../../support/bucket-suite.ts'
import { S3Double } from '../../support/s3-double.ts'

const DOUBLES: readonly (readonly [string, () => S3Double | AzureDouble])[] = [
  ['S3', () => new S3Double()],
  ['S3 with the bucket in the host name', () => new S3Double({ pathStyle: false })],
  ['S3 below a path', () => new S3Double({ endpoint: 'http://127.0.0.1:9000/', region: 'auto' })],
  ['Azure', () => new AzureDouble()],
  ['Azure with a shared access signature', () => AzureDouble.withSas()],
  ['Azure below a path', () => new AzureDouble({ endpoint: 'http://127.0.0.1:10000/shop' })],
]
const BOTH = [DOUBLES[0]!, DOUBLES[3]!] as const

interface Opened {
  readonly double: S3Double | AzureDouble
  readonly store: ObjectStore
  readonly stop: AbortController
}

function open(make: () => S3Double | AzureDouble, pausesMs: readonly number[] = [0, 0, 0]): Opened {
  const double = make()
  const stop = new AbortController()
  return { double, stop, store: openBucket(double.settings, { send: double.fetch, signal: stop.signal, pausesMs }) }
}

const failure = (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    ({ trouble, status, code }: BucketError) => ({ trouble, status, code }),
  )

describe.each(DOUBLES)('%s', (_, make) => {
  bucketSuite(async () => open(make).store, [...HARD_KEYS, ...RARE_KEYS])
})

describe.each(BOTH)('%s', (name, make) => {
  const answerWith = (double: BucketDouble, ...answers: (() => Response | Promise<Response>)[]) => {
    double.trouble = () => answers.shift()?.()
  }

  it('keeps any key', async () => {
    const { store, double } = open(make)
    const segment = fc.constantFrom('.', '..', '', 'a', '%2e', '+', ' ', '%', '?', '#', '\\', '文', '📷', "'")
    const keys = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
      fc.array(segment, { minLength: 2 }).map((parts) => parts.join('/')),
    )
    await fc.assert(
      fc.asyncProperty(keys, async (key) => {
        fc.pre(key !== '.' && key !== '..')
        double.objects.clear()
        await writeText(store, key, 'x')
        expect([...double.objects.keys()]).toEqual([key])
        expect(await readText(store, key)).toBe('x')
      }),
      { numRuns: 60 },
    )
  })

  it.each(['', '.', '..', 'x'.repeat(1025), '文'.repeat(342), 'a\ud800'])('refuses the key %j before a request', async (key) => {
    const { store, double } = open(make)
    expect(await failure(store.read(key))).toMatchObject({ trouble: 'unusable_key' })
    expect(await failure(store.write(key, textStream('x'), 1, { contentType: 'text/plain' }))).toMatchObject({ trouble: 'unusable_key' })
    expect(double.requests).toEqual([])
  })

  it('names what is wrong with credentials and bucket, without a second try', async () => {
    const wrong = open(make)
    const { settings } = wrong.double
    const other =
      settings.type === 's3' ? { ...settings, secretAccessKey: 'other' } : { ...settings, credential: { accountKey: btoa('other') } }
    const access = { send: wrong.double.fetch, signal: wrong.stop.signal, pausesMs: [0] }
    expect(await failure(openBucket(other, access).list(''))).toMatchObject({ trouble: 'unauthorised', status: 403 })
    const elsewhere = settings.type === 's3' ? { ...settings, bucket: 'others' } : { ...settings, container: 'others' }
    for (const work of [
      (store: ObjectStore) => store.list(''),
      (store: ObjectStore) => store.read('a'),
      (store: ObjectStore) => store.remove('a'),
    ])
      expect(await failure(work(openBucket(elsewhere, access)))).toMatchObject({ trouble: 'missing_bucket', status: 404 })
    wrong.double.isAuthorised = false
    expect(await failure(wrong.store.write('a', textStream('x'), 1, { contentType: 'text/plain' }))).toMatchObject({
      trouble: 'unauthorised',
    })
    expect(wrong.double.requests).toHaveLength(5)
    expect(wrong.double.objects.size).toBe(0)
  })

  it('tries again while the server is busy, and gives up after the last pause', async () => {
    const { store, double } = open(make)
    await double.put('a', 'content')
    answerWith(
      double,
      () => new Response('', { status: 503 }),
      () => new Response('', { status: 429 }),
      () => Promise.reject(new TypeError('lost')),
    )
    expect(await readText(store, 'a')).toBe('content')
    expect(double.requests).toHaveLength(4)
    double.trouble = () => new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 })
    expect(await failure(store.list(''))).toEqual({ trouble: 'busy', status: 503, code: 'SlowDown' })
    expect(double.requests).toHaveLength(8)
    double.trouble = () => Promise.reject(new TypeError('refused'))
    expect(await failure(store.head('a'))).toEqual({ trouble: 'unreachable', status: undefined, code: undefined })
  })

  it('waits as long as a busy server demands, within a bound, and ends with its signal', async () => {
    vi.useFakeTimers()
    try {
      const { store, double, stop } = open(make)
      double.trouble = () => new Response('', { status: 503, headers: { 'Retry-After': '3600' } })
      const ended = failure(store.list(''))
      await vi.advanceTimersByTimeAsync(9_900)
      expect(double.requests).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(200)
      expect(double.requests).toHaveLength(2)
      stop.abort(Object.assign(new Error('removed'), { trouble: 'removed' }))
      expect(await ended).toMatchObject({ trouble: 'removed' })
      await vi.advanceTimersByTimeAsync(60_000)
      expect(double.requests).toHaveLength(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('gives up a server that never answers', async () => {
    vi.useFakeTimers()
    try {
      const { store, double } = open(make, [])
      double.trouble = (request) =>
        new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }))
      const ended = failure(store.read('a'))
      await vi.advanceTimersByTimeAsync(60_000)
      expect(await ended).toMatchObject({ trouble: 'unreachable' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('sends a body once, also when the server refuses it unread', async () => {
    const { store, double } = open(make)
    double.trouble = () => new Response('', { status: 503 })
    let cancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        cancelled = true
      },
    })
    expect(await failure(store.write('a', endless, 500_000_000, { contentType: 'text/plain' }))).toMatchObject({ trouble: 'busy' })
    expect([double.requests, cancelled]).toEqual([['PUT a'], true])
  })

  it.each([4, 6])('stores nothing if the body has %i bytes instead of 5', async (length) => {
    const { store, double } = open(make)
    await expect(store.write('a', textStream('x'.repeat(length)), 5, { contentType: 'text/plain' })).rejects.toThrow()
    expect(double.objects.size).toBe(0)
  })

  it('refuses an object with a content encoding, and follows no redirect', async () => {
    const { store, double } = open(make)
    await double.put('a', 'bytes', { 'content-encoding': 'br' })
    expect(await failure(store.read('a'))).toMatchObject({ trouble: 'encoded' })
    double.trouble = () => new Response(null, { status: 307, headers: { Location: 'http://169.254.169.254/' } })
    expect(await failure(store.read('a'))).toMatchObject({ trouble: 'refused', status: 307 })
  })

  it.each([
    [
      'all bytes instead of the rest',
      () =>
        new Response('0123456789', { headers: { etag: '"e"', 'content-length': '10', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' } }),
    ],
    ['another range', () => rest('bytes 3-9/10')],
    ['a shorter range', () => rest('bytes 4-8/10')],
    ['no range', () => rest('4-9')],
    ['another version', () => rest('bytes 4-9/10', '"f"')],
  ])('refuses %s', async (_case, answer) => {
    const { store, double } = open(make)
    double.trouble = answer
    const { trouble } = (await failure(store.read('a', { offset: 4, etag: 'e' }))) as BucketError
    expect(['malformed', 'changed']).toContain(trouble)
  })

  it.each([
    ['no size', { etag: '"e"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
    ['no entity tag', { 'content-length': '1', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
    ['no time', { 'content-length': '1', etag: '"e"' }],
    ['a strange entity tag', { 'content-length': '1', etag: 'a b', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
  ] as [string, Record<string, string>][])('refuses an object with %s', async (_case, headers) => {
    const { store, double } = open(make)
    double.trouble = () => new Response(null, { headers })
    expect(await failure(store.head('a'))).toMatchObject({ trouble: 'malformed' })
  })

  it('refuses lists that are no XML, too long, too deep, without end, or never end', async () => {
    const { store, double } = open(make)
    const contents =
      name === 'S3'
        ? '<Contents><Key>a</Key><Size>1</Size><ETag>e</ETag><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>'
        : '<Blob><Name>a</Name><Properties><Content-Length>1</Content-Length><Etag>e</Etag><Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified></Properties></Blob>'
    const list = (inside: string, next = '', truncated = 'false') =>
      name === 'S3'
        ? `<ListBucketResult><IsTruncated>${truncated}</IsTruncated>${next && `<NextContinuationToken>${next}</NextContinuationToken>`}${inside}</ListBucketResult>`
        : `<EnumerationResults><Blobs>${inside}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`
    double.trouble = () => new Response(list(contents))
    expect(await store.list('')).toEqual({ objects: [{ key: 'a', size: 1, etag: 'e', modified: Date.UTC(2026, 0, 1) }] })
    const bombs = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    for (const text of [
      ...['', '{}', '<html><body>Welcome</body></html>', list(contents).slice(0, -5), `${bombs}${list(contents.replace('>a<', '>&b;<'))}`],
      ...[
        list(contents.repeat(1001)),
        list('<a>'.repeat(20) + '</a>'.repeat(20)),
        list(contents.replace('>1<', '>-1<')),
        list(contents.replace('>1<', '>x<')),
      ],
      ...[list(contents.replace('>a<', '><')), `${list(contents)}${' '.repeat(4 * 1024 * 1024)}`],
    ]) {
      double.trouble = () => new Response(text)
      expect(await failure(store.list('')), text.slice(0, 200)).toMatchObject({ trouble: 'malformed' })
    }
    double.trouble = () => new Response(list(contents, 'same', 'true'))
    expect(await failure(store.list('', { cursor: 'same' }))).toMatchObject({ trouble: 'malformed' })
    expect(await store.list('', { cursor: 'before' })).toMatchObject({ next: 'same' })
  })

  it('stops reading a list that sends for ever', async () => {
    const { store, double } = open(make, [])
    let sent = 0
    double.trouble = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            sent += 65_536
            controller.enqueue(new Uint8Array(65_536).fill(32))
          },
        }),
      )
    expect(await failure(store.list(''))).toMatchObject({ trouble: 'malformed' })
    expect(sent).toBeLessThan(5 * 1024 * 1024)
  })
})

it('keeps segments of dots from URL parsers', () => {
  expect(keyPath('a/../b c')).toBe('a%2F..%2Fb%20c')
  expect(keyPath('a/b c/')).toBe('a/b%20c/')
})

it('opens only addresses that outgoing requests may use', async () => {
  const signal = new AbortController().signal
  const { settings } = new S3Double({ endpoint: 'http://127.0.0.1:9000' })
  const hosted = { ENVIRONMENT: 'production' } as Env
  for (const endpoint of [
    'http://s3.shop.com',
    'https://10.0.0.1',
    'http://127.0.0.1:9000',
    'https://minio.internal',
    'https://minio',
    'ftp://s3.shop.com',
  ])
    expect(() => openConnection(hosted, { ...settings, endpoint }, signal), endpoint).toThrow('unsafe_address')
  openConnection(hosted, { ...settings, endpoint: 'https://s3.shop.com' }, signal)
  openConnection({ ENVIRONMENT: 'local' } as Env, settings, signal)
  expect(bucketAddress({ ...settings, endpoint: 'https://s3.shop.com/', pathStyle: false })).toBe('https://photos.s3.shop.com')
  expect(() => openConnection(hosted, { ...settings, endpoint: 'https://', bucket: '10.0.0.1/x', pathStyle: false }, signal)).toThrow(
    'unsafe_address',
  )
})

function rest(contentRange: string, etag = '"e"'): Response {
  return new Response('456789', {
    status: 206,
    headers: { etag, 'content-range': contentRange, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' },
  })
}
