/** The customer of `neighbour.ts` in a thread of its own: what the attacking thread computes does not count as time of the service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { NeighbourOrder, NeighbourReport } from './neighbour.ts'

const PAUSE_MS = 500
const FILES_ALONE = 10
const FILE = new Uint8Array(Buffer.alloc(50_000, 'text of a neighbour\n'))

const { baseUrl, key } = workerData as NeighbourOrder
const port = parentPort!
let left = false
port.once('message', () => {
  left = true
})

/** Compresses a file. @returns its milliseconds. `undefined`: it was refused */
async function compress(): Promise<number | undefined> {
  const began = performance.now()
  const body = new FormData()
  body.append('file', new Blob([FILE]), 'neighbour.txt')
  const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=60' }
  try {
    const response = await fetch(`${baseUrl}/v1/compress`, { method: 'POST', headers, body })
    const { status } = (await response.json()) as { status?: string }
    return status === 'completed' ? performance.now() - began : undefined
  } catch {
    return undefined
  }
}

async function compressUntil(isEnd: (count: number) => boolean): Promise<(number | undefined)[]> {
  const times: (number | undefined)[] = []
  for (; !isEnd(times.length); await sleep(PAUSE_MS)) times.push(await compress())
  return times
}

// The first file loads the codec. It is not measured.
await compress()
const alone = await compressUntil((count) => count >= FILES_ALONE)
port.postMessage('ready')
const beside = await compressUntil(() => left)
port.postMessage({ alone, beside } satisfies NeighbourReport)
