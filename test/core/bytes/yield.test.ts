import { expect, it } from 'vitest'
import { yieldToOthers } from '../../../src/core/bytes/yield.ts'

it('lets timers that are due run before it goes on', async () => {
  let ran = false
  setTimeout(() => (ran = true), 0)
  await yieldToOthers()
  expect(ran).toBe(true)
})

it('hears an abort that came while others ran', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('nobody waits any more')), 0)
  await expect(yieldToOthers(controller.signal)).rejects.toThrow('nobody waits any more')
})
