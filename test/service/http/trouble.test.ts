/** Tests of tasks during platform failures: reset objects, failing bucket reads, a press without free memory. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { MP4 } from '../../../src/core/catalog/formats/film.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { malformed } from '../../../src/core/model/error.ts'
import { lossOf } from '../../../src/core/model/loss.ts'
import type { Env } from '../../../src/service/env.ts'
import { MemorySemaphore } from '../../../src/service/tasks/memory-semaphore.ts'
import { run } from '../../../src/service/tasks/run.ts'
import { runAndWait } from '../../../src/service/tasks/submit.ts'
import { started } from './started-task.ts'

// The codecs of this file write results that are no films, so no reader can read them.
vi.mock('../../../src/core/inventory/readers.ts', () => ({ readerOf: async () => undefined, readerOfOriginal: async () => undefined }))

const UPLOAD_BYTES = 300_000
const step = (taskId: string) => ({ taskId, generation: null, step: 'whole' as const, bytes: UPLOAD_BYTES })

/** Codec that reads the file and writes little. `meanwhile` runs between the two. */
function reading(meanwhile: () => Promise<unknown> = async () => undefined): Codec {
  return {
    format: MP4,
    async compress(source, sink) {
      for await (const _ of source.stream()) await meanwhile()
      await source.read(0, 100)
      await sink.write(new Uint8Array(100))
      return { kind: 'compressed', ...lossOf(undefined), steps: [] }
    },
    verify: async () => ({ equal: true }),
  }
}

/** Bucket whose reads fail if `fails` returns true. */
function failing(fails: () => boolean): R2Bucket {
  return new Proxy(env.BLOBS, {
    get(bucket, name) {
      const method = Reflect.get(bucket, name) as (...args: unknown[]) => Promise<unknown>
      return (...args: unknown[]) => {
        if (name === 'get' && fails()) return Promise.reject(new Error('get: We encountered an internal error. Please try again. (10001)'))
        return Reflect.apply(method, bucket, args)
      }
    },
  })
}

describe('a step', () => {
  it('completes even if its Durable Object was reset while the codec ran', async () => {
    const { taskId } = await started({ originalSize: UPLOAD_BYTES })
    const reset = () =>
      runInDurableObject(env.TASKS.getByName(taskId) as unknown as DurableObjectStub, (_, ctx) => {
        ctx.abort('a deployment')
      }).catch(() => undefined)
    await run(env, { mp4: reading(reset) }, step(taskId))
    expect(await env.TASKS.getByName(taskId).read()).toMatchObject({ status: 'completed', result: { size: 100 } })
  })

  it('retries failed reads of the bucket', async () => {
    const { taskId } = await started({ originalSize: UPLOAD_BYTES })
    let reads = 0
    await run({ ...env, BLOBS: failing(() => reads++ % 3 < 2) }, { mp4: reading() }, step(taskId))
    expect(await env.TASKS.getByName(taskId).read()).toMatchObject({ status: 'completed', result: { size: 100 } })
  })

  it.each([
    ['', reading()],
    [', though the codec takes the file for damaged', taking(async () => malformed('MP4', 0, 'no_samples'))],
  ])('is tried again when the bucket is gone%s', async (_, codec) => {
    const { taskId } = await started({ originalSize: UPLOAD_BYTES })
    const record = env.TASKS.getByName(taskId)
    for (let attempt = 1; attempt <= 4; attempt++) {
      await run({ ...env, BLOBS: failing(() => true) }, { mp4: codec }, step(taskId))
      expect(await record.read(), `after attempt ${attempt}`).toMatchObject({ status: 'processing' })
    }
    await run(env, { mp4: reading() }, step(taskId))
    expect(await record.read()).toMatchObject({ status: 'completed', result: { size: 100 } })
  })

  it('fails after three attempts with internal errors', async () => {
    const { taskId } = await started({ originalSize: UPLOAD_BYTES })
    const broken = taking(
      async () => new Error('a bug'),
      async () => undefined,
    )
    for (let attempt = 1; attempt <= 3; attempt++) await run(env, { mp4: broken }, step(taskId))
    expect(await env.TASKS.getByName(taskId).read()).toMatchObject({ status: 'failed', error: { code: 500 } })
  })
})

/** Codec that reads once (errors of the read are ignored) and then throws the error of `what`. */
function taking(what: () => Promise<Error>, read?: () => Promise<unknown>): Codec {
  return {
    ...reading(),
    async compress(source) {
      await (read ?? (() => source.read(0, 10)))().catch(() => undefined)
      throw await what()
    },
  }
}

describe('a press without free memory', () => {
  it('reports it, and leaves the task unclaimed', async () => {
    const [first, second] = [await started({ originalSize: UPLOAD_BYTES }), await started({ originalSize: UPLOAD_BYTES })]
    let go!: () => void
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const running = run(env, { mp4: reading(() => held) }, step(first.taskId))
    await vi.waitFor(async () => expect((await env.TASKS.getByName(first.taskId).read())?.status).toBe('processing'), { timeout: 30_000 })
    expect(await run(env, { mp4: reading() }, step(second.taskId), { waitMs: 50 })).toBe('busy')
    expect(await env.TASKS.getByName(second.taskId).read()).toMatchObject({ status: 'pending' })
    go()
    expect(await running).toBe('done')
    expect(await run(env, { mp4: reading() }, step(second.taskId), { waitMs: 50 })).toBe('done')
  })

  it.each([
    ['busy', async () => 'busy' as const],
    ['broken', () => Promise.reject(new Error('the isolate is gone'))],
  ])('hands the task to the queue, and its caller waits on: %s', async (_, answer) => {
    const task = await started()
    const record = env.TASKS.getByName(task.taskId)
    const press = { run: answer, health: async () => ({ ok: true as const, formats: [] }) }
    const queued: string[] = []
    const tasks = {
      getByName: () => ({
        read: () => record.read(),
        wait: (ms: number) => record.wait(ms),
        toQueue: async () => void queued.push('at once'),
      }),
    }
    const pending = (await record.read())!
    const edge = { ...env, PRESS: press, TASKS: tasks } as unknown as Env
    const waited = runAndWait(edge, pending, undefined, () => undefined)
    await vi.waitFor(() => expect(queued).toEqual(['at once']), { timeout: 30_000 })
    await record.claim(null, 'whole')
    await record.fail(1, { code: 500, type: 'internal', message: 'it broke', requestId: 'req_run' })
    expect((await waited).status).toBe('failed')
  })
})

it('a waiting client receives the end of a task, even if its Durable Object was reset', async () => {
  const task = await started({ lane: 'slow' })
  const record = () => env.TASKS.getByName(task.taskId)
  await record().claim(1, 'whole')
  const waiting = runAndWait(env as unknown as Env, (await record().read())!, 20_000, () => undefined)
  await new Promise((resolve) => setTimeout(resolve, 50))
  await runInDurableObject(record() as unknown as DurableObjectStub, (_, ctx) => ctx.abort('a deployment')).catch(() => undefined)
  await record().fail(1, { code: 500, type: 'internal', message: 'it broke', requestId: 'req_run' })
  expect(await waiting).toMatchObject({ status: 'failed' })
})

describe('the memory semaphore', () => {
  it('runs small jobs in parallel, a large one alone, and drops cancelled waiters', async () => {
    const gate = new MemorySemaphore(10)
    const [one, two] = [await gate.acquire(4), await gate.acquire(4)]
    const order: string[] = []
    const hungry = gate.acquire(100).then((place) => {
      order.push('hungry')
      return place
    })
    const small = gate.acquire(1).then(() => order.push('small'))
    expect(await gate.acquire(1, 20), 'behind the hungry one').toBeUndefined()
    one![Symbol.dispose]()
    one![Symbol.dispose]()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(order).toEqual([])
    two![Symbol.dispose]()
    ;(await hungry)![Symbol.dispose]()
    await small
    expect(order).toEqual(['hungry', 'small'])
  })

  it('releases cancelled jobs, running or queued, but not slow ones', async () => {
    vi.useFakeTimers()
    try {
      const gate = new MemorySemaphore(10)
      const timers = vi.spyOn(globalThis, 'setInterval').mockReturnValueOnce(0 as never)
      // Its timers ended with its request.
      await gate.acquire(10)
      timers.mockRestore()
      const order: string[] = []
      const entering = gate.acquire(10).then((place) => {
        order.push('next')
        return place!
      })
      await vi.advanceTimersByTimeAsync(10_000)
      expect(order).toEqual([])
      await vi.advanceTimersByTimeAsync(20_000)
      expect(order).toEqual(['next'])
      const last = gate.acquire(10).then((place) => {
        order.push('last')
        return place!
      })
      await vi.advanceTimersByTimeAsync(300_000)
      expect(order, 'who is alive keeps its place').toEqual(['next'])
      ;(await entering)[Symbol.dispose]()
      await vi.advanceTimersByTimeAsync(1000)
      expect(order).toEqual(['next', 'last'])
      ;(await last)[Symbol.dispose]()
    } finally {
      vi.useRealTimers()
    }
  })
})
