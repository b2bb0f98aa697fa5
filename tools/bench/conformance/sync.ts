/**
 * Syncs COUNT small objects through a real MinIO server, and kills the service three times at random moments:
 * `npm run conformance -- sync [COUNT] [--seed 1]` (default: 10,000 objects). MinIO is the program in `WHITTLE_MINIO`, or `minio` of the
 * PATH. Fails unless each object was written exactly once, the figures add up, nothing stays in the service, the memory of the parent
 * process stays flat, and a second sync writes nothing. Linux only (/proc).
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { toSyncView } from '../../../src/service/store/syncs.ts'
import { plainPng } from '../../../test/support/plain-png.ts'
import { randomNumbers } from '../../../test/support/random-numbers.ts'
import { CountedBucket, PASSWORD, USER } from './counted-bucket.ts'
import { Processes, residentBytes } from './victims.ts'

type Sync = ReturnType<typeof toSyncView>

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, port: { type: 'string', default: '8798' } },
})
const count = Number(positionals[0] ?? 10_000)
if (!Number.isInteger(count) || count < 10) throw new Error(`COUNT must be a whole number from 10, got '${positionals[0]}'`)
const KILLS = 3
const START_MS = 120_000
/** Milliseconds without progress after which the sync counts as stuck. */
const STUCK_MS = 300_000
/** Growth of the parent's memory from the first third of the sync to its end, in MB, that counts as flat. */
const FLAT_MB = 40
const state = mkdtempSync(join(tmpdir(), 'whittle-sync-'))
const base = `http://127.0.0.1:${values.port}`
const processes = new Processes()
const problems: string[] = []

/** The same seed kills at the same shares of the sync. */
const random = randomNumbers(Number(values.seed))

async function start(): Promise<ChildProcess> {
  const log = openSync(join(state, 'service.log'), 'a')
  const command = ['src/local/start.ts', '--port', values.port, '--state', state, '--embedded']
  const service = spawn(process.execPath, command, { detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  for (const end = Date.now() + START_MS; Date.now() < end && service.exitCode === null; await sleep(200)) {
    const answer = await fetch(`${base}/healthz`).catch(() => undefined)
    if (answer?.ok && key()) return service
  }
  throw new Error(`the service did not start:\n${readFileSync(join(state, 'service.log'), 'utf8').slice(-3000)}`)
}

function key(): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(state, 'keys.json'), 'utf8')) as { keys: Record<string, string> }).keys['enterprise']
  } catch {
    return undefined
  }
}

async function api<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key()}`, 'content-type': 'application/json' }
  const answer = await fetch(base + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const json = (await answer.json()) as T
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`)
  return json
}

/** Objects of a few kilobytes: three texts, then a picture. */
function contentOf(index: number): { key: string; bytes: Uint8Array<ArrayBuffer> } {
  const folder = String(index % 100).padStart(2, '0')
  if (index % 4 === 3) {
    const form = { width: 24, height: 24, colourType: 2, bitDepth: 8 } as const
    const bytes = plainPng(form, (x, y) => [(x * 9 + index) & 255, (y * 9 + (index >> 8)) & 255, (x ^ y) & 255])
    return { key: `in/${folder}/${index}.png`, bytes: new Uint8Array(bytes) }
  }
  const line = `object ${index}: ${Math.imul(index, 2654435761) >>> 0} of the sync, in a text that repeats itself\n`
  return { key: `in/${folder}/${index} ü+.txt`, bytes: new TextEncoder().encode(line.repeat(20 + (index % 40))) }
}

const ended = ({ skipped, compressed, unchanged, failed }: Sync) => skipped + compressed + unchanged + failed

const ORDER = { source: { connection: 'from', prefix: 'in/' }, destination: { connection: 'to', prefix: 'out/' } }

let service: ChildProcess | undefined
try {
  await using bucket = await CountedBucket.open(state)
  const filledMs = performance.now()
  await bucket.fill(count, contentOf)
  console.log(`${count} objects written in ${((performance.now() - filledMs) / 1000).toFixed(0)} s`)
  service = await start()
  const { endpoint, name } = bucket
  const fields = { type: 's3', endpoint, region: 'us-east-1', bucket: name, access_key_id: USER, secret_access_key: PASSWORD }
  for (const connection of ['from', 'to']) await api('PUT', `/v1/connections/${connection}`, fields)
  await run(bucket)
  await repeat(bucket)
} finally {
  if (service?.pid) processes.kill(service.pid, 'tree')
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) console.error(`The state of the service is kept in ${state}`)
else rmSync(state, { recursive: true, force: true })
process.exitCode = problems.length > 0 ? 1 : 0

async function run(bucket: CountedBucket): Promise<void> {
  const startedMs = performance.now()
  const { sync_id } = await api<Sync>('POST', '/v1/syncs', ORDER)
  const moments = Array.from({ length: KILLS }, () => 0.05 + 0.85 * random()).sort((a, b) => a - b)
  const memories: { share: number; parent: number }[] = []
  let sync = await api<Sync>('GET', `/v1/syncs/${sync_id}`)
  let [last, changedMs] = [-1, Date.now()]
  for (; sync.status !== 'completed' && sync.status !== 'failed'; await sleep(500)) {
    sync = await api<Sync>('GET', `/v1/syncs/${sync_id}`).catch(() => sync)
    const share = ended(sync) / count
    if (ended(sync) !== last) [last, changedMs] = [ended(sync), Date.now()]
    if (Date.now() - changedMs > STUCK_MS) throw new Error(`the sync is stuck: ${JSON.stringify(sync)}`)
    const parent = processes.below(service!.pid!).find(({ command }) => /local\/serve\.ts /.test(command))
    const bytes = parent ? residentBytes(parent.pid) : 0
    if (bytes > 0) memories.push({ share, parent: bytes / 2 ** 20 })
    if (share < (moments[0] ?? Number.POSITIVE_INFINITY)) continue
    moments.shift()
    await sleep(random() * 2000)
    const gone = once(service!, 'exit')
    processes.kill(service!.pid!, 'tree')
    await gone
    console.log(
      `killed after ${((performance.now() - startedMs) / 1000).toFixed(0)} s at ${last} of ${count} objects, ${bucket.writes.size} written`,
    )
    service = await start()
  }
  const seconds = (performance.now() - startedMs) / 1000
  console.log(`${sync.status} after ${seconds.toFixed(0)} s: ${JSON.stringify({ ...sync, estimates: undefined })}`)
  judge(sync, memories)
  await judgeWrites(bucket, sync)
}

function judge(sync: Sync, memories: readonly { share: number; parent: number }[]): void {
  if (sync.status !== 'completed') problems.push(`the sync ended as ${sync.status}`)
  if (sync.found !== count) problems.push(`found ${sync.found} of ${count} objects`)
  if (ended(sync) !== sync.found) problems.push(`the figures add up to ${ended(sync)}, found were ${sync.found}`)
  if (sync.failed + sync.skipped > 0) problems.push(`${sync.failed} objects failed, ${sync.skipped} were skipped`)
  const peak = (from: number, to: number) =>
    Math.max(...memories.filter(({ share }) => share >= from && share <= to).map(({ parent }) => parent))
  const [early, late] = [peak(0, 1 / 3), peak(2 / 3, 1)]
  console.log(`memory of the parent: ${early.toFixed(0)} MB in the first third, ${late.toFixed(0)} MB in the last`)
  if (late > early + FLAT_MB) problems.push(`the memory of the parent grew from ${early.toFixed(0)} to ${late.toFixed(0)} MB`)
}

async function judgeWrites(bucket: CountedBucket, sync: Sync): Promise<void> {
  const repeated = [...bucket.writes].filter(([, times]) => times !== 1)
  for (const [path, times] of repeated.slice(0, 10)) problems.push(`${path} was written ${times} times`)
  const { objects, bytes } = await bucket.sum('out/')
  console.log(
    `${objects} objects of ${bytes} bytes at the destination, ${bucket.writes.size} keys written, ${repeated.length} more than once`,
  )
  if (objects !== count) problems.push(`the destination has ${objects} objects instead of ${count}`)
  if (bytes !== sync.compressed_size) problems.push(`the destination has ${bytes} bytes, the sync says ${sync.compressed_size}`)
  const { tasks } = await api<{ tasks: object[] }>('GET', '/v1/tasks?limit=100')
  if (tasks.length > 0) problems.push(`${tasks.length} tasks were left: ${JSON.stringify(tasks[0])}`)
}

/** A second sync finds the results of the first one. */
async function repeat(bucket: CountedBucket): Promise<void> {
  const before = bucket.writes.size
  const { sync_id } = await api<Sync>('POST', '/v1/syncs', ORDER)
  let sync = await api<Sync>('GET', `/v1/syncs/${sync_id}`)
  for (; sync.status === 'estimating' || sync.status === 'running'; await sleep(500)) sync = await api<Sync>('GET', `/v1/syncs/${sync_id}`)
  console.log(`second sync: ${sync.status}, ${sync.skipped} skipped`)
  if (sync.status !== 'completed' || sync.skipped !== count) problems.push(`the second sync: ${JSON.stringify(sync)}`)
  if (bucket.writes.size !== before) problems.push(`the second sync wrote ${bucket.writes.size - before} objects`)
}
