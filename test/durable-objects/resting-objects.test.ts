import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { MOST_RESTING, RestingObjects } from '../../durable-objects/task/resting-objects.ts'
import { apiMessage } from '../../src/service/i18n/message.ts'
import type { NewTask } from '../../src/service/store/task.ts'
import type { TaskRecordApi } from '../../src/service/store/tasks.ts'
import { newTask, record } from './fixtures.ts'

it('ends the objects that were asked longest ago, and never more than it has', () => {
  const resting = new RestingObjects()
  const ended: string[] = []
  for (let i = 0; i < MOST_RESTING * 5; i++) {
    ended.push(...resting.add(`${i}`))
    // One that is asked all the time.
    ended.push(...resting.add('busy'))
    expect(resting.size).toBeLessThanOrEqual(MOST_RESTING)
  }
  expect(ended).toEqual(Array.from({ length: ended.length }, (_, i) => `${i}`))
  expect(ended.length + resting.size).toBe(MOST_RESTING * 5 + 1)
})

const METHODS = ['read', 'names', 'remove'] as const

/** Calls one method of each task as on one machine, in turn. @returns ids of the objects that are to be ended */
async function evictedBy(tasks: readonly NewTask[]): Promise<string[]> {
  const evicted: string[] = []
  for (const [i, { taskId }] of tasks.entries())
    await runInDurableObject(env.TASKS.getByName(taskId) as unknown as DurableObjectStub, async (instance, { id }) => {
      const evict = async (ids: readonly string[]) => {
        expect(ids).not.toContain(id.toString())
        evicted.push(...ids)
      }
      Object.defineProperty(instance, 'env', { value: { ...env, EVICTOR: { evict } } })
      await (instance as unknown as TaskRecordApi)[METHODS[i % METHODS.length]!]()
    })
  return evicted
}
const idOf = ({ taskId }: NewTask) => (env.TASKS as unknown as DurableObjectNamespace).idFromName(taskId).toString()
const ERROR = { code: 400, type: 'empty_file', message: apiMessage('file_empty'), requestId: 'req_test' }

it('a list, a sweep and a removal of many tasks hold a bounded number of task objects', { timeout: 60_000 }, async () => {
  const ended = Array.from({ length: 6 }, () => newTask())
  for (const task of ended) await record(task).createFailed(task, ERROR)
  // Tasks that do not exist wake an object as well.
  const unknown = Array.from({ length: MOST_RESTING }, () => newTask())
  const evicted = await evictedBy([...ended, ...unknown])
  expect(evicted).toEqual(expect.arrayContaining(ended.map(idOf)))
})

it('ends no object whose task has not ended', { timeout: 60_000 }, async () => {
  const open = newTask()
  await record(open).create(open)
  const unknown = Array.from({ length: MOST_RESTING }, () => newTask())
  // `read`, `names`, and `read` again.
  const evicted = await evictedBy([open, open, newTask(), open, ...unknown])
  expect(evicted.length).toBeGreaterThan(0)
  expect(evicted).not.toContain(idOf(open))
})
