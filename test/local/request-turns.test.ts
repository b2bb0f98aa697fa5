/** Turns of requests by account, and the accounts that the proxy knows. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { type OwnedRequest, RequestOwners } from '../../src/local/request-owners.ts'
import { RequestTurns } from '../../src/local/request-turns.ts'

const STAYS = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Takes turns, and records which have begun. */
class Recorder {
  readonly begun: string[] = []
  readonly ends = new Map<string, () => void>()
  readonly #turns: RequestTurns

  constructor(turns: RequestTurns) {
    this.#turns = turns
  }

  async take(owner: string, label: string, left = STAYS): Promise<void> {
    void this.#turns.take(owner, left).then(
      (end) => {
        this.begun.push(label)
        this.ends.set(label, end)
      },
      () => undefined,
    )
    await settled()
  }

  async end(label: string): Promise<void> {
    this.ends.get(label)!()
    await settled()
  }
}

it('lets few requests of an account begin at once, fewer beside others, and accounts take turns (burst-of-uploads)', async () => {
  const recorder = new Recorder(new RequestTurns({ alone: 2, shared: 1, all: 3 }))
  for (const label of ['x1', 'x2', 'x3', 'x4']) await recorder.take('x', label)
  await recorder.take('y', 'y1')
  await recorder.take('y', 'y2')
  expect(recorder.begun).toEqual(['x1', 'x2', 'y1'])
  await recorder.end('x1')
  await recorder.end('x1')
  expect(recorder.begun.slice(3), 'x has its one beside others').toEqual([])
  await recorder.end('y1')
  expect(recorder.begun.slice(3)).toEqual(['y2'])
  await recorder.end('x2')
  expect(recorder.begun.slice(4)).toEqual(['x3'])
})

it('does not count a request that waits for its response for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const recorder = new Recorder(new RequestTurns({ alone: 1, beginningMs: 1000 }))
  await recorder.take('x', 'x1')
  await recorder.take('x', 'x2')
  vi.advanceTimersByTime(999)
  await settled()
  expect(recorder.begun).toEqual(['x1'])
  vi.advanceTimersByTime(1)
  await settled()
  expect(recorder.begun).toEqual(['x1', 'x2'])
})

it('counts a request for longer where requests usually take long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const recorder = new Recorder(new RequestTurns({ alone: 1, beginningMs: 1000 }))
  for (let i = 0; i < 60; i++) {
    await recorder.take('x', `usual${i}`)
    vi.advanceTimersByTime(900)
    await recorder.end(`usual${i}`)
  }
  await recorder.take('x', 'x1')
  await recorder.take('x', 'x2')
  vi.advanceTimersByTime(3000)
  await settled()
  expect(recorder.begun.slice(60)).toEqual(['x1'])
  vi.advanceTimersByTime(1000)
  await settled()
  expect(recorder.begun.slice(60)).toEqual(['x1', 'x2'])
})

it('forgets a client that leaves while it waits', async () => {
  const recorder = new Recorder(new RequestTurns({ alone: 1 }))
  const client = new AbortController()
  await recorder.take('x', 'x1')
  await recorder.take('x', 'x2', client.signal)
  await recorder.take('x', 'x3')
  client.abort()
  await recorder.end('x1')
  expect(recorder.begun).toEqual(['x1', 'x3'])
})

const asks = (key: string, path = '/v1/tasks'): OwnedRequest => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${key}` },
  address: '127.0.0.1',
})

it('counts keys that no response has named as one account', () => {
  const owners = new RequestOwners()
  expect([owners.ownerOf(asks('a')), owners.ownerOf(asks('b'))]).toEqual(['', ''])
  owners.note(asks('a'), 'acc_1')
  expect([owners.ownerOf(asks('a')), owners.ownerOf(asks('b'))]).toEqual(['acc_1', ''])
  expect(owners.ownerOf({ ...asks('a'), headers: {} }), 'no credentials').toBeUndefined()
  expect(owners.ownerOf({ ...asks('a'), headers: { cookie: 'a=b; whittle_session=s' } })).toBe('')
})

it('does not count a download of a link that does not work, nor HEAD, nor other paths', async () => {
  const owners = new RequestOwners()
  const names = (request: OwnedRequest, account?: string) => owners.downloadOf(request, async () => account)
  expect(await names(asks('a', '/d/invented'))).toBeUndefined()
  expect(await names(asks('a', '/d/token'), 'acc_1')).toEqual({ owner: 'acc_1', key: 'link token' })
  expect(await names({ ...asks('a', '/d/token'), method: 'HEAD' }, 'acc_1')).toBeUndefined()
  expect(await names(asks('a'), 'acc_1')).toBeUndefined()
  expect(await names({ ...asks('a', '/v1/batches/b/download?only=x'), address: '203.0.113.7' })).toEqual({
    owner: '',
    key: 'a',
    address: '203.0.113.7',
  })
})

it('remembers a bounded number of keys, and forgets the oldest', () => {
  const owners = new RequestOwners()
  for (let i = 0; i <= 10_000; i++) owners.note(asks(`key${i}`), 'acc_1')
  expect([owners.ownerOf(asks('key0')), owners.ownerOf(asks('key1'))]).toEqual(['', 'acc_1'])
})
