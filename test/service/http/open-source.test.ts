/** Tests of how the service opens the address of a source: redirects, refusals, and what it sends. */
import { expect, it } from 'vitest'
import type { ApiError } from '../../../src/service/tasks/api-error.ts'
import { openSource } from '../../../src/service/tasks/open-source.ts'

const START = 'https://files.shop.com/start.txt'

/** Opens `from` against answers by address, and returns the address that answered or the error, with the requests that were sent. */
async function open(answers: Readonly<Record<string, Response>>, from = START, loopbackHttp = false) {
  const asked: { url: string; init: RequestInit }[] = []
  const send = async (url: string, init: RequestInit) => {
    asked.push({ url, init })
    const answer = answers[url]
    if (!answer) throw new TypeError('connection refused')
    return answer
  }
  const found = await openSource(from, { send, rules: { loopbackHttp }, signal: new AbortController().signal }).then(
    ({ url }) => url,
    (error: ApiError) => ({ type: error.type, ...error.facts }),
  )
  return { found, asked: asked.map(({ url }) => url), sent: asked[0]!.init }
}

const to = (location: string, status = 302) => new Response(null, { status, headers: { Location: location } })
const text = (headers: Record<string, string> = {}) => new Response('text', { headers })
const trouble = (reason: string, status: number | null) => ({ type: 'source_unreachable', reason, status })

it('follows three redirects, absolute and relative, and no fourth', async () => {
  const three = {
    [START]: to('/b', 301),
    'https://files.shop.com/b': to('https://cdn.shop.com/c', 307),
    'https://cdn.shop.com/c': to('d?e', 308),
  }
  expect((await open({ ...three, 'https://cdn.shop.com/d?e': text() })).found).toBe('https://cdn.shop.com/d?e')
  const { found, asked } = await open({ ...three, 'https://cdn.shop.com/d?e': to('/last'), 'https://cdn.shop.com/last': text() })
  expect(found).toEqual(trouble('too_many_redirects', 302))
  expect(asked).toHaveLength(4)
})

it.each([
  ...[
    'http://files.shop.com/',
    'https://10.0.0.1/',
    'http://0x0a000001/',
    'https://[::ffff:10.0.0.1]/',
    'https://metadata.google.internal/',
  ],
  ...[
    'file:///etc/passwd',
    'https://user:pass@files.shop.com/',
    'https://files.shop.com:22/',
    'https://',
    '',
    '//intranet/x',
    'http://127.0.0.1/',
  ],
])('refuses a redirect to %j before it connects', async (location) => {
  const { found, asked } = await open({ [START]: to(location) })
  expect(found).toEqual(trouble('unsafe_redirect', 302))
  expect(asked).toEqual([START])
})

it('lets only a source on this machine redirect to this machine', async () => {
  const local = 'http://127.0.0.1:9000/a'
  const answers = { [START]: to(local), [local]: to('/b'), 'http://127.0.0.1:9000/b': text() }
  expect((await open(answers, START, true)).found).toEqual(trouble('unsafe_redirect', 302))
  expect((await open(answers, local, true)).found).toBe('http://127.0.0.1:9000/b')
})

it.each([204, 206, 304, 400, 403, 404, 410, 429, 500, 503])('reports the status %d', async (status) => {
  const body = status === 204 || status === 304 ? null : 'no'
  expect((await open({ [START]: new Response(body, { status }) })).found).toEqual(trouble('http_status', status))
})

it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, identity'])('refuses the Content-Encoding %s without expanding it', async (encoding) => {
  expect((await open({ [START]: text({ 'Content-Encoding': encoding }) })).found).toEqual(trouble('content_encoding', 200))
})

it('reports a server that cannot be reached', async () => {
  expect((await open({})).found).toEqual(trouble('no_connection', null))
})

it('asks for the plain file, without credentials', async () => {
  const { found, sent } = await open({ [START]: text({ 'Content-Encoding': 'identity' }) })
  expect(found).toBe(START)
  expect(sent).toMatchObject({ method: 'GET', redirect: 'manual' })
  expect(sent.headers).toEqual({ accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Whittle-Fetch/1.0' })
})
