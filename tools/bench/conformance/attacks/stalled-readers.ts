/** Clients that download and do not read (review S1): their results must not fill the memory, and they must not stay. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type Figure, MB, timed } from './attack.ts'
import { Target } from './target.ts'

const READERS = 80
const RESULT_BYTES = 16 * MB
const MOST_BYTES = 100 * MB
const MOST_SECONDS = 120

export const stalledReaders: Attack = {
  name: 'stalled-readers',
  title: `${READERS} downloads of 16 MB by one key that nobody reads`,
  run: () => stall(1),
}

export const stalledAccounts: Attack = {
  name: 'stalled-accounts',
  title: `${READERS} downloads of 16 MB by ten accounts that nobody reads`,
  run: () => stall(10),
}

async function stall(accountCount: number): Promise<Figure[]> {
  await using target = await Target.start()
  const accounts = await Promise.all(Array.from({ length: accountCount }, () => target.account('enterprise')))
  const heads: string[][] = []
  for (const { key } of accounts) heads.push(await downloadHead(target, key))
  const { key } = await target.account('pro')
  const path = `/v1/tasks/${await target.result(key, RESULT_BYTES)}/download`
  const read = async () => {
    const { byteLength } = await (await target.call(key, path)).arrayBuffer()
    if (byteLength !== RESULT_BYTES) throw new Error(`A reader got ${byteLength} bytes.`)
  }
  const alone = await timed(read)
  const rest = target.workerdBytes()
  const began = performance.now()
  const sockets = Array.from({ length: READERS }, (_, at) => target.open(heads[at % accountCount]!))
  let [open, last, peak, beside] = [READERS, 0, 0, 0]
  for (const socket of sockets)
    socket.once('close', () => {
      open--
      last = performance.now() - began
    })
  for (; open > 0 && performance.now() - began < (MOST_SECONDS + 10) * 1000; await sleep(1000)) {
    peak = Math.max(peak, target.workerdBytes() - rest)
    beside = Math.max(beside, await timed(read))
    // A socket that is not read notices the end of its connection only when it writes.
    for (const socket of sockets) if (!socket.closed) socket.write('\r\n')
  }
  const who = accountCount === 1 ? 'one key' : `${accountCount} accounts`
  return [
    { what: `${who}: memory of workerd beyond its rest`, value: peak / MB, unit: 'MB', most: MOST_BYTES / MB },
    { what: `${who}: connections that are still open`, value: open, unit: '', most: 0 },
    { what: `${who}: last connection closed after`, value: last / 1000, unit: 's', most: MOST_SECONDS },
    { what: `${who}: a reader of another account, alone`, value: alone, unit: 'ms' },
    { what: `${who}: its slowest download beside them`, value: beside, unit: 'ms' },
  ]
}

async function downloadHead(target: Target, key: string): Promise<string[]> {
  return [`GET /v1/tasks/${await target.result(key, RESULT_BYTES)}/download HTTP/1.1`, `Authorization: Bearer ${key}`]
}
