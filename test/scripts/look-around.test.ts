import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { lookAround } from '../../scripts/look-around.ts'

it('what was sent just before a kill is looked for again once it is old enough', async () => {
  const asked: { minAge: number; afterMs: number }[] = []
  let passedMs = 0
  const service = createServer(async (request, response) => {
    const { min_age_seconds: minAge } = JSON.parse(await text(request)) as { min_age_seconds: number }
    asked.push({ minAge, afterMs: passedMs })
    // The first sweep may fail, too: the service has only just begun.
    response.writeHead(asked.length === 1 ? 503 : 200).end('{}')
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const pause = async (ms: number) => {
    passedMs += ms
  }
  await lookAround({ baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`, adminToken: 'a', pause })
  service.close()
  expect(asked).toHaveLength(2)
  expect(asked[0]).toEqual({ minAge: 60, afterMs: 0 })
  // Later by what a sweep lets be, and by what an alarm may be late.
  expect(asked[1]!.afterMs).toBeGreaterThan(2 * 1000 * asked[1]!.minAge)
})
