import { expect, it } from 'vitest'
import { WaitList } from '../../durable-objects/task/waiting.ts'

const FOREVER_MS = 2 ** 31 - 1

it('removes waiters after their timeout and after they were woken', async () => {
  const waiting = new WaitList()
  await Promise.all([waiting.wait(0), waiting.wait(1)])
  expect(waiting.count).toBe(0)
  const patient = [waiting.wait(FOREVER_MS), waiting.wait(FOREVER_MS)]
  expect(waiting.count).toBe(2)
  waiting.wakeAll()
  await Promise.all(patient)
  expect(waiting.count).toBe(0)
})
