/** Downloads read the bucket in ranges, as their client reads. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { rangedStream } from '../../../src/service/store/ranged-stream.ts'
import { TransferTurns } from '../../../src/service/store/transfer-turns.ts'

const KEY = 'uploads/ranged'
const BYTES = crypto.getRandomValues(new Uint8Array(50_000))

/** The bucket, and the ranges that were read. */
function watched() {
  const ranges: [number, number][] = []
  const bucket = new Proxy(env.BLOBS, {
    get: (object, name) =>
      name === 'get'
        ? (key: string, options: { range: { offset: number; length: number } }) => {
            ranges.push([options.range.offset, options.range.length])
            return object.get(key, options)
          }
        : Reflect.get(object, name),
  })
  return { bucket, ranges }
}

it.each([
  [0, 50_000, 7_000],
  [123, 40_001, 10_000],
  [0, 50_000, 50_000],
  [49_999, 1, 10],
])('streams from byte %i %i bytes in ranges of %i', async (offset, length, rangeBytes) => {
  await env.BLOBS.put(KEY, BYTES)
  const { bucket, ranges } = watched()
  const stream = await rangedStream(bucket, KEY, { offset, length, rangeBytes })
  expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(BYTES.subarray(offset, offset + length))
  expect(ranges).toHaveLength(Math.ceil(length / rangeBytes))
  expect(ranges.reduce((sum, [, read]) => sum + read, 0)).toBe(length)
})

it('reads no further than its client (stalled-readers-fill-memory)', async () => {
  await env.BLOBS.put(KEY, BYTES)
  const { bucket, ranges } = watched()
  const stream = await rangedStream(bucket, KEY, { offset: 0, length: 50_000, rangeBytes: 1000 })
  await scheduler.wait(100)
  expect(ranges).toHaveLength(1)
  const reader = stream!.getReader({ mode: 'byob' })
  await reader.readAtLeast(2500, new Uint8Array(2500))
  await scheduler.wait(100)
  expect(ranges).toHaveLength(3)
  await reader.cancel()
  await scheduler.wait(100)
  expect(ranges).toHaveLength(3)
})

it('breaks off if the object is deleted meanwhile, and returns nothing if it does not exist', async () => {
  await env.BLOBS.put(KEY, BYTES)
  const { bucket } = watched()
  const stream = await rangedStream(bucket, KEY, { offset: 0, length: 50_000, rangeBytes: 1000 })
  await env.BLOBS.delete(KEY)
  await expect(new Response(stream).arrayBuffer()).rejects.toThrow(/deleted while it was read/)
  expect(await rangedStream(bucket, KEY, { offset: 0, length: 1 })).toBeUndefined()
})

it('transfers ranges of an account one at a time, and beside those of others (slow-links)', async () => {
  const turns = new TransferTurns()
  const running = new Set<string>()
  const seen: string[] = []
  const transfer = (accountId: string, name: string, ms: number) =>
    turns.run(accountId, async () => {
      running.add(name)
      seen.push([...running].sort().join('+'))
      await scheduler.wait(ms)
      running.delete(name)
    })
  await Promise.all([transfer('x', 'x1', 20), transfer('x', 'x2', 20), transfer('x', 'x3', 5), transfer('y', 'y1', 5)])
  expect(seen).toEqual(['x1', 'x1+y1', 'x2', 'x3'])
})

it('does not let a slow client stop the other downloads of its account', async () => {
  const turns = new TransferTurns()
  const slow = Promise.withResolvers<void>()
  const first = turns.run('x', () => slow.promise)
  await turns.run('x', async () => undefined)
  await expect(turns.run('x', async () => Promise.reject(new Error('the client left')))).rejects.toThrow('the client left')
  await turns.run('x', async () => undefined)
  slow.resolve()
  await first
})

it('streams in turn', async () => {
  await env.BLOBS.put(KEY, BYTES)
  const turns = new TransferTurns()
  const inTurn = (transfer: () => Promise<void>) => turns.run('x', transfer)
  const streams = await Promise.all(
    [0, 1, 2].map((offset) => rangedStream(env.BLOBS, KEY, { offset, length: 40_000, rangeBytes: 7000, inTurn })),
  )
  const read = await Promise.all(streams.map(async (stream) => new Uint8Array(await new Response(stream).arrayBuffer())))
  for (const [offset, bytes] of read.entries()) expect(bytes).toEqual(BYTES.subarray(offset, offset + 40_000))
})
