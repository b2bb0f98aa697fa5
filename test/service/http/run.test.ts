/** Tests of one step of a task with codecs that fail outside `compress`. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { MP4 } from '../../../src/core/catalog/formats/film.ts'
import { message } from '../../../src/core/i18n/message.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { unsupported } from '../../../src/core/model/error.ts'
import type { SegmentedCodec } from '../../../src/core/model/segmented.ts'
import type { Env } from '../../../src/service/env.ts'
import { listDeadLetters } from '../../../src/service/store/dead-letters.ts'
import { countRequest, outcomeOfCall } from '../../../src/service/store/metrics.ts'
import type { JobMessage } from '../../../src/service/store/tasks.ts'
import { consume } from '../../../src/service/tasks/consume.ts'
import { run } from '../../../src/service/tasks/run.ts'
import { runAndWait } from '../../../src/service/tasks/submit.ts'
import { started } from './started-task.ts'

const refuse = async (): Promise<never> => {
  throw unsupported('film_without_duration')
}
const whole: Codec = { format: MP4, compress: refuse, verify: refuse }

const unchanged = { status: 'completed', result: { outcome: { kind: 'unchanged', reason: 'unsupported_feature' } } }

it('answers unchanged when a codec refuses while it plans', async () => {
  const codec: SegmentedCodec = { ...whole, plan: refuse, compressPart: refuse, join: refuse }
  const { taskId } = await started()
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'whole' })
  expect(await env.TASKS.getByName(taskId).read()).toMatchObject(unchanged)
})

it('answers unchanged when a codec refuses a part', async () => {
  const parts = [0, 1].map((index) => ({ index, label: `part ${index}`, weight: 0.5, facts: {} }))
  const codec: SegmentedCodec = { ...whole, plan: async () => ({ kind: 'parts', parts }), compressPart: refuse, join: refuse }
  const { taskId } = await started()
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'whole' })
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'part', part: 0 })
  expect(await env.TASKS.getByName(taskId).read()).toMatchObject(unchanged)
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'part', part: 1 })
  expect(await env.TASKS.getByName(taskId).read()).toMatchObject(unchanged)
})

it('completes a file that killed its workers with the unchanged upload, encrypted with its password', async () => {
  const read = async (): Promise<never> => {
    throw new Error('nothing is tried any more')
  }
  const codec: SegmentedCodec = { ...whole, plan: read, compress: read, compressPart: read, join: read }
  for (const change of [{}, { password: 'open sesame' }, { targetSize: 2 }]) {
    const { taskId } = await started(change)
    const record = env.TASKS.getByName(taskId)
    await record.claim(null, 'whole')
    await record.giveUp(1, 'the worker process ended unexpectedly in each of 3 attempts')
    await run(env, { mp4: codec }, { taskId, generation: null, step: 'whole' })
    const detail = message('text', { text: 'the worker process ended unexpectedly in each of 3 attempts' })
    const outcome = { kind: 'unchanged', reason: 'over_budget', detail }
    const failed = { status: 'failed', error: { type: 'target_unreachable', facts: { best_size: 4 } } }
    const completed = { status: 'completed', result: { outcome, encrypted: 'password' in change } }
    expect(await record.read()).toMatchObject('targetSize' in change ? failed : completed)
  }
})

/** Codec that reads the whole file repeatedly, more than the block cache holds. */
const insatiable: Codec = {
  ...whole,
  async compress(source) {
    for (;;) await source.read(0, source.size)
  },
}

it('answers over_budget before the platform refuses a read, also with a password', async () => {
  let reads = 0
  const counting = new Proxy(env.BLOBS, {
    get(bucket, name) {
      if (name !== 'get') return Reflect.get(bucket, name).bind(bucket)
      return () => {
        reads++
        // Simulates the platform's error above `[limits] subrequests`.
        if (reads > 50_000) throw new Error('Too many subrequests.')
        return { arrayBuffer: async () => new ArrayBuffer(8) }
      }
    },
  })
  const codecs = { mp4: insatiable }
  for (const change of [{}, { password: 'open sesame' }]) {
    const { taskId } = await started({ originalSize: 1_000_000, ...change })
    reads = 0
    await run({ ...env, BLOBS: counting }, codecs, { taskId, generation: null, step: 'whole' })
    expect(reads).toBeGreaterThan(40_000)
    if ('password' in change) await run(env, codecs, { taskId, generation: null, step: 'whole' })
    const result = { outcome: { kind: 'unchanged', reason: 'over_budget' }, encrypted: 'password' in change }
    expect(await env.TASKS.getByName(taskId).read()).toMatchObject({ status: 'completed', result })
  }
})

it('waits for a task that another worker has claimed', async () => {
  const { taskId } = await started()
  const record = env.TASKS.getByName(taskId)
  await record.claim(null, 'whole')
  const press = { run: async () => 'done' as const, health: async () => ({ ok: true as const, formats: [] }) }
  const pending = (await record.read())!
  const waited = runAndWait({ ...env, PRESS: press } as unknown as Env, pending, 30_000, () => undefined)
  // Gives a wrong answer time to arrive too early.
  await new Promise((resolve) => setTimeout(resolve, 200))
  await record.fail(1, { code: 500, type: 'internal', message: 'it broke', requestId: 'req_run' })
  expect((await waited).status).toBe('failed')
})

it.each([
  { queue: 'whittle-media-jobs-deadline', status: 'completed' },
  { queue: 'whittle-media-dead-deadline', status: 'pending' },
])('takes the jobs, not the dead letters, of an environment whose name begins with dead: $queue', async ({ queue, status }) => {
  const { taskId } = await started()
  let acknowledged = 0
  const message = {
    body: { taskId, generation: null, step: 'whole' },
    timestamp: new Date(1_800_000_000_000),
    ack: () => acknowledged++,
    retry: () => undefined,
  }
  await consume({ queue, messages: [message] } as unknown as MessageBatch<JobMessage>, env, { mp4: whole })
  expect(acknowledged).toBe(1)
  expect((await env.TASKS.getByName(taskId).read())?.status).toBe(status)
})

it('does not start a task of an incompatible release: it is queued and retried', async () => {
  const { taskId } = await started()
  const claim = async () => ({ kind: 'incompatible', spoken: { oldest: 7, newest: 8 } })
  const tasks = { getByName: () => ({ claim }) }
  const strange = { ...env, TASKS: tasks } as unknown as Env
  expect(await run(strange, { mp4: whole }, { taskId, generation: null, step: 'whole' })).toBe('busy')
  let retried = 0
  const body = { taskId, generation: 1, step: 'whole' }
  const message = { body, timestamp: new Date(), ack: () => expect.unreachable(), retry: () => retried++ }
  await consume({ queue: 'whittle-media-jobs', messages: [message] } as unknown as MessageBatch<JobMessage>, strange, { mp4: whole })
  expect(retried).toBe(1)
})

it('counts a job in Analytics Engine, under the name and with the outcome that Prometheus has', async () => {
  const points: unknown[] = []
  const metrics = { writeDataPoint: (point: unknown) => points.push(point) }
  const { taskId } = await started({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })
  await run({ ...env, METRICS: metrics }, { mp4: whole }, { taskId, generation: null, step: 'whole' })
  const blobs = ['whittle_jobs_total', 'mp4', 'whole', 'unchanged']
  expect(points).toEqual([{ indexes: ['mp4'], blobs, doubles: [expect.any(Number)] }])
  countRequest(metrics, { method: 'GET', route: '/healthz', status: 503, ms: 250 })
  expect(points[1]).toEqual({ indexes: ['/healthz'], blobs: ['whittle_http_requests_total', 'GET', '/healthz', '503'], doubles: [0.25] })
})

it.each([
  ['complete', [1, { outcome: { kind: 'compressed' } }], 'compressed'],
  ['complete', [1, { outcome: { kind: 'anything else' } }], undefined],
  ['complete', [], undefined],
  ['giveUp', [], 'over_budget'],
  ['beat', [], undefined],
] as const)('knows the outcome of a job from its last call: %s %j', (method, args, outcome) => {
  expect(outcomeOfCall(method, args)).toBe(outcome)
})

it('stores dead letters for the operator, newest first, and counts them', async () => {
  const points: unknown[] = []
  const metrics = { writeDataPoint: (point: unknown) => points.push(point) }
  const queue = 'whittle-media-dead'
  const letter = (part: number, at: number) => ({
    body: { taskId: 'tsk_dead', generation: 1, step: 'part', part },
    timestamp: new Date(at),
    ack: () => undefined,
    retry: () => expect.unreachable(),
  })
  const messages = [letter(7, 1_800_000_000_000), letter(8, 1_800_000_060_000)]
  await consume({ queue, messages } as unknown as MessageBatch<JobMessage>, { ...env, METRICS: metrics }, {})
  const { letters } = await listDeadLetters(env.BLOBS, 2)
  expect(letters).toEqual([
    { taskId: 'tsk_dead', step: 'part', part: 8, queue, at: 1_800_000_060_000 },
    { taskId: 'tsk_dead', step: 'part', part: 7, queue, at: 1_800_000_000_000 },
  ])
  expect(points).toEqual([
    { indexes: ['dead_letter'], blobs: ['dead_letter', queue] },
    { indexes: ['dead_letter'], blobs: ['dead_letter', queue] },
  ])
})

it('retries a dead letter that cannot be stored', async () => {
  let retried = 0
  const body = { taskId: 'tsk_dead', generation: 1, step: 'whole' }
  const message = { body, timestamp: new Date(), ack: () => expect.unreachable(), retry: () => retried++ }
  const broken = { ...env, BLOBS: { put: () => Promise.reject(new Error('R2 is away')) } as unknown as R2Bucket }
  await consume({ queue: 'whittle-press-dead', messages: [message] } as unknown as MessageBatch<JobMessage>, broken, {})
  expect(retried).toBe(1)
})

it('passes the limit of the plan to the codec', async () => {
  const limits: (number | undefined)[] = []
  const codec: Codec = {
    ...whole,
    compress: async (_, __, { maxWorkSeconds }) => {
      limits.push(maxWorkSeconds)
      throw unsupported('film_without_duration')
    },
  }
  for (const maxWorkSeconds of [23, undefined]) {
    const { taskId } = await started(maxWorkSeconds === undefined ? {} : { maxWorkSeconds })
    await run(env, { mp4: codec }, { taskId, generation: null, step: 'whole' })
  }
  expect(limits).toEqual([23, undefined])
})
