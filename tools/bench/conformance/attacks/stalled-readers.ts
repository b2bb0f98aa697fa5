/**
 * Clients that download and do not read, or read slowly (review S1): their results must not fill the memory, and they must not stay. Links
 * need no key, so their downloads count for the account of their task. A reader of another account must keep its pace.
 */
import type { Socket } from 'node:net'
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
/** Pace of the slow readers in bytes per second: four times the least pace of a response. */
const SLOW_BYTES_PER_SECOND = 6000
/** Seconds for which the slow readers read. */
const SLOW_SECONDS = 60
/** Unfinished downloads of one account. */
const MOST_OF_ACCOUNT = 12
const READS_ALONE = 5
/** Most time of another account's download beside the attack, as a multiple of its time alone. */
const MOST_FACTOR = 2

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

export const slowLinks: Attack = {
  name: 'slow-links',
  title: `${LINKS * READERS_PER_LINK} downloads of 16 MB by ${LINKS} links, each read at ${SLOW_BYTES_PER_SECOND} bytes per second`,
  run: () => stall('slow links', linkHeads, true),
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

async function stall(who: string, headsFor: (target: Target) => Promise<string[][]>, readsSlowly = false): Promise<Figure[]> {
  await using target = await Target.start()
  const heads = await headsFor(target)
  const { key } = await target.account('pro')
  const path = `/v1/tasks/${await target.result(key, RESULT_BYTES)}/download`
  const leave = new AbortController()
  const read = async () => {
    const { byteLength } = await (await target.call(key, path, { signal: leave.signal })).arrayBuffer()
    if (byteLength !== RESULT_BYTES) throw new Error(`A reader got ${byteLength} bytes.`)
  }
  const alone: number[] = []
  while (alone.length < READS_ALONE) alone.push(await timed(read))
  const rest = target.workerdBytes()
  const sockets = new StalledSockets(heads.map((head) => target.open(head)))
  const reader = readAgain(read, leave.signal)
  const untilMs = (readsSlowly ? SLOW_SECONDS : MOST_SECONDS + 10) * 1000
  let peak = 0
  for (; sockets.open > 0 && sockets.ageMs() < untilMs; await sleep(1000)) {
    peak = Math.max(peak, target.workerdBytes() - rest)
    sockets.touch(readsSlowly ? SLOW_BYTES_PER_SECOND : 0)
  }
  leave.abort()
  const { times, failed } = await reader
  const aloneMs = mean(alone)
  return [
    { what: `${who}: memory of workerd beyond its rest`, value: peak / MB, unit: 'MB', most: MOST_BYTES / MB },
    { what: `${who}: connections that are still open`, value: sockets.open, unit: '', most: readsSlowly ? MOST_OF_ACCOUNT : 0 },
    { what: `${who}: last connection closed after`, value: sockets.lastClosedMs / 1000, unit: 's', most: MOST_SECONDS },
    { what: `${who}: a reader of another account, alone, mean of ${alone.length}`, value: aloneMs, unit: 'ms' },
    { what: `${who}: its downloads beside them, mean of ${times.length}`, value: mean(times), unit: 'ms' },
    { what: `${who}: the slowest of these`, value: Math.max(...times), unit: 'ms' },
    { what: `${who}: mean time beside them, as a multiple of the time alone`, value: mean(times) / aloneMs, unit: '×', most: MOST_FACTOR },
    { what: `${who}: its downloads that failed`, value: failed, unit: '', most: 0 },
  ]
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Connections of the attacker, which are read only when `touch` says so. */
class StalledSockets {
  readonly #sockets: readonly Socket[]
  readonly #began = performance.now()
  open: number
  /** Milliseconds after which the last connection closed. 0: none did. */
  lastClosedMs = 0

  constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets
    this.open = sockets.length
    for (const socket of sockets)
      socket.once('close', () => {
        this.open--
        this.lastClosedMs = this.ageMs()
      })
  }

  ageMs(): number {
    return performance.now() - this.#began
  }

  /** Reads some bytes of each connection. A socket that is not read notices the end of its connection only when it writes. */
  touch(bytes: number): void {
    for (const socket of this.#sockets) {
      if (socket.closed) continue
      if (bytes > 0) socket.read(Math.min(bytes, socket.readableLength))
      else socket.write('\r\n')
    }
  }
}

/** Reads until `signal` aborts. @returns the times in milliseconds, also of a read that did not end, and the number of failed reads */
async function readAgain(read: () => Promise<void>, signal: AbortSignal): Promise<{ times: number[]; failed: number }> {
  const times: number[] = []
  let failed = 0
  while (!signal.aborted) {
    const ms = await timed(() =>
      read().catch(() => {
        if (!signal.aborted) failed++
      }),
    )
    // The last read was cut off. It counts only if it was slower than the others.
    if (!signal.aborted || ms > Math.max(0, ...times)) times.push(ms)
  }
  return { times, failed }
}
