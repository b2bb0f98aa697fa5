/** Tests of the memory limit for request bodies, and of refusals before memory is used. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type UploadPlace, withUploadMemory } from '../../../src/service/tasks/upload-memory.ts'
import { call, errorOf, form, member, TEXT } from './client.ts'
import { operations } from './operations.ts'
import { Tus } from './tus.ts'

const MB = 1024 * 1024

describe('the memory for request bodies', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Uploads that hold their place until `leave` is called, by account. */
  function holder() {
    const inside: string[] = []
    const leaves = new Map<string, (() => void)[]>()
    const hold = (accountId: string, bytes?: number, watched: (place: UploadPlace) => void = () => {}) =>
      withUploadMemory({ accountId, bytes }, (place) => {
        inside.push(accountId)
        watched(place)
        const { promise, resolve } = Promise.withResolvers<void>()
        leaves.set(accountId, [...(leaves.get(accountId) ?? []), resolve])
        return promise
      })
    const leave = (accountId: string) => leaves.get(accountId)!.shift()!()
    const leaveAll = () => {
      for (const end of [...leaves.values()].flat()) end()
    }
    return { inside, hold, leave, leaveAll }
  }

  it('queues large bodies and then refuses them with a retry time; small bodies pass', async () => {
    const { inside, hold, leave, leaveAll } = holder()
    const all = Array.from({ length: 9 }, (_, number) => hold(`acc_${number}`))
    const ends = Promise.allSettled(all)
    await vi.advanceTimersByTimeAsync(1)
    // Six times a part and its parse buffers are 36 MB.
    expect(inside).toHaveLength(6)
    expect(await withUploadMemory({ accountId: 'acc_0', bytes: 100_000 }, async () => 'through')).toBe('through')
    expect(await withUploadMemory({ accountId: 'acc_0', bytes: 1_000_000 }, async () => 'through')).toBe('through')
    leave('acc_0')
    await vi.advanceTimersByTimeAsync(250)
    expect(inside).toHaveLength(7)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(inside).toHaveLength(7)
    leaveAll()
    const refused = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
    expect(refused).toHaveLength(2)
    expect(refused[0]).toMatchObject({ type: 'overloaded', status: 503, headers: { 'Retry-After': '5' } })
  })

  it('keeps two large places for other accounts, and lets an account with fewer places go first (slow-uploads-refuse-everybody)', async () => {
    const { inside, hold, leave, leaveAll } = holder()
    const ends = Promise.allSettled([...Array.from({ length: 8 }, () => hold('greedy')), hold('b'), hold('c'), hold('d')])
    await vi.advanceTimersByTimeAsync(300)
    expect(inside).toEqual(['greedy', 'greedy', 'greedy', 'greedy', 'b', 'c'])
    leave('greedy')
    await vi.advanceTimersByTimeAsync(300)
    expect(inside.slice(6)).toEqual(['d'])
    leave('b')
    await vi.advanceTimersByTimeAsync(300)
    leave('c')
    await vi.advanceTimersByTimeAsync(300)
    expect(inside.slice(7), 'a fourth place would leave one for others').toEqual([])
    leave('d')
    await vi.advanceTimersByTimeAsync(300)
    expect(inside.slice(7)).toEqual(['greedy'])
    for (let left = 5; left > 0; left--) {
      leaveAll()
      await vi.advanceTimersByTimeAsync(300)
    }
    await vi.advanceTimersByTimeAsync(20_000)
    leaveAll()
    await ends
  })

  it('takes a place from a sender below 256 KB/s, but only while another account waits (slow-uploads-refuse-everybody)', async () => {
    const { inside, hold, leaveAll } = holder()
    const slow: UploadPlace[] = []
    const receiving = (place: UploadPlace) => {
      slow.push(place)
      return place.watch({ pull: () => new Promise(() => {}), close: async () => {} }).pull()
    }
    const reads: Promise<unknown>[] = []
    const watched = (place: UploadPlace) => void reads.push(receiving(place).catch((error: unknown) => error))
    const storing = hold('storing')
    for (const accountId of ['a', 'a', 'b', 'b']) void hold(accountId, undefined, watched)
    const steady: UploadPlace[] = []
    void hold('steady', undefined, (place) => {
      steady.push(place)
      watched(place)
    })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(inside).toHaveLength(6)
    const neighbour = hold('neighbour')
    let evicted = 0
    for (const read of reads) void read.then(() => evicted++)
    for (let ms = 0; ms < 5000; ms += 250) {
      steady[0]!.receivedBytes += 70_000
      await vi.advanceTimersByTimeAsync(250)
    }
    expect(evicted).toBe(4)
    expect(await reads[0]).toMatchObject({ type: 'overloaded', apiMessage: { code: 'upload_too_slow' } })
    leaveAll()
    await vi.advanceTimersByTimeAsync(300)
    expect(inside).toContain('neighbour')
    leaveAll()
    await Promise.all([neighbour, storing])
  })
})

it('a resumable upload that loses its place keeps the bytes that arrived, and continues', async () => {
  const tus = new Tus(await member())
  const bytes = new Uint8Array(3 * MB).fill(97)
  const id = await tus.begun(bytes.length)
  const end = Promise.withResolvers<void>()
  const others = Array.from({ length: 5 }, (_, at) => withUploadMemory({ accountId: `acc_${at}`, bytes: undefined }, () => end.promise))
  let sent = false
  const stalling = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent) return new Promise(() => {})
      sent = true
      controller.enqueue(bytes.subarray(0, MB))
    },
  })
  const answer = tus.patch(id, 0, stalling)
  await scheduler.wait(500)
  const neighbour = withUploadMemory({ accountId: 'acc_neighbour', bytes: undefined }, async () => 'through')
  expect((await errorOf(await answer)).error_detail.type).toBe('overloaded')
  expect(await neighbour).toBe('through')
  end.resolve()
  await Promise.all(others)
  expect(await tus.offset(id)).toBe(MB)
  expect((await tus.patch(id, MB, bytes.subarray(MB))).status).toBe(204)
})

describe('bytes of an unknown format', () => {
  const noise = () => {
    const bytes = new Uint8Array(12 * MB)
    for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536))
    bytes[0] = 0
    return bytes
  }

  it('are refused by their first bytes if they cannot be packed, and nothing is stored', async () => {
    const who = await member()
    const before = operations.writes
    const single = await call(who, '/v1/compress', { method: 'POST', body: form({ format: 'png' }, [['file', noise(), 'noise.bin']]) })
    expect((await errorOf(single)).error_detail.type).toBe('unsupported_format')
    expect(operations.writes - before).toBe(0)
    const batch = form({ format: 'jpg' }, [
      ['files[]', noise(), 'noise.bin'],
      ['files[]', TEXT, 'a.txt'],
    ])
    const answer = await call(who, '/v1/batch/compress', { method: 'POST', body: batch })
    const { tasks } = (await answer.json()) as { tasks: { original_size: number; error_detail?: { type: string } }[] }
    expect(tasks.map((task) => [task.original_size, task.error_detail?.type])).toEqual([
      [12 * MB, 'unsupported_format'],
      [TEXT.length, 'unsupported_output'],
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
