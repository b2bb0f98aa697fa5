/**
 * Kills processes of a running service at random moments and checks that no data is lost:
 * `npm run conformance -- kill [--rounds 200] [--resets 20] [--seed 1] [--victims press,native]`. SIGKILL hits the whole service, one
 * process (parent, workerd, press, FFmpeg) or all Node processes, while files are uploaded (whole or in chunks) and compressed. Between
 * the kills, all Durable Objects are reset, as by a deployment; uploads must then still succeed.
 * Afterwards it checks that every accepted task has ended, uploads in chunks arrived unchanged, usage was counted once, a sweep leaves
 * exactly the blobs of tasks, and no process is left. Ctrl-C ends the killing and starts the checks. Linux only (/proc).
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findFfmpegSync } from '../../../src/local/native.ts'
import { randomNumbers } from '../../../test/support/random-numbers.ts'
import { Processes, VICTIMS } from './victims.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    resets: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '8799' },
    /** Comma-separated roles of VICTIMS. Default: all. */
    victims: { type: 'string', default: VICTIMS.join(',') },
  },
})
const [rounds, resets] = [Number(values.rounds), Number(values.resets)]
const victims = values.victims.split(',').map((name) => {
  const victim = VICTIMS.find((one) => one === name)
  if (!victim) throw new Error(`unknown role '${name}' in --victims; available: ${VICTIMS.join(', ')}`)
  return victim
})
const state = mkdtempSync(join(tmpdir(), 'whittle-kill-'))
const base = `http://127.0.0.1:${values.port}`

/** The same seed kills at the same moments. */
const random = randomNumbers(Number(values.seed))

/** Longest start of the service in milliseconds. A loaded machine with many tasks to recover needs long. */
const START_MS = 300_000
/** Log file of the service. */
const logFile = join(state, 'service.log')

/** Starts the service and retries until it is up, as a supervisor would. */
async function start(): Promise<[ChildProcess, Promise<unknown>]> {
  const command = ['src/local/start.ts', '--port', values.port, '--state', state, '--embedded', '--resettable']
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    const log = openSync(logFile, 'a')
    const service = spawn(process.execPath, command, { detached: true, stdio: ['ignore', log, log] })
    closeSync(log)
    const gone = once(service, 'exit')
    for (; service.exitCode === null && service.signalCode === null && Date.now() < deadline; await sleep(100)) {
      const up = await fetch(`${base}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      )
      if (up && keyOf('enterprise')) return [service, gone]
    }
    console.error(`\nThe service did not come up, it ended with ${service.exitCode ?? service.signalCode}.`)
  }
  throw new Error(`the service did not start:\n${readFileSync(logFile, 'utf8').slice(-3000)}`)
}

function keyOf(name: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(state, 'keys.json'), 'utf8')) as { keys: Record<string, string> }).keys[name]
  } catch {
    return undefined
  }
}

const processes = new Processes()

/** Returns true if the service is up within eight seconds. A process that fails often restarts with growing delays. */
async function isUp(): Promise<boolean> {
  for (const deadline = Date.now() + UP_MS; Date.now() < deadline; await sleep(100)) {
    const answer = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(UP_MS) }).catch(() => undefined)
    if (answer?.ok) return true
  }
  return false
}
const UP_MS = 8000

/** Returns one second of 10-bit film. `undefined`: FFmpeg is not installed. */
function tinyFilm(): Uint8Array<ArrayBuffer> | undefined {
  const program = findFfmpegSync(undefined)
  if (!program) return undefined
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=192x128:rate=25:duration=1']
  const file = join(state, 'film.mp4')
  const coded = ['-c:v', 'libx265', '-pix_fmt', 'yuv420p10le', '-x265-params', 'crf=4:log-level=none', '-tag:v', 'hvc1', file]
  if (spawnSync(program.path, ['-v', 'error', ...picture, ...coded]).status !== 0) throw new Error('no film was made')
  return new Uint8Array(readFileSync(file))
}

interface Task {
  task_id: string
  status: string
}
const headers = () => ({ authorization: `Bearer ${keyOf('enterprise')}` })
const api = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
  (await (await fetch(base + path, { ...init, headers: { ...headers(), ...init.headers } })).json()) as T

/** Returns random text that compresses well. */
function text(bytes: number): Uint8Array<ArrayBuffer> {
  const words = Array.from({ length: 500 }, () => Math.floor(random() * 1e9).toString(36))
  let whole = ''
  while (whole.length < bytes) whole += `${words[Math.floor(random() * words.length)]} `
  return new TextEncoder().encode(whole.slice(0, bytes))
}

async function upload(bytes: Uint8Array<ArrayBuffer>, name: string, asynchronous: boolean): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([bytes]), name)
  const prefer: Record<string, string> = asynchronous ? { prefer: 'respond-async' } : {}
  const answer = await api<Task>('/v1/compress', { method: 'POST', body: form, headers: prefer })
  if (!answer.task_id) throw new Error(JSON.stringify(answer))
  return answer.task_id
}

/** Milliseconds to wait until the remaining processes have exited. */
const SHUTDOWN_MS = 3000

/** Milliseconds without progress after which tasks count as stuck. Tasks of a killed press wait until their lease expires. */
const STUCK_MS = 900_000
const hasEnded = (status: string) => status === 'completed' || status === 'failed'

/** A file that is uploaded in chunks across restarts of the service. */
interface ChunkedUpload {
  readonly url: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Id of the task. `undefined`: the upload is not complete. */
  task?: string
}
const UPLOAD_BYTES = 6_500_000
const CHUNK_BYTES = 1_300_000
const TUS = { 'Tus-Resumable': '1.0.0' }
const chunkedUploads: ChunkedUpload[] = []

/** Continues the upload in chunks, or starts a new one. Returns at the latest when the service is killed. */
async function continueUpload(): Promise<void> {
  const last = chunkedUploads.at(-1)
  const chunkedUpload = last && last.task === undefined ? last : await createUpload()
  for (;;) {
    const head = await fetch(chunkedUpload.url, { method: 'HEAD', headers: { ...headers(), ...TUS } })
    const task = head.headers.get('Whittle-Task')
    if (task) {
      chunkedUpload.task = task
      accepted.add(task)
      return
    }
    const offset = Number(head.headers.get('Upload-Offset'))
    await fetch(chunkedUpload.url, {
      method: 'PATCH',
      headers: { ...headers(), ...TUS, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
      body: chunkedUpload.bytes.slice(offset, offset + CHUNK_BYTES),
    })
  }
}

async function createUpload(): Promise<ChunkedUpload> {
  const bytes = text(UPLOAD_BYTES)
  const metadata = `filename ${btoa('chunks.txt')},compress ${btoa('true')}`
  const more = { 'Upload-Length': String(bytes.length), 'Upload-Metadata': metadata }
  const answer = await fetch(`${base}/v1/uploads`, { method: 'POST', headers: { ...headers(), ...TUS, ...more } })
  const location = answer.headers.get('Location')
  if (!location) throw new Error(`no upload was made: ${answer.status}`)
  const chunkedUpload = { url: new URL(location, base).href, bytes }
  chunkedUploads.push(chunkedUpload)
  return chunkedUpload
}

const accepted = new Set<string>()
const problems: string[] = []
const SIZES = [3_000, 200_000, 1_000_000]
/** Size of a queued file. It is only uploaded in every eighth round, because each kill repeats its work. */
const LARGE_BYTES = 12_000_000
const LARGE_EACH = 8
const film = tinyFilm()
const killed = new Map<string, number>()
let [service, gone] = await start()
let enough = false
process.once('SIGINT', () => {
  enough = true
})
for (let round = 0; round < rounds + resets && !enough; round++) {
  // Resets are distributed evenly among the kills.
  const isReset = Math.floor(((round + 1) * resets) / (rounds + resets)) > Math.floor((round * resets) / (rounds + resets))
  const uploads = [
    ...[...SIZES, ...(round % LARGE_EACH === 0 ? [LARGE_BYTES] : [])].map((size, i) => upload(text(size), 'kill.txt', i % 2 === 1)),
    ...(film ? [upload(film, 'kill.mp4', true)] : []),
  ].map((sent) =>
    sent.then(
      (id) => accepted.add(id),
      // An upload may fail if the service was killed, but not if objects were reset.
      (error: unknown) => isReset && problems.push(`an upload while objects were reset: ${error}`),
    ),
  )
  const chunks = continueUpload().catch(() => undefined)
  await sleep(random() * 2500)
  if (isReset) {
    processes.resetObjects(service.pid ?? 0)
    killed.set('objects', (killed.get('objects') ?? 0) + 1)
    await Promise.all([...uploads, chunks])
    continue
  }
  const wanted = victims[Math.floor(random() * victims.length)]!
  // FFmpeg only runs while it encodes, so wait for it up to five seconds.
  for (let wait = 0; wait < 50 && film && wanted === 'native' && !processes.has(service.pid ?? 0, wanted); wait++) await sleep(100)
  const victim = [wanted, ...victims, 'tree' as const].find((one) => processes.kill(service.pid ?? 0, one) > 0) ?? 'tree'
  killed.set(victim, (killed.get(victim) ?? 0) + 1)
  await Promise.all([...uploads, chunks])
  if (victim === 'tree' || victim === 'nodes' || !(await isUp())) {
    processes.kill(service.pid ?? 0, 'tree')
    await gone
    ;[service, gone] = await start()
  }
  process.stdout.write(
    `\r${round + 1} of ${rounds + resets} kills and resets, ${accepted.size} tasks accepted, ${problems.length} problems`,
  )
}
console.log()

if (chunkedUploads.some(({ task }) => task === undefined)) await continueUpload()
const all = new Map<string, string>()
let ended = 0
for (let deadline = Date.now() + STUCK_MS; Date.now() < deadline; await sleep(2000)) {
  all.clear()
  for (let cursor = ''; ; ) {
    const page = await api<{ tasks: Task[]; next_cursor?: string | null }>(
      `/v1/tasks?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    for (const task of page.tasks) all.set(task.task_id, task.status)
    if (!page.next_cursor) break
    cursor = page.next_cursor
  }
  const now = [...all.values()].filter(hasEnded).length
  if (now === all.size) break
  if (now > ended) deadline = Date.now() + STUCK_MS
  ended = now
}
const count = (status: string) => [...all.values()].filter((other) => other === status).length
for (const id of accepted) if (!all.has(id)) problems.push(`task ${id} was accepted, but no longer exists`)
for (const [id, status] of all) if (!hasEnded(status)) problems.push(`task ${id} is still ${status}`)
const usage = await api<{ tasks_completed: number; tasks_failed: number }>('/v1/usage')
if (usage.tasks_completed !== count('completed'))
  problems.push(`usage counts ${usage.tasks_completed} completed, there are ${count('completed')}`)
if (usage.tasks_failed !== count('failed')) problems.push(`usage counts ${usage.tasks_failed} failed, there are ${count('failed')}`)

for (const { url, bytes, task } of chunkedUploads) {
  const made = await api<{ result?: { original_sha256: string } }>(`/v1/tasks/${task}`)
  const sent = createHash('sha256').update(bytes).digest('hex')
  // A task that has not ended is already reported above.
  if (made.result && made.result.original_sha256 !== sent) problems.push(`${url} (${task}) is not what was sent: ${JSON.stringify(made)}`)
}

const token = /^ADMIN_TOKEN=(.+)$/m.exec(readFileSync(join(state, 'secrets.env'), 'utf8'))?.[1]
const admin = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const sweep = async () =>
  (await (await fetch(`${base}/admin/sweep`, { method: 'POST', headers: admin, body: '{"min_age_seconds":0}' })).json()) as {
    looked: number
    removed: number
  }
for (const name of readdirSync(join(state, 'presses'))) {
  const files = readdirSync(join(state, 'presses', name))
  if (name !== 'blobs' && files.length > 0) problems.push(`${name} of a press still holds ${files.join(', ')}`)
}
const first = await sweep()
const second = await sweep()
if (second.removed !== 0) problems.push(`a second sweep still removed ${second.removed} blobs`)
if (second.looked !== count('completed')) problems.push(`${second.looked} blobs for ${count('completed')} completed tasks`)

processes.kill(service.pid ?? 0, 'tree')
await sleep(SHUTDOWN_MS)
problems.push(...processes.left(state).map((command) => `process still running: ${command}`))

console.log(
  `kills and resets (${[...killed].map(([victim, times]) => `${victim} ${times}`).join(', ')}), ${chunkedUploads.length} files sent in chunks: ${accepted.size} accepted, ${all.size} tasks, ${count('completed')} completed, ${count('failed')} failed,`,
)
console.log(
  `the sweep looked at ${first.looked} blobs and removed ${first.removed} orphans; usage says ${usage.tasks_completed} + ${usage.tasks_failed}`,
)
for (const problem of problems) console.error(problem)
// The state is kept for analysis if there are problems.
if (problems.length > 0) console.error(`The state of the service is kept in ${state}`)
else rmSync(state, { recursive: true, force: true })
process.exitCode = problems.length > 0 ? 1 : 0
