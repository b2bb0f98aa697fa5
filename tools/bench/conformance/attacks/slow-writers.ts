/** Connections that send their uploads slowly (review S2): uploads of other accounts must still be accepted. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, MB } from './attack.ts'
import { Target } from './target.ts'

/** Announced bytes of each slow upload. */
const ANNOUNCED = [...Array<number>(6).fill(15 * MB), ...Array<number>(6).fill(0.96 * MB)]
const BYTES_PER_SECOND = 400
const SECONDS = 60
const MOST_SECONDS = 10
const NEIGHBOUR_BYTES = [240, 700_000, 3 * MB]

export const slowWriters: Attack = {
  name: 'slow-writers',
  title: `${ANNOUNCED.length} uploads of two free accounts at ${BYTES_PER_SECOND} byte/s`,
  async run() {
    await using target = await Target.start()
    const attackers = [await target.account('free'), await target.account('free')]
    const neighbour = await target.account('enterprise')
    const writers = new Set<Socket>()
    const open = (at: number) => {
      const socket = target.open([
        'POST /v1/uploads HTTP/1.1',
        `Authorization: Bearer ${attackers[at % 2]!.key}`,
        'Tus-Resumable: 1.0.0',
        `Upload-Length: ${ANNOUNCED[at]}`,
        'Content-Type: application/offset+octet-stream',
        `Content-Length: ${ANNOUNCED[at]}`,
      ])
      writers.add(socket)
      socket.resume()
      socket.once('close', () => writers.delete(socket))
    }
    for (const at of ANNOUNCED.keys()) open(at)
    const timer = setInterval(() => {
      for (const socket of writers) socket.write(Buffer.alloc(BYTES_PER_SECOND / 2, 'a'))
    }, 500)
    await sleep(2000)
    let [accepted, refused, slowest] = [0, 0, 0]
    try {
      for (const until = Date.now() + SECONDS * 1000; Date.now() < until; await sleep(500)) {
        const bytes = NEIGHBOUR_BYTES[(accepted + refused) % NEIGHBOUR_BYTES.length]!
        const began = performance.now()
        const file = new Uint8Array(Buffer.alloc(bytes, 'text of a neighbour\n'))
        const response = await target.upload(neighbour.key, file, 'neighbour.txt', { Prefer: 'respond-async' })
        await response.arrayBuffer()
        if (response.ok) accepted++
        else refused++
        slowest = Math.max(slowest, performance.now() - began)
      }
    } finally {
      clearInterval(timer)
    }
    return [
      { what: 'uploads of a neighbour accepted', value: accepted, unit: '' },
      { what: 'uploads of a neighbour refused', value: refused, unit: '', most: 0 },
      { what: 'slowest upload of the neighbour', value: slowest / 1000, unit: 's', most: MOST_SECONDS },
    ]
  },
}
