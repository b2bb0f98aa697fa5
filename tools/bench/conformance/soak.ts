/**
 * Mixed load on `npm start` for an hour:
 * `npm run conformance -- soak [--minutes 60] [--clients 3] [--workers 2] [--port 8798] [--state FOLDER]`. Keys of three plans exceed
 * their rate limits, and other clients upload, download and delete small files. Processes are killed in the first and the last twelfth
 * of the time. In between, the median memory of each process is compared (second sixth with the last sixth). A new process loads engines
 * and compiles code during its first 1000 tasks, so more `--clients` show sooner whether it keeps its size.
 * `--state` names a folder that does not exist yet. Default: a temporary folder. It is deleted if no problem was found.
 * Afterwards, no key may have exceeded its rate limit, and deleted tasks must have left no files. Tasks and calls must have been counted
 * once, except calls just before a kill. Linux only (/proc).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { generatedSeeds } from '../../fuzz/seeds.ts'
import { differences, type Regions, regionsOf } from './memory-regions.ts'
import { Processes, residentBytes, type Victim } from './victims.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    clients: { type: 'string', default: '3' },
    workers: { type: 'string', default: '2' },
    state: { type: 'string' },
    port: { type: 'string', default: '8798' },
  },
})
const ROOT = resolve(import.meta.dirname, '../../..')
const totalMs = Number(values.minutes) * 60_000
const state = values.state === undefined ? mkdtempSync(join(tmpdir(), 'whittle-soak-')) : resolve(values.state)
// An older state would add its tasks to the counts.
if (values.state !== undefined) mkdirSync(state)
/** Temporary folder of the service and its child processes. */
const scratch = join(state, 'tmp')
mkdirSync(scratch)
const base = `http://127.0.0.1:${values.port}`
const began = performance.now()
const share = () => (performance.now() - began) / totalMs

/** Rate limits of the plans, in requests per minute (docs/users/limits.md). */
const LIMITS = { free: 10, basic: 60, pro: 300 } as const
const WINDOW_MS = 60_000
/** Request rate of the clients relative to their rate limit. */
const RATE_FACTOR = 1.2
const KINDS: readonly Victim[] = ['press', 'edge', 'parent', 'tree', 'press']
const MOST_GROWTH = 1.05
/** Longest wait in milliseconds. Tasks of a killed press wait until their lease expires. */
const WAIT_MS = 300_000
const MAX_PAUSE_MS = 2000
const SAMPLE_MS = 5000
/** Number of lines that say how it goes. */
const REPORTS = 12
const SHUTDOWN_MS = 3000

const processes = new Processes()
const problems: string[] = []
const asked = { answered: 0, refused: 0, silent: 0 }
/** Delay in milliseconds after which a counted call is stored: 100 ms (`KeyGate`), or longer on a loaded machine. */
const STORE_DELAY_MS = 250
const answeredAt: number[] = []
const killedAt: number[] = []
const admitted = new Map<string, { sent: number; answered: number }[]>(Object.keys(LIMITS).map((plan) => [plan, []]))
/** Final status of each task that was observed. Deleted tasks are only known from here. */
const ended = new Map<string, string>()
const accepted = new Set<string>()
const memory = new Map<string, { at: number; bytes: number }[]>()
/** Memory of each process by kind of region: first and last in the quiet period. */
const regions = new Map<string, { first: Regions; last: Regions }>()
let killed = 0

async function start(): Promise<[ChildProcess, Promise<unknown>]> {
  const service = spawn(
    process.execPath,
    ['--max-semi-space-size=4', 'src/local/start.ts', '--port', values.port, '--state', state, '--workers', values.workers],
    {
      cwd: ROOT,
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, TMPDIR: scratch },
    },
  )
  const gone = once(service, 'exit')
  if (!(await isUp(120_000))) throw new Error('the service did not start')
  return [service, gone]
}

async function isUp(withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(200)) {
    const answer = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(5000) }).catch(() => undefined)
    if (answer?.ok && keyOf('enterprise')) return true
  }
  return false
}

function keyOf(plan: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(state, 'keys.json'), 'utf8')) as { keys: Record<string, string> }).keys[plan]
  } catch {
    return undefined
  }
}

/** Sends a request and counts its outcome. `undefined`: no response, or an error status. */
async function ask<T>(plan: string, path: string, init: RequestInit = {}): Promise<T | undefined> {
  const sent = performance.now()
  try {
    const answer = await fetch(base + path, { ...init, headers: { authorization: `Bearer ${keyOf(plan)}`, ...init.headers } })
    const text = await answer.text()
    if (answer.status === 429) asked.refused++
    // The proxy answers 503 while the service restarts; such calls are not counted.
    else if (answer.status === 503) asked.silent++
    else {
      asked.answered++
      answeredAt.push(performance.now())
      admitted.get(plan)?.push({ sent, answered: performance.now() })
    }
    return answer.ok && answer.headers.get('content-type')?.startsWith('application/json') ? (JSON.parse(text) as T) : undefined
  } catch {
    asked.silent++
    return undefined
  }
}

interface Task {
  task_id: string
  status: string
}

async function exceedLimit(plan: keyof typeof LIMITS): Promise<void> {
  for (let requests = 0; share() < 1; requests++) {
    if (requests % 20 === 0) await send(plan, new TextEncoder().encode(`${requests} `.repeat(500)), 'a.txt')
    else await ask(plan, '/v1/tasks?limit=1')
    await sleep(WINDOW_MS / LIMITS[plan] / RATE_FACTOR)
  }
}

async function send(plan: string, bytes: Uint8Array, name: string): Promise<string | undefined> {
  const body = new FormData()
  body.append('file', new Blob([bytes.slice()]), name)
  const prefer = Math.random() < 0.5 ? 'wait=10' : 'respond-async'
  const task = await ask<Task>(plan, '/v1/compress', { method: 'POST', body, headers: { prefer } })
  if (task?.task_id) accepted.add(task.task_id)
  return task?.task_id
}

/** Uploads one file after the other, waits for its end, downloads it, and deletes every second one. */
async function work(): Promise<void> {
  const seeds = await generatedSeeds()
  for (let round = 0; share() < 1; round++) {
    const { name, bytes } = seeds[Math.floor(Math.random() * seeds.length)]!
    const id = await send('enterprise', bytes, basename(name))
    const status = id && (await endOf(id))
    if (status === 'completed') await ask('enterprise', `/v1/tasks/${id}/download`)
    if (status && round % 2) await ask('enterprise', `/v1/tasks/${id}`, { method: 'DELETE' })
    await sleep(Math.random() * MAX_PAUSE_MS)
  }
}

async function endOf(id: string): Promise<string | undefined> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(1000)) {
    const { status } = (await ask<Task>('enterprise', `/v1/tasks/${id}`)) ?? {}
    if (status !== 'completed' && status !== 'failed') continue
    ended.set(id, status)
    return status
  }
  return undefined
}

let [service, gone] = await start()
const isQuietPeriod = () => share() >= 1 / 12 && share() < 11 / 12

async function killNow(victim: Victim): Promise<void> {
  killedAt.push(performance.now())
  if (processes.kill(service.pid ?? 0, victim) === 0) return
  killed++
  if (victim !== 'tree' && (await isUp(30_000))) return
  processes.kill(service.pid ?? 0, 'tree')
  await gone
  ;[service, gone] = await start()
}

async function killOften(): Promise<void> {
  for (let round = 0; share() < 1; await sleep(totalMs / 144)) if (!isQuietPeriod()) await killNow(KINDS[round++ % KINDS.length]!)
}

async function watch(): Promise<void> {
  for (let reported = 0; share() < 1; await sleep(SAMPLE_MS)) {
    const sizes: string[] = []
    for (const { pid, command } of processes.below(service.pid ?? 0)) {
      const kind = /workerd|press\.mjs|media\.mjs|serve\.ts|start\.ts/.exec(command)?.[0]
      if (!kind || /^\S*(sh|ps) /.test(command)) continue
      const bytes = residentBytes(pid)
      const samples = memory.get(`${kind} ${pid}`) ?? []
      memory.set(`${kind} ${pid}`, samples)
      if (bytes > 0) samples.push({ at: share(), bytes })
      noteRegions(`${kind} ${pid}`, pid)
      sizes.push(`${kind} ${mb(bytes)}`)
    }
    if (share() < reported) continue
    reported += 1 / REPORTS
    console.log(`  minute ${((share() * totalMs) / 60_000).toFixed(0)}, ${killed} kills, ${accepted.size} tasks: ${sizes.join(', ')} MB`)
  }
}

function noteRegions(name: string, pid: number): void {
  const known = regions.get(name)
  const isDue = known ? share() >= 10 / 12 && share() < 11 / 12 : share() >= 1 / 6 && share() < 2 / 6
  if (!isDue) return
  const now = regionsOf(pid)
  if (now.size > 0) regions.set(name, { first: known?.first ?? now, last: now })
}

function median(samples: readonly { at: number; bytes: number }[], from: number, to: number): number {
  const sorted = samples
    .filter(({ at }) => at >= from && at < to)
    .map(({ bytes }) => bytes)
    .sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}

/** Prints the memory growth of each process that ran during the whole quiet period. */
function judgeMemory(): void {
  for (const [name, samples] of memory) {
    const [first, last] = [median(samples, 1 / 6, 2 / 6), median(samples, 9 / 12, 11 / 12)]
    if (!samples[0] || samples[0].at > 1 / 6 + 0.02 || !first || !last) continue
    const growth = last / first
    console.log(`  ${name.padEnd(20)} ${mb(first)} → ${mb(last)} MB, ${((growth - 1) * 100).toFixed(1)} %`)
    const { first: before, last: after } = regions.get(name) ?? {}
    if (before && after) console.log(`  ${''.padEnd(20)} ${differences(before, after)} MB`)
    if (growth > MOST_GROWTH) problems.push(`${name} grew from ${mb(first)} to ${mb(last)} MB`)
  }
}
const mb = (bytes: number) => (bytes / 1e6).toFixed(0)

/** True if the response came just before a kill, so its count may be lost. */
const mayBeUncounted = (answered: number) => killedAt.some((kill) => answered <= kill && answered > kill - STORE_DELAY_MS)

/** Checks the rate limits: counts calls that were sent and answered within one minute. */
function judgeLimits(): void {
  for (const [plan, limit] of Object.entries(LIMITS)) {
    const calls = (admitted.get(plan) ?? []).filter(({ answered }) => !mayBeUncounted(answered)).sort((a, b) => a.sent - b.sent)
    let most = 0
    for (const { sent } of calls)
      most = Math.max(most, calls.filter((call) => call.sent >= sent && call.answered <= sent + WINDOW_MS).length)
    console.log(`  ${plan.padEnd(20)} ${calls.length} let in, ${most} of ${limit} in a minute at most`)
    if (most > limit) problems.push(`${plan}: ${most} within a minute, of ${limit}`)
  }
}

async function listed(): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for (let cursor = ''; ; ) {
    const path = `/v1/tasks?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const page = await ask<{ tasks: Task[]; next_cursor?: string | null }>('enterprise', path)
    // A missing response does not mean the end of the list, so the page is requested again.
    if (!page) {
      await sleep(1000)
      continue
    }
    for (const task of page.tasks) all.set(task.task_id, task.status)
    if (!page.next_cursor) return all
    cursor = page.next_cursor
  }
}

async function judgeCounters(): Promise<void> {
  let all = await listed()
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(2000), all = await listed())
    if ([...all.values()].every((status) => status === 'completed' || status === 'failed')) break
  for (const [id, status] of all) {
    if (status !== 'completed' && status !== 'failed') problems.push(`task ${id} is still ${status}`)
    ended.set(id, status)
  }
  for (const id of accepted) if (!ended.has(id)) problems.push(`task ${id} was accepted, but no longer exists`)
  const count = (status: string) => [...ended.values()].filter((other) => other === status).length
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; ) {
    const left = await listed()
    if (left.size === 0) break
    for (const id of left.keys()) await ask('enterprise', `/v1/tasks/${id}`, { method: 'DELETE' })
  }
  const token = /^ADMIN_TOKEN=(.+)$/m.exec(readFileSync(join(state, 'secrets.env'), 'utf8'))?.[1]
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sweep = async () => fetch(`${base}/admin/sweep`, { method: 'POST', headers, body: '{"min_age_seconds":0}' })
  await (await sweep()).text()
  const { looked } = (await (await sweep()).json()) as { looked: number }
  const before = { ...asked }
  const usage = await ask<{ api_calls: number; tasks_completed: number; tasks_failed: number; storage_used: number }>(
    'enterprise',
    '/v1/usage',
  )
  // The call to `/v1/usage` itself is counted, too.
  const maybeUncounted = answeredAt.filter(mayBeUncounted).length
  const [least, most] = [before.answered - maybeUncounted, before.answered + before.silent + 1]
  console.log(`  ${accepted.size} tasks accepted, ${ended.size} ended, ${count('failed')} failed; ${JSON.stringify(before)}`)
  console.log(
    `  usage: ${usage?.tasks_completed} + ${usage?.tasks_failed} tasks, ${usage?.api_calls} calls, ${usage?.storage_used} bytes stored`,
  )
  if (usage?.tasks_completed !== count('completed'))
    problems.push(`usage counts ${usage?.tasks_completed} completed, of ${count('completed')}`)
  if (usage?.tasks_failed !== count('failed')) problems.push(`usage counts ${usage?.tasks_failed} failed, of ${count('failed')}`)
  if (usage?.storage_used !== 0) problems.push(`usage says that ${usage?.storage_used} bytes are stored`)
  if (!usage || usage.api_calls < least || usage.api_calls > most)
    problems.push(`${usage?.api_calls} calls counted, not ${least} to ${most}`)
  if (looked !== 0) problems.push(`${looked} blobs belong to no task`)
}

/** Checks that no result files, press files or temporary files remain. */
function judgeFiles(): void {
  // The service removes the folder of the press processes when it ends.
  for (const folder of ['presses', 'v3/r2', 'tmp'].filter((name) => existsSync(join(state, name)))) {
    const names = readdirSync(join(state, folder), { recursive: true, encoding: 'utf8' })
    // The list of accounts consists of empty files, which are ignored.
    const files = names.filter((name) => statSync(join(state, folder, name)).isFile() && statSync(join(state, folder, name)).size > 0)
    const left = files.filter((name) => !/\.sqlite(-shm|-wal)?$/.test(name))
    if (left.length > 0) problems.push(`${left.length} files left in ${folder}: ${left.slice(0, 5).join(', ')}`)
  }
}

const load = [...(['free', 'basic', 'pro'] as const).map(exceedLimit), ...Array.from({ length: Number(values.clients) }, work)]
await Promise.all([...load, killOften(), watch()])
if (!(await isUp(60_000))) problems.push('the service is not up at the end')
console.log(`${values.minutes} minutes, ${killed} kills`)
judgeMemory()
judgeLimits()
await judgeCounters()
// SIGTERM lets the service clean up; SIGKILL has been tested enough.
service.kill('SIGTERM')
await gone
await sleep(SHUTDOWN_MS)
// This program has the folder among its own arguments, and so has the one that started it.
const own = [process.pid, process.ppid].map((pid) => `${pid} `)
const left = processes.left(state).filter((command) => !own.some((pid) => command.startsWith(pid)))
problems.push(...left.map((command) => `process still running: ${command}`))
judgeFiles()
for (const problem of problems) console.error(problem)
if (problems.length === 0) rmSync(state, { recursive: true, force: true })
process.exitCode = problems.length > 0 ? 1 : 0
