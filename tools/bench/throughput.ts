/**
 * Compresses twenty mixed files at once through the local service, with one press and with two: `npm run bench -- throughput [--corpus
 * DIR]`. Prints seconds, files and MB per second, CPU seconds of the service and of all other programs (which should be low), and API
 * latency. Fails if the hashes of the results differ. Linux only (/proc).
 */
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { provisionDevelopmentAccount } from '../../src/local/development-account.ts'
import { loadSecrets } from '../../src/local/secrets.ts'
import { Service } from '../../src/local/service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FILES = 20
const [LEAST_BYTES, MOST_BYTES] = [100_000, 3_000_000]
const MEMORY_BYTES = 1536 * 2 ** 20
/** Milliseconds between two status requests, because polling uses CPU time. */
const POLL_MS = 50
/** Configurations: number of presses, and name of the row. */
const CONFIGURATIONS = [
  [1, 'one press'],
  [2, 'two presses'],
] as const

interface Task {
  readonly task_id: string
  readonly status: string
  readonly result?: { readonly sha256: string }
}

export interface Throughput {
  readonly shape: string
  readonly seconds: number
  readonly filesPerSecond: number
  readonly megabytesPerSecond: number
  /** CPU seconds of the service with all its child processes. */
  readonly ownSeconds: number
  readonly otherSeconds: number
  /** Median latency of `GET /v1/tasks/{id}` in milliseconds, while the files are compressed. */
  readonly p50: number
  readonly p99: number
}

export async function benchThroughput(corpus: string): Promise<Throughput[]> {
  const files = mixedFiles(corpus)
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  console.log(`\n${files.length} files, ${(bytes / 1e6).toFixed(1)} MB, all at once, medium`)
  const rows: Throughput[] = []
  let expected: string | undefined
  for (const [workers, shape] of CONFIGURATIONS) {
    const { row, hashes } = await measure(files, bytes, workers, shape)
    rows.push(row)
    expected ??= hashes
    if (hashes !== expected) throw new Error(`${shape}: the hashes of the results differ from those of ${CONFIGURATIONS[0][1]}`)
    const latency = `GET p50 ${row.p50.toFixed(0)} ms, p99 ${row.p99.toFixed(0)} ms`
    const rate = `${row.filesPerSecond.toFixed(2)} files/s, ${row.megabytesPerSecond.toFixed(2)} MB/s`
    const processors = `CPU ${row.ownSeconds.toFixed(1)} s, others ${row.otherSeconds.toFixed(1)} s`
    console.log(`  ${shape.padEnd(16)} ${row.seconds.toFixed(1).padStart(6)} s  ${rate}  ${processors}  ${latency}`)
  }
  const [one, two] = rows.map(({ seconds }) => seconds)
  console.log(`  two presses: ${(one! / two!).toFixed(2)} × one press`)
  return rows
}

/** Returns twenty files of all formats between 100 KB and 3 MB, evenly spaced in the sorted corpus. */
function mixedFiles(corpus: string): string[] {
  const all = globSync('**/*', { cwd: corpus, exclude: ['hostile/**'] })
    .map((name) => join(corpus, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size >= LEAST_BYTES && statSync(file).size <= MOST_BYTES)
    .sort()
  const step = all.length / FILES
  return Array.from({ length: Math.min(FILES, all.length) }, (_, i) => all[Math.floor(i * step)]!)
}

async function measure(files: string[], bytes: number, workers: number, shape: string): Promise<{ row: Throughput; hashes: string }> {
  const state = mkdtempSync(join(tmpdir(), 'whittle-throughput-'))
  const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const pool = { workers, memoryBytes: MEMORY_BYTES }
  const service = new Service({ root: ROOT, state, port: 0, inspectorPort: 0, secretsFile, verbose: false, pool })
  try {
    await service.start()
    const base = `http://127.0.0.1:${service.port}`
    const { keys } = await provisionDevelopmentAccount(base, adminToken, undefined)
    const headers = { authorization: `Bearer ${keys.enterprise}` }
    const [began, busyBefore, ownBefore] = [performance.now(), busySeconds(), secondsBelow(service.pid)]
    const tasks = await Promise.all(files.map((file) => upload(base, headers, file)))
    const { hashes, latencies } = await watch(base, headers, tasks)
    const seconds = (performance.now() - began) / 1000
    const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!
    const rates = { filesPerSecond: files.length / seconds, megabytesPerSecond: bytes / 1e6 / seconds }
    const ownSeconds = secondsBelow(service.pid) - ownBefore
    const otherSeconds = busySeconds() - busyBefore - ownSeconds
    const row = { shape, seconds, ...rates, ownSeconds, otherSeconds, p50: at(0.5), p99: at(0.99) }
    return { row, hashes: hashes.join('\n') }
  } finally {
    await service.stop()
    rmSync(state, { recursive: true, force: true })
  }
}

async function upload(base: string, headers: Record<string, string>, file: string): Promise<Task> {
  const body = new FormData()
  body.append('file', new Blob([readFileSync(file)]), basename(file))
  const answer = await fetch(`${base}/v1/compress`, { method: 'POST', headers: { ...headers, prefer: 'respond-async' }, body })
  if (!answer.ok) throw new Error(`${file}: ${await answer.text()}`)
  return (await answer.json()) as Task
}

/** Polls all tasks until they have ended. */
async function watch(base: string, headers: Record<string, string>, tasks: Task[]): Promise<{ hashes: string[]; latencies: number[] }> {
  const ended = new Map<string, Task>()
  const latencies: number[] = []
  while (ended.size < tasks.length) {
    for (const { task_id: id } of tasks) {
      if (ended.has(id)) continue
      const asked = performance.now()
      const task = (await (await fetch(`${base}/v1/tasks/${id}`, { headers })).json()) as Task
      latencies.push(performance.now() - asked)
      if (task.status === 'failed') throw new Error(`a task failed: ${JSON.stringify(task)}`)
      if (task.status === 'completed') ended.set(id, task)
      await sleep(POLL_MS)
    }
  }
  return { hashes: tasks.map(({ task_id: id }) => ended.get(id)?.result?.sha256 ?? ''), latencies: latencies.sort((a, b) => a - b) }
}

/** Returns the CPU seconds of a process and its descendants, including ended ones (proc_pid_stat(5), fields 14 to 17). */
function secondsBelow(root: number): number {
  const stats = new Map<string, string[]>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      stats.set(pid, stat.slice(stat.lastIndexOf(')') + 2).split(' '))
    } catch {
      // The process has ended in the meantime.
    }
  }
  const family = [String(root)]
  for (const parent of family) for (const [pid, [, itsParent]] of stats) if (itsParent === parent) family.push(pid)
  const ticks = family.flatMap((pid) => stats.get(pid)?.slice(11, 15).map(Number) ?? [])
  return ticks.reduce((sum, some) => sum + some, 0) / 100
}

/** Returns the CPU seconds of all processes since boot (proc_stat(5): user, nice, system). */
function busySeconds(): number {
  const [, user = 0, nice = 0, system = 0] = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/).map(Number)
  return (user + nice + system) / 100
}
