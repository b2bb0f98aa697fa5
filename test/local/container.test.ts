/** Steps in a container of whittle-heavy, and which task data the container may access. */
import { describe, expect, it } from 'vitest'
import type { WorkerEnv } from '../../src/service/env.ts'
import { type Machine, runStepInContainer, STEP_PORT, TASK_API_HOST } from '../../src/service/heavy/container.ts'
import { handleTaskApi } from '../../src/service/remote/answer.ts'

const STEP = { taskId: 'tsk_1', generation: 2, step: 'whole' } as const
const DOOR = {} as Fetcher

/** A fake machine that accepts connections from the `upAfter`-th attempt on, and records its calls. */
function machine(upAfter: number, answered = new Response()): { calls: string[]; machine: Machine } {
  const calls: string[] = []
  let [running, asked] = [false, 0]
  return {
    calls,
    machine: {
      get running() {
        return running
      },
      start: ({ entrypoint, enableInternet }) => {
        running = true
        calls.push(`start ${entrypoint.join(' ')}, internet ${enableInternet}`)
      },
      setInactivityTimeout: async (durationMs) => void calls.push(`idle ${durationMs}`),
      interceptOutboundHttp: async (host, door) => void calls.push(`door ${host} ${door === DOOR}`),
      getTcpPort: (port) => ({
        fetch: async (url, init) => {
          if (url.endsWith('/ready') && ++asked < upAfter) throw new Error('the container is not listening')
          calls.push(`${init?.method ?? 'GET'} ${port} ${new URL(url).pathname} ${init?.body ?? ''}`.trim())
          return url.endsWith('/step') ? answered : new Response()
        },
      }),
    },
  }
}

describe('a step in a container', () => {
  it('starts the container without internet, waits until it listens, and resolves after its response', async () => {
    const { calls, machine: container } = machine(3)
    await runStepInContainer(container, DOOR, 'press', STEP, 0)
    const step = `POST ${STEP_PORT} /step ${JSON.stringify({ kind: 'press', step: STEP })}`
    const first = [
      `door ${TASK_API_HOST} true`,
      'start node src/local/heavy.ts, internet false',
      'idle 1200000',
      `GET ${STEP_PORT} /ready`,
      step,
      'idle 60000',
    ]
    expect(calls).toEqual(first)
    await runStepInContainer(container, DOOR, 'press', STEP, 0)
    expect(calls.filter((line) => line.startsWith('start'))).toHaveLength(1)
  })

  it('fails if the container returns an error or never listens', async () => {
    await expect(runStepInContainer(machine(1, new Response('no press', { status: 400 })).machine, DOOR, 'press', STEP, 0)).rejects.toThrow(
      'no press',
    )
    await expect(runStepInContainer(machine(Number.POSITIVE_INFINITY).machine, DOOR, 'press', STEP, 0)).rejects.toThrow('did not respond')
  })
})

describe('the task API of a container', () => {
  const env = {
    TASKS: { getByName: () => ({ read: async () => null }) },
    BLOBS: { get: async () => null, put: async () => null, delete: async () => null },
  } as unknown as WorkerEnv
  const ask = async (method: string, path: string) =>
    (await handleTaskApi(env, new Request(`http://door${path}`, { method }), 'tsk_1')).status

  it('allows calls for its own task', async () => {
    const body = JSON.stringify([])
    const read = new Request('http://door/tasks/tsk_1?method=read', { method: 'POST', body })
    expect((await handleTaskApi(env, read, 'tsk_1')).status).toBe(200)
    for (const own of ['uploads/tsk_1', 'uploads-7d/tsk_1']) expect(await ask('GET', `/blobs/${own}`)).toBe(404)
    for (const own of ['results/tsk_1/1001', 'results-7d/tsk_1/1001', 'parts/tsk_1/2/0/1001'])
      expect(await ask('PUT', `/blobs/${own}`)).toBe(200)
  })

  it.each([
    'uploads/tsk_2',
    'uploads/tsk_1/../tsk_2',
    'results/tsk_12/1',
    'uploads-7d/tsk_2',
    'results-7d/tsk_2/1',
    'results-7d/tsk_1',
    'uploads-7d/tsk_1/tsk_2',
    'exports-7d/tsk_1',
    'parts/tsk_2/1/0/1',
    'accounts/acc_1',
    'uploads%2Ftsk_2',
    '',
  ])('refuses key %j', async (key) => {
    for (const method of ['GET', 'PUT', 'POST', 'DELETE']) expect(await ask(method, `/blobs/${key}`)).toBe(403)
    expect(await ask('POST', `/tasks/${key}?method=read`)).toBe(403)
  })
})
