import { readFileSync } from 'node:fs'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { expect, it } from 'vitest'
import { COMPATIBILITY_DATE } from '../../../src/local/edge.ts'
import { EDGE_V8_ENVIRONMENT } from '../../../src/local/workerd-flags.ts'
import { workerdsBelow } from '../../e2e/processes.ts'

const ASKS = `export default { async fetch(request, { ANSWERS }) {
  for (let i = 0; i < 500; i++) await (await ANSWERS.fetch('http://answers/' + i)).text()
  return new Response()
} }`
const ANSWERS = `export default { fetch: ({ url }) => new Response(url, { status: 404, headers: { 'x-id': crypto.randomUUID() } }) }`

/** Linux only. */
it.runIf(process.platform === 'linux')('requests that were answered leave nothing in the memory of workerd', async () => {
  Object.assign(process.env, EDGE_V8_ENVIRONMENT)
  const workers = [
    { name: 'asks', modules: true, compatibilityDate: COMPATIBILITY_DATE, script: ASKS, serviceBindings: { ANSWERS: 'answers' } },
    { name: 'answers', modules: true, compatibilityDate: COMPATIBILITY_DATE, script: ANSWERS },
  ]
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers }))
  await miniflare.ready
  const [pid] = (await workerdsBelow(process.pid)) ?? []
  const megabytes = () => Number(/^Anonymous:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
  const askThousands = async (times: number) => {
    for (let i = 0; i < times * 2; i++) await (await miniflare.dispatchFetch('http://asks/')).text()
  }
  await askThousands(2)
  const before = megabytes()
  await askThousands(2)
  // 22 MB of garbage, of which V8 sees too little to collect it.
  expect(megabytes() - before).toBeLessThan(8)
  await miniflare.dispose()
})
