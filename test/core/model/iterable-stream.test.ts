/** Iteration of streams where the platform has none, as in Safari. */
import { expect, it } from 'vitest'
import { chunksOf, iterable } from '../../../src/core/model/iterable-stream.ts'

/** Stream of numbers from 0 without asynchronous iteration. */
function safariStream(count: number) {
  const canceled: unknown[] = []
  let next = 0
  const stream = new ReadableStream<number>({
    pull(controller) {
      if (next === count) controller.close()
      else controller.enqueue(next++)
    },
    cancel: (reason) => void canceled.push(reason),
  })
  Object.setPrototypeOf(stream, safariPrototype)
  return { stream, canceled }
}

const { getReader, locked } = Object.getOwnPropertyDescriptors(ReadableStream.prototype)
const safariPrototype = Object.create(null, { getReader, locked } as PropertyDescriptorMap)

async function collected(chunks: AsyncIterable<number>): Promise<number[]> {
  const found: number[] = []
  for await (const chunk of chunks) found.push(chunk)
  return found
}

it('iterates a stream that has no iterator', async () => {
  const { stream } = safariStream(4)
  expect(Symbol.asyncIterator in stream).toBe(false)
  expect(await collected(iterable(stream))).toEqual([0, 1, 2, 3])
  expect(stream.locked).toBe(false)
})

it('leaves other streams as they are', () => {
  const stream = new ReadableStream<number>()
  expect(Object.getOwnPropertySymbols(iterable(stream))).not.toContain(Symbol.asyncIterator)
})

it('cancels the stream when the loop ends early', async () => {
  const { stream, canceled } = safariStream(4)
  for await (const chunk of iterable(stream)) if (chunk === 1) break
  expect(canceled).toHaveLength(1)
  expect(stream.locked).toBe(false)
})

it('passes an error on', async () => {
  const stream = new ReadableStream<number>({ pull: (controller) => controller.error(new Error('the disk is gone')) })
  await expect(collected(chunksOf(stream))).rejects.toThrow('the disk is gone')
  expect(stream.locked).toBe(false)
})
