import { expect, it } from 'vitest'
import { Waiting } from '../../durable-objects/task/waiting.ts'

const FOREVER_MS = 2 ** 31 - 1

it('removes waiters after their timeout and after they were woken', async () => {
  const waiting = new Waiting()
  await Promise.all([waiting.for(0), waiting.for(1)])
  expect(waiting.count).toBe(0)
  const patient = [waiting.for(FOREVER_MS), waiting.for(FOREVER_MS)]
  expect(waiting.count).toBe(2)
  waiting.wakeAll()
  await Promise.all(patient)
  expect(waiting.count).toBe(0)
})
