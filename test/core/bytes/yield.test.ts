import { expect, it } from 'vitest'
import { turnsByMessage } from '../../../src/core/bytes/platform/event-loop.ts'
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

it('turns by message come in order and let timers and messages run', async () => {
  const nextTurn = turnsByMessage()
  const { port1, port2 } = new MessageChannel()
  const events: string[] = []
  port1.onmessage = () => events.push('message')
  setTimeout(() => events.push('timer'), 0)
  port2.postMessage('stop')
  await Promise.all([nextTurn().then(() => events.push('first')), nextTurn().then(() => events.push('second'))])
  while (events.length < 4) await nextTurn()
  port1.close()
  expect(events.filter((event) => event === 'first' || event === 'second')).toEqual(['first', 'second'])
  expect(events).toEqual(expect.arrayContaining(['message', 'timer']))
})
