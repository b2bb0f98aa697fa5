/** How many task objects workerd holds in memory. Each has its own SQLite file open, and ends 10 s after its last request by itself. */
import { readdirSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { MOST_RESTING } from '../../durable-objects/task/resting-objects.ts'
import { workerdsBelow } from './processes.ts'
import { type Running, startService } from './running.ts'

/** Files in one batch, and the number of batches. */
const [FILES, BATCHES] = [100, 4]
/** Tasks on a page of a list, which asks all of them at the same time. */
const PAGE = 100
/** Objects that may be awake: those that rest, and those of one page. */
const MOST_AWAKE = MOST_RESTING + PAGE

let service: Running
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

const ask = async (method: string, path: string, init: RequestInit = {}) => {
  const headers = { Authorization: `Bearer ${service.keys.enterprise}`, ...init.headers }
  const answer = await fetch(service.baseUrl + path, { ...init, method, headers })
  return (await answer.json()) as { tasks: { task_id: string; status: string }[]; next_cursor?: string | null }
}

/** Number of task objects whose database workerd has open. */
async function awake(): Promise<number> {
  const [pid] = (await workerdsBelow(service.pid)) ?? []
  const files = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return /whittle-TaskRecord\/([0-9a-f]{64})\.sqlite$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? []
    } catch {
      // It was closed meanwhile.
      return []
    }
  })
  return new Set(files).size
}

/** Waits less than the 10 s after which objects end by themselves, because a busy machine ends them late. */
const expectFewAwake = () => vi.waitFor(async () => expect(await awake()).toBeLessThanOrEqual(MOST_AWAKE), { timeout: 7000, interval: 200 })

/** Lists all tasks. Checks after each page how many objects are awake. */
async function listed(): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { tasks, next_cursor: next } = await ask('GET', `/v1/tasks?limit=${PAGE}${cursor && `&cursor=${cursor}`}`)
    ids.push(...tasks.map(({ task_id }) => task_id))
    await expectFewAwake()
    if (!next) return ids
    cursor = encodeURIComponent(next)
  }
}

/** Linux only. */
it.runIf(process.platform === 'linux')('holds a bounded number of ended tasks in memory', async () => {
  for (let batch = 0; batch < BATCHES; batch++) {
    const body = new FormData()
    for (let i = 0; i < FILES; i++) body.append('files[]', new Blob([]), `${i}.txt`)
    const { tasks } = await ask('POST', '/v1/batch/compress', { body })
    expect(tasks.filter(({ status }) => status === 'failed')).toHaveLength(FILES)
  }
  expect(await awake()).toBeGreaterThan(0)
  await expectFewAwake()
  const ids = await listed()
  expect(ids).toHaveLength(FILES * BATCHES)
  // Meanwhile, the alarm that each object sets when it begins wakes it once more.
  for (const [i, id] of ids.entries()) {
    await ask('DELETE', `/v1/tasks/${id}`)
    if (i % PAGE === 0) await expectFewAwake()
  }
  expect(await listed()).toEqual([])
})
