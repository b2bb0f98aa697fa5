import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { recoverAfterRestart } from '../../src/local/recover-after-restart.ts'

it('restarts tasks, then sweeps, even if the first request fails', async () => {
  const requests: unknown[] = []
  const service = createServer(async (request, response) => {
    requests.push([request.method, request.url, request.headers.authorization, JSON.parse(await text(request))])
    response.writeHead(requests.length === 1 ? 503 : 200).end('{}')
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  await recoverAfterRestart({ baseUrl, adminToken: 'a' })
  service.close()
  expect(requests).toEqual([
    ['POST', '/admin/wake', 'Bearer a', {}],
    ['POST', '/admin/sweep', 'Bearer a', { min_age_seconds: 60 }],
  ])
  await recoverAfterRestart({ baseUrl, adminToken: 'a' })
})
