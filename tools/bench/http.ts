/**
 * Measures the overhead of the HTTP layer: `npm run bench -- http`. Compares CPU per request of workerd (authenticate, count, route) with
 * a bare hono route, requests per second of a task's status, and upload MB/s with a raw `put`. Linux only (/proc).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createTestHarness, type TestHarness } from 'wrangler'
import { isWellFormedKey } from '../../src/service/store/key-format.ts'

// Same environment as `npm start`: offline, and without local observability.
Object.assign(process.env, { X_LOCAL_OBSERVABILITY: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' })

const ADMIN_TOKEN = 'bench-operator'
const REQUESTS = 1500
const CONCURRENCY = 8
const UPLOAD_BYTES = 40_000_000

/** Returns the CPU seconds of all workerd processes started by this one. Linux counts 100 ticks per second. */
function workerdCpuSeconds(): number {
  const table = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).trim().split('\n')
  const rows = table.map((row) => row.trim().split(/\s+/))
  const below = [String(process.pid)]
  for (const parent of below) for (const [pid = '', ppid] of rows) if (ppid === parent) below.push(pid)
  const workerd = rows.filter(([pid = '', , command]) => command === 'workerd' && below.includes(pid))
  let ticks = 0
  for (const [pid] of workerd) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    ticks += Number(stat[11]) + Number(stat[12])
  }
  return ticks / 100
}

async function load(url: string, headers: Record<string, string>): Promise<{ cpuMs: number; perSecond: number }> {
  let left = REQUESTS
  const one = async () => {
    while (left-- > 0) await (await fetch(url, { headers })).arrayBuffer()
  }
  const [cpu, started] = [workerdCpuSeconds(), performance.now()]
  await Promise.all(Array.from({ length: CONCURRENCY }, one))
  const seconds = (performance.now() - started) / 1000
  return { cpuMs: ((workerdCpuSeconds() - cpu) * 1000) / REQUESTS, perSecond: REQUESTS / seconds }
}

async function operator<T>(base: string, path: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  return (await (await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as T
}

async function makeKey(base: string): Promise<string> {
  const { account_id } = await operator<{ account_id: string }>(base, '/admin/accounts', { name: 'Bench', plan: 'enterprise' })
  const application = { name: 'Bench', environment: 'bench' }
  const { application_id } = await operator<{ application_id: string }>(base, `/admin/accounts/${account_id}/applications`, application)
  const { key } = await operator<{ key: string }>(base, `/admin/accounts/${account_id}/keys`, { application_id })
  if (!isWellFormedKey(key)) throw new Error('the operator API returned no valid key')
  return key
}

async function started(harness: TestHarness): Promise<string> {
  return (await harness.listen()).url.origin.replace('localhost', '127.0.0.1')
}

/** Returns text bytes for an upload. They are cheap to compress, because the upload is measured. */
function body(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(UPLOAD_BYTES)
  for (let i = 0; i < bytes.length; i++) bytes[i] = 97 + ((i * 7) % 26)
  return bytes
}

export async function benchHttp(): Promise<void> {
  const [large, whole] = [body(), new FormData()]
  whole.append('file', new Blob([large]), 'large.txt')
  const bare = createTestHarness({ workers: [{ configPath: './tools/bench/bare/wrangler.toml' }] })
  const bareUrl = await started(bare)
  await load(`${bareUrl}/v1/nothing`, {})
  const plain = await load(`${bareUrl}/v1/nothing`, {})
  const raw = await timeUpload(() => fetch(`${bareUrl}/raw`, { method: 'PUT', body: large }))
  await bare.close()

  const secrets = { SECRET_KEY: 'bench', ADMIN_TOKEN, ENVIRONMENT: 'local' }
  const configs = ['./wrangler.toml', './deploy/wrangler.press.toml', './deploy/wrangler.media.toml']
  const service = createTestHarness({ workers: configs.map((configPath, i) => ({ configPath, ...(i === 0 ? { secrets } : {}) })) })
  const base = await started(service)
  const headers = { authorization: `Bearer ${await makeKey(base)}` }
  await load(`${base}/v1/nothing`, headers)
  const guarded = await load(`${base}/v1/nothing`, headers)
  const form = new FormData()
  form.append('file', new Blob(['a small text '.repeat(50)]), 'a.txt')
  const task = (await (await fetch(`${base}/v1/compress`, { method: 'POST', headers, body: form })).json()) as { task_id: string }
  const status = await load(`${base}/v1/tasks/${task.task_id}`, headers)
  const upload = await timeUpload(() =>
    fetch(`${base}/v1/compress`, { method: 'POST', headers: { ...headers, prefer: 'respond-async' }, body: whole }),
  )
  await service.close()

  console.log('\nThe edge: authenticate, count and route against a bare hono route; uploads against a raw put')
  console.log(
    `  CPU per request       ${guarded.cpuMs.toFixed(3)} ms : ${plain.cpuMs.toFixed(3)} ms = ${(guarded.cpuMs / plain.cpuMs).toFixed(2)}`,
  )
  console.log(
    `  requests per second   ${guarded.perSecond.toFixed(0)} : ${plain.perSecond.toFixed(0)}; GET /v1/tasks/{id} ${status.perSecond.toFixed(0)}`,
  )
  console.log(`  upload MB/s           ${upload.toFixed(0)} : ${raw.toFixed(0)} = ${(upload / raw).toFixed(2)}`)
}

/** Returns the upload speed in MB per second, the best of three tries. */
async function timeUpload(send: () => Promise<Response>): Promise<number> {
  let best = 0
  for (let round = 0; round < 3; round++) {
    const begun = performance.now()
    const answer = await send()
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`the upload failed with HTTP status ${answer.status}`)
    best = Math.max(best, UPLOAD_BYTES / 1e6 / ((performance.now() - begun) / 1000))
  }
  return best
}
