/** What runs inside a container of whittle-heavy, as a process here: a step comes over HTTP, its file through the door. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodeWire, encodeWire } from '../../src/service/remote/wire.ts'
import type { Task, TaskResult } from '../../src/service/store/task.ts'

const root = resolve(import.meta.dirname, '../..')
const PORT = 18_789
const UPLOAD = Buffer.from('the quick brown fox jumps over the lazy dog, again and again\n'.repeat(300))
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const TASK = {
  taskId: 'tsk_heavy',
  fileName: 'a.txt',
  format: 'text',
  output: 'zst',
  quality: 'medium',
  originalSize: UPLOAD.length,
  originalSha256: sha256(UPLOAD),
  worker: 'press',
} as Partial<Task> as Task

const blobs = new Map<string, Buffer>([['uploads/tsk_heavy', UPLOAD]])
const told: [method: string, args: unknown[]][] = []
const answers: Record<string, unknown> = {
  read: TASK,
  beat: 'go on',
  complete: true,
  claim: {
    kind: 'claimed',
    attempt: 1001,
    generation: 2,
    task: TASK,
    uploadKey: 'uploads/tsk_heavy',
    parts: [],
    soFar: { bytes: 0, replaces: 0 },
    alone: false,
  },
}

let door: Server
let container: ChildProcess

beforeAll(async () => {
  door = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://door')
    const body = await buffer(request)
    const key = url.pathname.replace('/blobs/', '')
    if (url.pathname.startsWith('/tasks/')) {
      const method = url.searchParams.get('method')!
      told.push([method, decodeWire(body.toString()) as unknown[]])
      return response.end(encodeWire(answers[method]))
    }
    if (request.method === 'PUT') blobs.set(key, body)
    return response.end(blobs.get(key))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => door.once('listening', done))
  const env = {
    ...process.env,
    DOOR: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    STEP_PORT: String(PORT),
    PRESS_MB: '1024',
  }
  container = spawn(process.execPath, [join(root, 'src/local/heavy.ts')], { cwd: root, env, stdio: 'inherit' })
  for (;;) {
    const up = await fetch(`http://127.0.0.1:${PORT}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (up) return
    await new Promise((done) => setTimeout(done, 200))
  }
})
afterAll(async () => {
  const gone = new Promise((done) => container.once('exit', done))
  container.kill('SIGTERM')
  await gone
  door.close()
})

it('does the step as a container, and tells the task what came of it', async () => {
  const step = { taskId: 'tsk_heavy', generation: 2, step: 'whole' }
  const answer = await fetch(`http://127.0.0.1:${PORT}/step`, { method: 'POST', body: JSON.stringify({ kind: 'press', step }) })
  expect(answer.status).toBe(200)
  const claim = told.find(([method]) => method === 'claim')
  expect(claim?.[1][3]).toMatchObject({ heavy: true })
  const [attempt, result] = told.find(([method]) => method === 'complete')![1] as [number, TaskResult]
  expect([attempt, result.key]).toEqual([1001, 'results/tsk_heavy/1001'])
  const stored = blobs.get(result.key)!
  expect([stored.length, sha256(stored)]).toEqual([result.size, result.sha256])
  expect(zstdDecompressSync(stored).equals(UPLOAD)).toBe(true)
})

it('refuses what is no step', async () => {
  expect((await fetch(`http://127.0.0.1:${PORT}/step`, { method: 'POST', body: 'no step' })).status).toBe(400)
})
