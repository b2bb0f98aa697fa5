/** The service with presses as processes, as `npm start` runs it. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pressesBelow } from './processes.ts'
import { type Running, startService } from './running.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PHOTO = join(ROOT, 'docs/photo.jpg')

interface Task {
  task_id: string
  status: string
  result?: { outcome: string; reason?: string; sha256: string }
}

let service: Running
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-pool-'))
  service = await startService({ workers: 2, memoryBytes: 1024 ** 3 })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service?.stop()
})

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${service.keys.enterprise}` }
  return (await fetch(service.baseUrl + path, { ...init, headers })).json() as Promise<T>
}

function upload(file: string, fields: Record<string, string> = {}, prefer = 'respond-async'): Promise<Task> {
  const body = new FormData()
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  body.append('file', new Blob([readFileSync(file)]), basename(file))
  return ask('/v1/compress', { method: 'POST', body, headers: { prefer } })
}

async function ended(task: Task): Promise<Task> {
  while (task.status === 'pending' || task.status === 'processing')
    task = await ask<Task>(`/v1/tasks/${task.task_id}`, { headers: { prefer: 'wait=30' } })
  return task
}

/** What the codec makes of a file, in a process of its own, without the service. */
async function codecAlone(file: string, quality: string): Promise<string> {
  const flags = ['--import', './tools/wasm-hook.ts', 'tools/try.ts', file, '-q', quality, '-o', folder]
  await promisify(execFile)(process.execPath, flags, { cwd: ROOT })
  const [made = ''] = readdirSync(folder)
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, made)))
    .digest('hex')
  rmSync(join(folder, made))
  return hash
}

it('has presses for all that may run side by side before anybody asks: two, one for the quick lane, one for films', async () => {
  await expect.poll(async () => (await pressesBelow(service.pid)).length, { timeout: 60_000 }).toBe(4)
})

it.each([
  ['docs/photo.jpg', 'medium'],
  ['THIRD-PARTY.md', 'high'],
])('makes the same bytes of %s as the codec alone', async (name, quality) => {
  const file = join(ROOT, name)
  const task = await ended(await upload(file, { quality }))
  expect(task).toMatchObject({ status: 'completed', result: { outcome: 'compressed', sha256: await codecAlone(file, quality) } })
})

it('answers the quick lane in the request itself, also under a password', async () => {
  expect(await upload(join(ROOT, 'package.json'), {}, 'wait=60')).toMatchObject({ status: 'completed' })
  expect(await upload(join(ROOT, 'package.json'), { password: 'a secret' }, 'wait=60')).toMatchObject({ status: 'completed' })
})

it('goes on when presses are killed: every task ends as if nothing had happened, and each step is tried again at once', async () => {
  const whole = await ended(await upload(PHOTO, { quality: 'low', format: 'webp' }))
  const tasks = await Promise.all(Array.from({ length: 4 }, () => upload(PHOTO, { quality: 'low', format: 'webp' })))
  for (let round = 0; round < 2; round++) {
    await sleep(150)
    for (const pid of await pressesBelow(service.pid)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
    expect(await ask('/healthz')).toMatchObject({ status: 'ok' })
  }
  for (const task of await Promise.all(tasks.map(ended))) {
    expect(task).toMatchObject({ status: 'completed', result: { outcome: 'compressed', sha256: whole.result?.sha256 } })
  }
})

it('ends the press of a task that is deleted', async () => {
  const task = await upload(PHOTO, { format: 'avif', quality: 'high' })
  await expect.poll(async () => (await ask<Task>(`/v1/tasks/${task.task_id}`)).status, { interval: 50, timeout: 30_000 }).toBe('processing')
  expect(await ask(`/v1/tasks/${task.task_id}`, { method: 'DELETE' })).toMatchObject({ deleted: true })
  const next = await ended(await upload(join(ROOT, 'README.md')))
  expect(next).toMatchObject({ status: 'completed' })
})
