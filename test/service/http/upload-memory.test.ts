/** Tests of the memory limit for request bodies, and of refusals before memory is used. */
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { withUploadMemory } from '../../../src/service/http/upload-memory.ts'
import { call, errorOf, form, member, TEXT } from './client.ts'
import { operations } from './operations.ts'

const MB = 1024 * 1024

describe('the memory for request bodies', () => {
  it('queues large bodies and then refuses them with a retry time; small bodies pass', async () => {
    vi.useFakeTimers()
    try {
      const held: (() => void)[] = []
      let inside = 0
      const large = () =>
        withUploadMemory(undefined, () => {
          inside++
          return new Promise<void>((leave) => held.push(leave))
        })
      const all = Array.from({ length: 9 }, large)
      const ends = Promise.allSettled(all)
      await vi.advanceTimersByTimeAsync(1)
      // Six times a part and its parse buffers are 36 MB.
      expect(inside).toBe(6)
      expect(await withUploadMemory(100_000, async () => 'through')).toBe('through')
      held[0]!()
      await vi.advanceTimersByTimeAsync(250)
      expect(inside).toBe(7)
      await vi.advanceTimersByTimeAsync(20_000)
      expect(inside).toBe(7)
      for (const leave of held) leave()
      const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
      expect(refused).toHaveLength(2)
      expect(refused[0]).toMatchObject({ type: 'overloaded', status: 503, headers: { 'Retry-After': '5' } })
      // Released memory can be used once by others.
      const again = Array.from({ length: 7 }, large)
      await vi.advanceTimersByTimeAsync(1)
      expect(inside).toBe(13)
      for (const leave of held) leave()
      await vi.advanceTimersByTimeAsync(250)
      for (const leave of held) leave()
      await Promise.all(again)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('bytes of an unknown format', () => {
  const noise = () => {
    const bytes = new Uint8Array(12 * MB)
    for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536))
    bytes[0] = 0
    return bytes
  }

  it('are refused by their first bytes, and nothing is stored', async () => {
    const who = await member()
    const before = operations.writes
    const single = await call(who, '/v1/compress', { method: 'POST', body: form({}, [['file', noise(), 'noise.bin']]) })
    expect((await errorOf(single)).error_detail.type).toBe('unsupported_format')
    expect(operations.writes - before).toBe(0)
    const batch = form({}, [
      ['files[]', noise(), 'noise.bin'],
      ['files[]', TEXT, 'a.txt'],
    ])
    const answer = await call(who, '/v1/batch/compress', { method: 'POST', body: batch })
    const { tasks } = (await answer.json()) as { tasks: { original_size: number; error_detail?: { type: string } }[] }
    expect(tasks.map((task) => [task.original_size, task.error_detail?.type])).toEqual([
      [12 * MB, 'unsupported_format'],
      [TEXT.length, undefined],
    ])
  })
})

it('a batch reserves storage once and releases it', async () => {
  const files = Array.from({ length: 9 }, (_, number): [string, string, string] => ['files[]', `${number} ${TEXT}`, `${number}.txt`])
  const size = 9 * (TEXT.length + 2)
  const full = await member({}, size - 1)
  const refused = await call(full, '/v1/batch/compress', { method: 'POST', body: form({}, files) })
  expect((await errorOf(refused)).error_detail).toMatchObject({ type: 'storage_quota_exceeded', used_bytes: 0 })
  const who = await member({}, size)
  const answer = await call(who, '/v1/batch/compress', { method: 'POST', body: form({}, files) })
  const { tasks } = (await answer.json()) as { tasks: { file_name: string }[] }
  expect(tasks.map((task) => task.file_name)).toEqual(files.map(([, , name]) => name))
  for (const { task_id } of tasks as unknown as { task_id: string }[]) {
    expect((await call(who, `/v1/tasks/${task_id}`, { method: 'DELETE' })).status).toBe(200)
  }
  expect((await call(who, '/v1/compress', { method: 'POST', body: form({}, [['file', 'x'.repeat(size), 'a.txt']]) })).status).toBe(200)
})

it('a batch is staged six files at a time', async () => {
  const bucket = Object.getPrototypeOf(env.BLOBS) as R2Bucket
  const { put } = bucket
  const sixCame = Promise.withResolvers<void>()
  let [inside, most] = [0, 0]
  const spy = vi.spyOn(bucket, 'put').mockImplementation(async function (this: R2Bucket, ...args: Parameters<R2Bucket['put']>) {
    most = Math.max(most, ++inside)
    if (inside === 6) sixCame.resolve()
    // Each upload waits for the others, or until no other can come.
    await Promise.race([sixCame.promise, scheduler.wait(2000)])
    await scheduler.wait(20)
    inside--
    return Reflect.apply(put, this, args)
  } as never)
  try {
    const files = Array.from({ length: 13 }, (_, number): [string, string, string] => ['files[]', `${number} ${TEXT}`, `${number}.txt`])
    const answer = await call(await member(), '/v1/batch/compress', { method: 'POST', body: form({}, files) })
    expect(answer.status).toBe(200)
    expect(most).toBe(6)
  } finally {
    spy.mockRestore()
  }
})
