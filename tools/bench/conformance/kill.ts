/**
 * `npm run conformance -- kill [--rounds 200] [--resets 20] [--seed 1] [--victims press,native]`: SIGKILL at random moments, to the whole
 * service or to one of its processes (parent, workerd, a press, FFmpeg), or to everything that Node runs, while files are
 * uploaded, at once and in chunks over several kills, pressed quickly and queued, among them films for FFmpeg where it is installed;
 * between them resets of all Durable Objects, as a deployment brings, after which every upload must be answered all the same. Then asks
 * whether everything that was accepted has ended, whether files sent in chunks arrived byte by byte, whether usage was counted once,
 * whether a sweep leaves exactly the blobs that tasks name, and whether any process is left. Ctrl-C ends the killing and asks at once.
 * Linux only (/proc).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findNative } from '../../../src/local/native.ts'
import { Processes, VICTIMS } from './victims.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    resets: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '8799' },
    /** Of VICTIMS; all of them by default. */
    victims: { type: 'string', default: VICTIMS.join(',') },
  },
})
const [rounds, resets] = [Number(values.rounds), Number(values.resets)]
const victims = values.victims.split(',').map((name) => {
  const victim = VICTIMS.find((one) => one === name)
  if (!victim) throw new Error(`no victim '${name}'; there are ${VICTIMS.join(', ')}`)
  return victim
})
const state = mkdtempSync(join(tmpdir(), 'whittle-kill-'))
const base = `http://127.0.0.1:${values.port}`

/** Mulberry32: the same seed kills at the same moments. */
let seed = Number(values.seed)
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

/** A busy machine takes its time, above all with the tasks that it finds. */
const START_MS = 300_000
/** What the service says of itself. */
const said = join(state, 'said.log')

/** Starts the service, again if it does not come up: whatever supervises it would, too. */
async function start(): Promise<[ChildProcess, Promise<unknown>]> {
  const command = ['src/local/start.ts', '--port', values.port, '--state', state, '--embedded', '--resettable']
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    const log = openSync(said, 'a')
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
  throw new Error(`the service did not start:\n${readFileSync(said, 'utf8').slice(-3000)}`)
}

function keyOf(name: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(state, 'keys.json'), 'utf8')) as { keys: Record<string, string> }).keys[name]
  } catch {
    return undefined
  }
}

const processes = new Processes()

/** Whether the service is up, within some seconds: what died often stays down for longer and longer. */
async function isUp(): Promise<boolean> {
  for (const deadline = Date.now() + UP_MS; Date.now() < deadline; await sleep(100)) {
    const answer = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(UP_MS) }).catch(() => undefined)
    if (answer?.ok) return true
  }
  return false
}
const UP_MS = 8000

/** A second of a film in ten bits. undefined: nobody here makes one. */
function tinyFilm(): Uint8Array<ArrayBuffer> | undefined {
  const program = findNative(undefined)
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

/** Text that compresses, different every time. */
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

/** For what dies with others: none of them needs as long. */
const LAST_BREATH_MS = 3000

/** Tasks are stuck when none has ended for so long: those that were killed in the middle wait for their leases. */
const PATIENCE_MS = 900_000
const hasEnded = (status: string) => status === 'completed' || status === 'failed'

/** A file on its way in chunks, from one life of the service to the next. */
interface Sending {
  readonly url: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Once all of it has arrived. */
  task?: string
}
const SENDING_BYTES = 6_500_000
const CHUNK_BYTES = 1_300_000
const TUS = { 'Tus-Resumable': '1.0.0' }
const sendings: Sending[] = []

/** Goes on with the file on its way, or begins another. Ends with the service at the latest. */
async function sendOn(): Promise<void> {
  const last = sendings.at(-1)
  const sending = last && last.task === undefined ? last : await beginSending()
  for (;;) {
    const head = await fetch(sending.url, { method: 'HEAD', headers: { ...headers(), ...TUS } })
    const task = head.headers.get('Whittle-Task')
    if (task) {
      sending.task = task
      accepted.add(task)
      return
    }
    const offset = Number(head.headers.get('Upload-Offset'))
    await fetch(sending.url, {
      method: 'PATCH',
      headers: { ...headers(), ...TUS, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
      body: sending.bytes.slice(offset, offset + CHUNK_BYTES),
    })
  }
}

async function beginSending(): Promise<Sending> {
  const bytes = text(SENDING_BYTES)
  const metadata = `filename ${btoa('chunks.txt')},compress ${btoa('true')}`
  const more = { 'Upload-Length': String(bytes.length), 'Upload-Metadata': metadata }
  const answer = await fetch(`${base}/v1/uploads`, { method: 'POST', headers: { ...headers(), ...TUS, ...more } })
  const location = answer.headers.get('Location')
  if (!location) throw new Error(`no upload was made: ${answer.status}`)
  const sending = { url: new URL(location, base).href, bytes }
  sendings.push(sending)
  return sending
}

const accepted = new Set<string>()
const problems: string[] = []
const SIZES = [3_000, 200_000, 1_000_000]
/** A queued file, in some rounds only: what is sent must be done in the end, and each kill has its work done again. */
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
  // Evenly among the kills.
  const isReset = Math.floor(((round + 1) * resets) / (rounds + resets)) > Math.floor((round * resets) / (rounds + resets))
  const uploads = [
    ...[...SIZES, ...(round % LARGE_EACH === 0 ? [LARGE_BYTES] : [])].map((size, i) => upload(text(size), 'kill.txt', i % 2 === 1)),
    ...(film ? [upload(film, 'kill.mp4', true)] : []),
  ].map((sent) =>
    sent.then(
      (id) => accepted.add(id),
      // Of one that was killed nobody knows; a reset is nobody's business but ours.
      (error: unknown) => isReset && problems.push(`an upload while objects were reset: ${error}`),
    ),
  )
  const chunks = sendOn().catch(() => undefined)
  await sleep(random() * 2500)
  if (isReset) {
    processes.resetObjects(service.pid ?? 0)
    killed.set('objects', (killed.get('objects') ?? 0) + 1)
    await Promise.all([...uploads, chunks])
    continue
  }
  const wanted = victims[Math.floor(random() * victims.length)]!
  // FFmpeg is not always at work.
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

if (sendings.some(({ task }) => task === undefined)) await sendOn()
const all = new Map<string, string>()
let ended = 0
for (let deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(2000)) {
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
  if (now > ended) deadline = Date.now() + PATIENCE_MS
  ended = now
}
const count = (status: string) => [...all.values()].filter((other) => other === status).length
for (const id of accepted) if (!all.has(id)) problems.push(`${id} was accepted and is gone`)
for (const [id, status] of all) if (!hasEnded(status)) problems.push(`${id} is still ${status}`)
const usage = await api<{ tasks_completed: number; tasks_failed: number }>('/v1/usage')
if (usage.tasks_completed !== count('completed'))
  problems.push(`usage counts ${usage.tasks_completed} completed, there are ${count('completed')}`)
if (usage.tasks_failed !== count('failed')) problems.push(`usage counts ${usage.tasks_failed} failed, there are ${count('failed')}`)

for (const { url, bytes, task } of sendings) {
  const made = await api<{ result?: { original_sha256: string } }>(`/v1/tasks/${task}`)
  const sent = createHash('sha256').update(bytes).digest('hex')
  // What has not ended is said above.
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
await sleep(LAST_BREATH_MS)
problems.push(...processes.left(state).map((command) => `still there: ${command}`))

console.log(
  `kills and resets (${[...killed].map(([victim, times]) => `${victim} ${times}`).join(', ')}), ${sendings.length} files sent in chunks: ${accepted.size} accepted, ${all.size} tasks, ${count('completed')} completed, ${count('failed')} failed,`,
)
console.log(
  `the sweep looked at ${first.looked} blobs and removed ${first.removed} orphans; usage says ${usage.tasks_completed} + ${usage.tasks_failed}`,
)
for (const problem of problems) console.error(problem)
// What is left shows why.
if (problems.length > 0) console.error(`its state: ${state}`)
else rmSync(state, { recursive: true, force: true })
process.exitCode = problems.length > 0 ? 1 : 0
