import { expect, it } from 'vitest'
import { yieldToEventLoop } from '../../../src/core/bytes/yield.ts'

it('lets due timers run before it continues', async () => {
  let ran = false
  setTimeout(() => (ran = true), 0)
  await yieldToEventLoop()
  expect(ran).toBe(true)
})

it('throws if the signal was aborted in the meantime', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('nobody waits any more')), 0)
  await expect(yieldToEventLoop(controller.signal)).rejects.toThrow('nobody waits any more')
})
