/**
 * Load test of the local service with many clients: `npm run bench -- load [--corpus DIR] [--minutes 5] [--clients 200]`. Clients upload,
 * poll, download and delete files, and request lists, usage and health. Prints errors, latency per route, peak memory per process, and
 * how much SQLite data remains per object. Linux only (/proc).
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { provisionDevelopmentAccount } from '../../src/local/development-account.ts'
import { loadSecrets } from '../../src/local/secrets.ts'
import { Service } from '../../src/local/service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Largest file in bytes. Files are small, because the service is tested and not the codecs. */
const MOST_BYTES = 60_000
const FILES = 60
/** Longest pause between two requests of a client, in milliseconds. */
const MAX_PAUSE_MS = 1000
/** Milliseconds after which a client abandons a task. */
const TASK_TIMEOUT_MS = 120_000
const MEMORY_BYTES = 1536 * 2 ** 20

export interface RouteRow {
  readonly route: string
  readonly requests: number
  /** Median latency in milliseconds. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Number of failed requests by HTTP status. 0: no response. */
  readonly refused: Readonly<Record<string, number>>
}

export interface Load {
  readonly clients: number
  readonly seconds: number
  readonly files: number
  readonly failed: number
  readonly abandoned: number
  readonly routes: readonly RouteRow[]
  /** Peak resident memory in MB, by process. */
  readonly memory: Readonly<Record<string, number>>
  /** Number of Durable Objects, and the sums of their rows and bytes, by class. */
  readonly objects: Readonly<Record<string, { objects: number; rows: number; bytes: number }>>
}

interface Count {
  files: number
  failed: number
  abandoned: number
}

interface Client {
  readonly base: string
  readonly headers: Record<string, string>
  readonly files: readonly string[]
  readonly until: number
  readonly asked: Map<string, { ms: number[]; refused: Record<string, number> }>
  readonly count: Count
}

export async function benchLoad(corpus: string, minutes: number, clients: number): Promise<Load> {
  const state = mkdtempSync(join(tmpdir(), 'whittle-load-'))
  const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const pool = { workers: 1, memoryBytes: MEMORY_BYTES }
  const service = new Service({ root: ROOT, state, port: 0, inspectorPort: 0, secretsFile, verbose: false, pool })
  const memory = new Map<string, number>()
  const watch = setInterval(() => noteMemory(service.pid, memory), 1000)
  try {
    await service.start()
    const base = `http://127.0.0.1:${service.port}`
    const { keys } = await provisionDevelopmentAccount(base, adminToken, undefined)
    const [asked, count] = [new Map<string, { ms: number[]; refused: Record<string, number> }>(), { files: 0, failed: 0, abandoned: 0 }]
    const began = performance.now()
    const common = { base, headers: { authorization: `Bearer ${keys.enterprise}` }, files: smallFiles(corpus), asked, count }
    const until = Date.now() + minutes * 60_000
    await Promise.all(Array.from({ length: clients }, () => work({ ...common, until })))
    const seconds = (performance.now() - began) / 1000
    clearInterval(watch)
    await service.stop()
    const report = { clients, seconds, ...count, routes: rowsOf(asked), memory: Object.fromEntries(memory), objects: objectsOf(state) }
    print(report)
    return report
  } finally {
    clearInterval(watch)
    await service.stop()
    rmSync(state, { recursive: true, force: true })
  }
}

/** Returns files of all formats except films. */
function smallFiles(corpus: string): string[] {
  const all = globSync('**/*.*', { cwd: corpus, exclude: ['hostile/**', 'video/**'] })
    .map((name) => join(corpus, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size <= MOST_BYTES && !/\.(md|json)$/.test(file))
    .sort()
  const step = Math.max(1, all.length / FILES)
  return Array.from({ length: Math.min(FILES, all.length) }, (_, i) => all[Math.floor(i * step)]!)
}

/** Runs one client: uploads a file and waits for its end. Every third round also requests a list. */
async function work(client: Client): Promise<void> {
  // Clients start at different times.
  await sleep(Math.random() * 5000)
  for (let round = 0; Date.now() < client.until; round++) {
    await oneFile(client)
    if (round % 3 === 0) await get(client, 'GET /v1/tasks', '/v1/tasks?limit=20')
    if (round % 9 === 0) await get(client, 'GET /v1/usage', '/v1/usage')
    if (round % 9 === 5) await get(client, 'GET /healthz', '/healthz')
    await sleep(Math.random() * MAX_PAUSE_MS)
  }
}

async function oneFile(client: Client): Promise<void> {
  const file = client.files[Math.floor(Math.random() * client.files.length)]!
  const waits = Math.random() < 0.5
  const body = new FormData()
  body.append('file', new Blob([readFileSync(file)]), basename(file))
  const prefer = waits ? 'wait=10' : 'respond-async'
  const sent = await ask(client, `POST /v1/compress (${prefer})`, '/v1/compress', { method: 'POST', headers: { prefer }, body })
  const { task_id: id } = (sent ?? {}) as { task_id?: string }
  if (!id) return
  const status = await ended(client, `/v1/tasks/${id}`)
  if (status === undefined) client.count.abandoned++
  else if (status === 'failed') client.count.failed++
  else client.count.files++
  if (status === 'completed') await get(client, 'GET /v1/tasks/{id}/download', `/v1/tasks/${id}/download`)
  if (status !== undefined && Math.random() < 0.5) await ask(client, 'DELETE /v1/tasks/{id}', `/v1/tasks/${id}`, { method: 'DELETE' })
}

async function ended(client: Client, path: string): Promise<string | undefined> {
  for (const deadline = Date.now() + TASK_TIMEOUT_MS; Date.now() < deadline; await sleep(500 + Math.random() * MAX_PAUSE_MS)) {
    const { status } = ((await get(client, 'GET /v1/tasks/{id}', path)) ?? {}) as { status?: string }
    if (status === 'completed' || status === 'failed') return status
  }
  return undefined
}

const get = (client: Client, route: string, path: string) => ask(client, route, path, {})

/** Sends a request. Returns the JSON body. `undefined`: the request failed, or the body is not JSON. */
async function ask(client: Client, route: string, path: string, init: RequestInit): Promise<unknown> {
  const row = client.asked.get(route) ?? { ms: [], refused: {} }
  client.asked.set(route, row)
  const began = performance.now()
  try {
    const answer = await fetch(client.base + path, { ...init, headers: { ...client.headers, ...(init.headers as Record<string, string>) } })
    const bytes = await answer.arrayBuffer()
    row.ms.push(performance.now() - began)
    if (!answer.ok) {
      row.refused[answer.status] = (row.refused[answer.status] ?? 0) + 1
      return undefined
    }
    return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(new TextDecoder().decode(bytes)) : undefined
  } catch {
    row.refused[0] = (row.refused[0] ?? 0) + 1
    return undefined
  }
}

function rowsOf(asked: Client['asked']): RouteRow[] {
  return [...asked].sort().map(([route, { ms, refused }]) => {
    const sorted = ms.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { route, requests: ms.length + (refused[0] ?? 0), p50: at(0.5), p95: at(0.95), p99: at(0.99), refused }
  })
}

/** Updates the peak resident memory of workerd, each press and the other processes of the service. */
function noteMemory(rootPid: number, most: Map<string, number>): void {
  const table = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const family = [String(rootPid)]
  for (const parent of family) for (const [pid = '', ppid] of rows) if (ppid === parent) family.push(pid)
  const current = new Map<string, number>()
  for (const [pid = '', , rss = '0', ...args] of rows) {
    if (!family.includes(pid)) continue
    const line = args.join(' ')
    const name = line.includes('workerd') ? 'workerd' : line.includes('press') ? `press ${pid}` : 'others'
    current.set(name, (current.get(name) ?? 0) + Number(rss) / 1000)
  }
  for (const [name, megabytes] of current) most.set(name, Math.max(most.get(name) ?? 0, megabytes))
}

/** Returns the number of objects, rows and bytes in SQLite, by class. */
function objectsOf(state: string): Record<string, { objects: number; rows: number; bytes: number }> {
  const sums: Record<string, { objects: number; rows: number; bytes: number }> = {}
  for (const name of globSync('v3/do/*/*.sqlite', { cwd: state })) {
    if (!/[0-9a-f]{64}\.sqlite$/.test(name)) continue
    const kind = /-?([A-Z]\w+)\//.exec(name)?.[1] ?? 'other'
    const sum = (sums[kind] ??= { objects: 0, rows: 0, bytes: 0 })
    using database = new DatabaseSync(join(state, name), { readOnly: true })
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
    for (const table of tables) {
      sum.rows += Number((database.prepare(`SELECT COUNT(*) AS n FROM "${table.name}"`).get() as { n: number }).n)
    }
    sum.objects++
    sum.bytes += statSync(join(state, name)).size
  }
  return sums
}

function print(load: Load): void {
  const { clients, seconds, files, failed, abandoned, routes, memory, objects } = load
  console.log(
    `\n${clients} clients, ${seconds.toFixed(0)} s: ${files} files, ${(files / seconds).toFixed(1)} a second; ${failed} failed, ${abandoned} abandoned`,
  )
  for (const { route, requests, p50, p95, p99, refused } of routes) {
    const times = [p50, p95, p99].map((ms) => ms.toFixed(0).padStart(7)).join('')
    console.log(`  ${route.padEnd(34)} ${String(requests).padStart(7)}  p50 p95 p99 ms ${times}  ${JSON.stringify(refused)}`)
  }
  for (const [name, megabytes] of Object.entries(memory)) console.log(`  ${name.padEnd(34)} ${megabytes.toFixed(0).padStart(7)} MB`)
  for (const [kind, { objects: count, rows, bytes }] of Object.entries(objects)) {
    console.log(
      `  ${kind.padEnd(34)} ${String(count).padStart(7)} objects, ${(rows / count).toFixed(1)} rows and ${(bytes / count).toFixed(0)} B each`,
    )
  }
}
