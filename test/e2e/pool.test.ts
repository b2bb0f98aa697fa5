/** The service with presses as processes, as `npm start` runs it. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pressesBelow } from './processes.ts'
import { type Running, startService } from './running.ts'
import { type Task, Tasks } from './tasks.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PHOTO = join(ROOT, 'docs/photo.jpg')

let service: Running
let tasks: Tasks
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-pool-'))
  service = await startService({ workers: 2, memoryBytes: 1024 ** 3 })
  tasks = new Tasks(service)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service?.stop()
})

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
  const task = await tasks.ended(await tasks.upload(file, { quality }))
  expect(task).toMatchObject({ status: 'completed', result: { outcome: 'compressed', sha256: await codecAlone(file, quality) } })
})

it('answers the quick lane in the request itself, also under a password', async () => {
  expect(await tasks.upload(join(ROOT, 'package.json'), {}, 'wait=60')).toMatchObject({ status: 'completed' })
  expect(await tasks.upload(join(ROOT, 'package.json'), { password: 'a secret' }, 'wait=60')).toMatchObject({ status: 'completed' })
})

it('ends the press of a task that is deleted', async () => {
  const task = await tasks.upload(PHOTO, { format: 'avif', quality: 'high' })
  await expect.poll(async () => (await tasks.ask<Task>(`/v1/tasks/${task.task_id}`)).status, { interval: 50 }).toBe('processing')
  expect(await tasks.ask(`/v1/tasks/${task.task_id}`, { method: 'DELETE' })).toMatchObject({ deleted: true })
  const next = await tasks.ended(await tasks.upload(join(ROOT, 'README.md')))
  expect(next).toMatchObject({ status: 'completed' })
})
