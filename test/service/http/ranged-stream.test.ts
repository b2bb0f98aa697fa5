/** Downloads read the bucket in ranges, as their client reads. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { rangedStream } from '../../../src/service/store/ranged-stream.ts'

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
