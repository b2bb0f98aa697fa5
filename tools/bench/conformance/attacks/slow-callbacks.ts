/** Receivers of callbacks that accept and never answer, or answer without end: callbacks of other accounts must still arrive. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, MB } from './attack.ts'
import { Neighbour } from './neighbour.ts'
import { Target } from './target.ts'

const TASKS = 120
const PROBES = 5
/** Longest wait for the callback of another account. */
const MOST_SECONDS = 10
const MOST_BYTES = 150 * MB

export const slowCallbacks: Attack = {
  name: 'slow-callbacks',
  title: `callbacks of ${TASKS} tasks to a receiver that never answers, and one that answers without end`,
  async run() {
    await using target = await Target.start()
    await using silent = await receiver(() => undefined)
    await using endless = await receiver((_, response) => void sendEndlessly(response))
    const arrived: { at: number }[] = []
    await using good = await receiver((_, response) => {
      arrived.push({ at: performance.now() })
      response.end()
    })
    const [attacker, customer] = [await target.account('enterprise'), await target.account('enterprise')]
    const rest = target.workerdBytes()
    const neighbour = await Neighbour.beside(target)
    const sent = Array.from({ length: TASKS }, (_, at) => compressWithCallback(target, attacker.key, (at % 2 ? silent : endless).url))
    await Promise.all(sent)
    let [slowest, peak, missing] = [0, 0, 0]
    for (let probe = 0; probe < PROBES; probe++) {
      const began = performance.now()
      await compressWithCallback(target, customer.key, good.url)
      for (let left = 10 * MOST_SECONDS; left > 0 && arrived.length <= probe - missing; left--) await sleep(100)
      if (arrived.length <= probe - missing) missing++
      else slowest = Math.max(slowest, arrived.at(-1)!.at - began)
      peak = Math.max(peak, target.workerdBytes() - rest)
    }
    return [
      { what: 'callbacks to slow receivers that arrived', value: silent.count() + endless.count(), unit: '' },
      { what: 'callbacks of another account that did not arrive', value: missing, unit: '', most: 0 },
      { what: 'its slowest callback, with its task', value: slowest / 1000, unit: 's', most: MOST_SECONDS },
      { what: 'memory of workerd beyond its rest', value: peak / MB, unit: 'MB', most: MOST_BYTES / MB },
      ...(await neighbour.leave()),
    ]
  },
}

async function compressWithCallback(target: Target, key: string, url: string): Promise<void> {
  const body = new FormData()
  body.append('callback_url', url)
  body.append('file', new Blob([Buffer.alloc(2000, 'text\n')]), 'a.txt')
  const response = await target.call(key, '/v1/compress', { method: 'POST', body })
  if (!response.ok) throw new Error(`A task with a callback failed with HTTP ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

async function receiver(listener: RequestListener): Promise<AsyncDisposable & { url: string; count(): number }> {
  let count = 0
  const server = createServer((request, response) => {
    count++
    request.resume()
    listener(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    count: () => count,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function sendEndlessly(response: Parameters<RequestListener>[1]): void {
  const chunk = Buffer.alloc(64 * 1024)
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', send).on('error', () => undefined)
  send()
}
