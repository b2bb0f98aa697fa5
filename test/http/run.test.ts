/** One step of a task with rooms that get into trouble outside of `compress`. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { type Codec, UnsupportedFeature } from '../../src/codec/codec.ts'
import type { SegmentedCodec } from '../../src/codec/segmented.ts'
import type { Env } from '../../src/env.ts'
import { MP4 } from '../../src/formats/mp4/format.ts'
import { run } from '../../src/tasks/run.ts'
import { runAndWait } from '../../src/tasks/submit.ts'
import type { NewTask } from '../../src/tasks/task.ts'

const refuse = async (): Promise<never> => {
  throw new UnsupportedFeature('a film that cannot be cut')
}
const whole: Codec = { format: MP4, compress: refuse, verify: refuse }

async function started(): Promise<NewTask> {
  const taskId = `tsk_run${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
  const task: NewTask = {
    taskId,
    accountId: `acc_${taskId}`,
    fileName: 'film.mp4',
    format: 'mp4',
    output: 'mp4',
    quality: 'medium',
    originalSize: 4,
    originalSha256: 'a'.repeat(64),
    worker: 'media',
    lane: 'quick',
    createdAt: Date.now(),
    retentionMs: 3_600_000,
    baseUrl: 'http://127.0.0.1',
    requestId: 'req_run',
  }
  await env.BLOBS.put(`uploads/${taskId}`, 'film')
  await env.TASKS.getByName(taskId).create(task)
  return task
}
const unchanged = { status: 'completed', result: { outcome: { kind: 'unchanged', reason: 'unsupported_feature' } } }

it('answers unchanged when a room refuses while it plans (plan-refuses-fragmented-film)', async () => {
  const codec: SegmentedCodec = { ...whole, plan: refuse, compressPart: refuse, join: refuse }
  const { taskId } = await started()
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'whole' })
  expect(await env.TASKS.getByName(taskId).read()).toMatchObject(unchanged)
})

it('answers unchanged when a room refuses a part', async () => {
  const parts = [0, 1].map((index) => ({ index, label: `part ${index}`, weight: 0.5, facts: {} }))
  const codec: SegmentedCodec = { ...whole, plan: async () => ({ kind: 'parts', parts }), compressPart: refuse, join: refuse }
  const { taskId } = await started()
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'whole' })
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'part', part: 0 })
  expect(await env.TASKS.getByName(taskId).read()).toMatchObject(unchanged)
  await run(env, { mp4: codec }, { taskId, generation: null, step: 'part', part: 1 })
  expect(await env.TASKS.getByName(taskId).read()).toMatchObject(unchanged)
})

it('is waited for when somebody else has it already (repeated-under-idempotency-key-does-not-wait)', async () => {
  const { taskId } = await started()
  const record = env.TASKS.getByName(taskId)
  await record.claim(null, 'whole')
  const press = { run: async () => undefined, health: async () => ({ ok: true as const, formats: [] }) }
  const pending = (await record.read())!
  const waited = runAndWait({ ...env, PRESS: press } as unknown as Env, pending, 30_000, () => undefined)
  // Time to answer too soon.
  await new Promise((resolve) => setTimeout(resolve, 200))
  await record.fail(1, { code: 500, type: 'internal', message: 'it broke', requestId: 'req_run' })
  expect((await waited).status).toBe('failed')
})
