/**
 * Clients that download and do not read (review S1): their results must not fill the memory, and they must not stay. Links need no key, so
 * their downloads are bounded in all.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type Figure, MB, timed } from './attack.ts'
import { Target } from './target.ts'

const READERS = 80
/** Links of one result, each read by six clients: more than the service has places for downloads. */
const LINKS = 20
const READERS_PER_LINK = 6
const RESULT_BYTES = 16 * MB
const MOST_BYTES = 100 * MB
const MOST_SECONDS = 120

export const stalledReaders: Attack = {
  name: 'stalled-readers',
  title: `${READERS} downloads of 16 MB by one key that nobody reads`,
  run: () => stall('one key', (target) => keyHeads(target, 1)),
}

export const stalledAccounts: Attack = {
  name: 'stalled-accounts',
  title: `${READERS} downloads of 16 MB by ten accounts that nobody reads`,
  run: () => stall('ten accounts', (target) => keyHeads(target, 10)),
}

export const stalledLinks: Attack = {
  name: 'stalled-links',
  title: `${LINKS * READERS_PER_LINK} downloads of 16 MB by ${LINKS} links, without a key or with invented ones, that nobody reads`,
  run: () => stall('links', linkHeads),
}

/** Heads of `READERS` requests by some accounts. */
async function keyHeads(target: Target, accountCount: number): Promise<string[][]> {
  const accounts = await Promise.all(Array.from({ length: accountCount }, () => target.account('enterprise')))
  const heads: string[][] = []
  for (const { key } of accounts)
    heads.push([`GET /v1/tasks/${await target.result(key, RESULT_BYTES)}/download HTTP/1.1`, `Authorization: Bearer ${key}`])
  return Array.from({ length: READERS }, (_, at) => heads[at % accountCount]!)
}

async function linkHeads(target: Target): Promise<string[][]> {
  const { key } = await target.account('enterprise')
  const path = `/v1/tasks/${await target.result(key, RESULT_BYTES)}/links`
  const heads: string[][] = []
  for (let at = 0; at < LINKS; at++) {
    const { url } = (await (await target.call(key, path, { method: 'POST', body: '{}' })).json()) as { url: string }
    for (let client = 0; client < READERS_PER_LINK; client++)
      heads.push([`GET ${new URL(url).pathname} HTTP/1.1`, `Authorization: Bearer invented-${at}-${client}`])
  }
  return heads
}

async function stall(who: string, headsFor: (target: Target) => Promise<string[][]>): Promise<Figure[]> {
  await using target = await Target.start()
  const heads = await headsFor(target)
  const { key } = await target.account('pro')
  const path = `/v1/tasks/${await target.result(key, RESULT_BYTES)}/download`
  const leave = new AbortController()
  const read = async () => {
    const { byteLength } = await (await target.call(key, path, { signal: leave.signal })).arrayBuffer()
    if (byteLength !== RESULT_BYTES) throw new Error(`A reader got ${byteLength} bytes.`)
  }
  const alone = await timed(read)
  const rest = target.workerdBytes()
  const began = performance.now()
  const sockets = heads.map((head) => target.open(head))
  let [open, last, peak] = [sockets.length, 0, 0]
  for (const socket of sockets)
    socket.once('close', () => {
      open--
      last = performance.now() - began
    })
  const reader = readAgain(read, leave.signal)
  for (; open > 0 && performance.now() - began < (MOST_SECONDS + 10) * 1000; await sleep(1000)) {
    peak = Math.max(peak, target.workerdBytes() - rest)
    // A socket that is not read notices the end of its connection only when it writes.
    for (const socket of sockets) if (!socket.closed) socket.write('\r\n')
  }
  leave.abort()
  const { slowest, failed } = await reader
  return [
    { what: `${who}: memory of workerd beyond its rest`, value: peak / MB, unit: 'MB', most: MOST_BYTES / MB },
    { what: `${who}: connections that are still open`, value: open, unit: '', most: 0 },
    { what: `${who}: last connection closed after`, value: last / 1000, unit: 's', most: MOST_SECONDS },
    { what: `${who}: a reader of another account, alone`, value: alone, unit: 'ms' },
    { what: `${who}: its slowest download beside them`, value: slowest, unit: 'ms' },
    { what: `${who}: its downloads that failed`, value: failed, unit: '', most: 0 },
  ]
}

/** Reads until `signal` aborts. @returns the slowest read in milliseconds, also if it did not end, and the number of failed reads */
async function readAgain(read: () => Promise<void>, signal: AbortSignal): Promise<{ slowest: number; failed: number }> {
  let [slowest, failed] = [0, 0]
  while (!signal.aborted) {
    const ms = await timed(() =>
      read().catch(() => {
        if (!signal.aborted) failed++
      }),
    )
    slowest = Math.max(slowest, ms)
  }
  return { slowest, failed }
}
