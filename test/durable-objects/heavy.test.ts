/** Tests of files that exceed an isolate's budget, in a deployment with containers. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TaskRecord } from '../../durable-objects/task-record.ts'
import { message } from '../../src/core/i18n/message.ts'
import type { Env } from '../../src/service/env.ts'
import type { NewTask } from '../../src/service/store/task.ts'
import type { Claim, JobMessage, TaskRecordApi } from '../../src/service/store/tasks.ts'
import { newTask, RESULT, record } from './fixtures.ts'

afterEach(() => void vi.useRealTimers())

const LEASE_MS = 30_000
const OVER_BUDGET = { ...RESULT, outcome: { kind: 'unchanged', reason: 'over_budget' } } as const
const ISOLATE = { id: 'isolate', protocol: 1 }
const CONTAINER = { id: 'container', protocol: 1, heavy: true }

interface TestContext {
  readonly api: TaskRecordApi
  /** Messages sent to isolates (`press`) and to containers (`heavy`). */
  readonly press: JobMessage[]
  readonly heavy: JobMessage[]
  /** Advances the time by `ms` milliseconds and runs the alarm. */
  later(ms: number): Promise<void>
}

const queue = (sent: JobMessage[]) => ({
  sendBatch: async (messages: { body: JobMessage }[]) => void sent.push(...messages.map(({ body }) => body)),
})

async function withContainers(work: (world: TestContext, task: NewTask) => Promise<void>, change: Partial<NewTask> = {}): Promise<void> {
  const task = newTask(change)
  await runInDurableObject(record(task) as unknown as DurableObjectStub, async (_, ctx) => {
    const [press, heavy]: [JobMessage[], JobMessage[]] = [[], []]
    const bindings = { ...env, PRESS_JOBS: queue(press), HEAVY_JOBS: queue(heavy), LEASE_MS: String(LEASE_MS) }
    const object = new TaskRecord(ctx, bindings as unknown as Env)
    await object.create(task)
    vi.useFakeTimers({ toFake: ['Date'] })
    const later = async (ms: number) => {
      vi.setSystemTime(Date.now() + ms)
      await object.alarm()
    }
    await work({ api: object, press, heavy, later }, task)
  })
}

function claimed(claim: Claim): Extract<Claim, { kind: 'claimed' }> {
  if (claim.kind !== 'claimed') throw new Error(claim.kind)
  return claim
}

describe('a job that exceeds the budget of an isolate', () => {
  it('stays unchanged without a container if the limit of its plan is the reason', async () => {
    await withContainers(async ({ api, heavy }) => {
      const isolate = claimed(await api.claim(1, 'whole', undefined, { ...ISOLATE, protocol: 2 }))
      const detail = message('work_over_limit', { seconds: 30, limit: 23 })
      const outcome = { kind: 'unchanged', reason: 'over_budget', detail } as const
      expect(await api.complete(isolate.attempt, { ...RESULT, outcome, key: isolate.uploadKey })).toBe(true)
      expect(await api.read()).toMatchObject({ status: 'completed', result: { outcome } })
      expect(heavy).toEqual([])
    })
  })

  it('restarts in a container and cannot be claimed by an isolate', async () => {
    await withContainers(async ({ api, heavy }, { taskId, originalSize }) => {
      const isolate = claimed(await api.claim(1, 'whole', undefined, ISOLATE))
      expect(await api.complete(isolate.attempt, { ...OVER_BUDGET, key: isolate.uploadKey })).toBe(false)
      expect(await api.read()).toMatchObject({ status: 'processing' })
      expect(heavy).toEqual([{ taskId, generation: 2, step: 'whole', bytes: originalSize }])
      expect(await api.claim(null, 'whole', undefined, ISOLATE)).toEqual({ kind: 'forget' })
      const container = claimed(await api.claim(2, 'whole', undefined, CONTAINER))
      expect(await api.complete(container.attempt, { ...RESULT, key: `results/${taskId}/${container.attempt}` })).toBe(true)
      expect(await api.read()).toMatchObject({ status: 'completed', result: { outcome: { kind: 'compressed' } } })
    })
  })

  it('ends as over_budget if the container reports it, too', async () => {
    await withContainers(async ({ api, heavy }) => {
      const isolate = claimed(await api.claim(1, 'whole', undefined, ISOLATE))
      await api.complete(isolate.attempt, { ...OVER_BUDGET, key: isolate.uploadKey })
      const container = claimed(await api.claim(2, 'whole', undefined, CONTAINER))
      // The first isolate reports `over_budget` a second time. The job does not restart again.
      expect(await api.complete(isolate.attempt, { ...OVER_BUDGET, key: isolate.uploadKey })).toBe(false)
      expect(heavy).toHaveLength(1)
      expect(await api.complete(container.attempt, { ...OVER_BUDGET, key: container.uploadKey })).toBe(true)
      expect(await api.read()).toMatchObject({ status: 'completed', result: OVER_BUDGET })
    })
  })

  it('is split, encoded and joined in containers, part by part', async () => {
    await withContainers(async ({ api, heavy, press }) => {
      const isolate = claimed(await api.claim(1, 'whole', undefined, ISOLATE))
      await api.giveUp(isolate.attempt, 'too large')
      const whole = claimed(await api.claim(2, 'whole', undefined, CONTAINER))
      expect(whole.overBudget).toBeUndefined()
      await api.split(whole.attempt, [{ start: 0 }, { start: 1 }] as never)
      expect(await api.completePart(1, 0, { frames: 1 } as never, 'parts/late', 1), 'a late part of an isolate, from the old plan').toBe(
        false,
      )
      for (const part of [0, 1]) {
        const { attempt } = claimed(await api.claim(3, 'part', part, { ...CONTAINER, id: `part ${part}` }))
        expect(await api.completePart(attempt, part, { frames: 1 } as never, `parts/${part}`, 1)).toBe(true)
      }
      expect(claimed(await api.claim(3, 'join', undefined, CONTAINER)).parts).toHaveLength(2)
      expect(heavy.map(({ step }) => step)).toEqual(['whole', 'part', 'part', 'join'])
      expect(press).toHaveLength(1)
    })
  })
})

it('a job that lost three isolates is tried in a container', async () => {
  await withContainers(async ({ api, heavy, later }) => {
    for (let lost = 0; lost < 3; lost++) {
      claimed(await api.claim(1, 'whole', undefined, { ...ISOLATE, id: `isolate ${lost}` }))
      await later(LEASE_MS + 1)
      await later(10 * LEASE_MS)
    }
    expect(new Set(heavy.map(({ generation, step }) => `${generation} ${step}`))).toEqual(new Set(['2 whole']))
    claimed(await api.claim(2, 'whole', undefined, CONTAINER))
  })
})

it('a job that lost three containers returns the upload unchanged', async () => {
  await withContainers(async ({ api, later }) => {
    const isolate = claimed(await api.claim(1, 'whole', undefined, ISOLATE))
    await api.giveUp(isolate.attempt, 'too large')
    for (let lost = 0; lost < 3; lost++) {
      claimed(await api.claim(2, 'whole', undefined, { ...CONTAINER, id: `container ${lost}` }))
      await later(LEASE_MS + 1)
      await later(10 * LEASE_MS)
    }
    const last = claimed(await api.claim(3, 'whole', undefined, { ...CONTAINER, id: 'last' }))
    expect(last.overBudget).toContain('the worker process ended unexpectedly')
    expect(await api.complete(last.attempt, { ...OVER_BUDGET, key: last.uploadKey })).toBe(true)
  })
})

it('if no container claims a job for hours, an isolate completes it as over_budget', async () => {
  await withContainers(async ({ api, heavy, press, later }) => {
    const isolate = claimed(await api.claim(1, 'whole', undefined, ISOLATE))
    await api.giveUp(isolate.attempt, 'too large')
    for (let tries = 0; tries < 10; tries++) await later(32 * LEASE_MS + 1)
    expect(heavy).toHaveLength(8)
    expect(press.at(-1)).toMatchObject({ generation: 3, step: 'whole' })
    const last = claimed(await api.claim(3, 'whole', undefined, { ...ISOLATE, id: 'second isolate' }))
    expect(last.overBudget).toContain('needs more memory or time')
    expect(await api.complete(last.attempt, { ...OVER_BUDGET, key: last.uploadKey })).toBe(true)
    expect(await api.read()).toMatchObject({ status: 'completed', result: OVER_BUDGET })
  })
})
