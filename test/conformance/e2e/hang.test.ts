/** Jobs that hang, from the upload to their end, with real presses. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { provisionDevelopmentAccount } from '../../../src/local/development-account.ts'
import { loadSecrets } from '../../../src/local/secrets.ts'
import { Service } from '../../../src/local/service.ts'
import { pressesBelow } from '../../e2e/processes.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const LIMITS = { silentMs: 3000, stalledMs: 6000 }

let root: string
let service: Service
let base: string
let headers: Record<string, string>

/** This checkout, with another program for the press. */
function rootWithHangingPress(): string {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-hang-'))
  for (const name of ['node_modules', 'durable-objects', 'console', 'packages', 'docs', 'tools', 'wasm', 'test', 'package.json'])
    symlinkSync(join(ROOT, name), join(folder, name))
  for (const name of ['tsconfig.json', 'package-lock.json', 'wrangler.toml', 'src'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'src/local/press/press.ts'), "import '../../../test/local/hanging-press.ts'\n")
  mkdirSync(join(folder, 'state'))
  return folder
}

beforeAll(async () => {
  root = rootWithHangingPress()
  const state = join(root, 'state')
  const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const pool = { workers: 2, memoryBytes: 1024 ** 3, limits: LIMITS }
  service = new Service({ root, state, port: 0, inspectorPort: 0, secretsFile, verbose: false, pool })
  await service.start()
  base = `http://127.0.0.1:${service.port}`
  headers = {
    authorization: `Bearer ${(await provisionDevelopmentAccount(base, adminToken, undefined)).keys.enterprise}`,
    prefer: 'respond-async',
  }
})
afterAll(async () => {
  await service?.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

async function upload(name: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob(['A line that repeats itself.\n'.repeat(500)]), name)
  const answer = await fetch(`${base}/v1/compress`, { method: 'POST', headers, body: form })
  return ((await answer.json()) as { task_id: string }).task_id
}

async function ended(taskId: string): Promise<unknown> {
  for (;;) {
    const answer = await fetch(`${base}/v1/tasks/${taskId}`, { headers: { ...headers, prefer: 'wait=30' } })
    const task = (await answer.json()) as { status: string }
    if (task.status !== 'pending' && task.status !== 'processing') return task
  }
}

const givenUp = (detail: string) => ({
  status: 'completed',
  result: { outcome: 'unchanged', reason: 'over_budget', detail },
})

it('ends a job whose codec never returns: unchanged, over_budget; others go on', { timeout: 240_000 }, async () => {
  const [hanging, other] = [await upload('hang.txt'), await upload('notes.txt')]
  expect(await ended(other)).toMatchObject({ status: 'completed', result: { outcome: 'compressed' } })
  expect(await ended(hanging)).toMatchObject(givenUp('one codec call used more than 3 s of CPU time'))
})

it('tries a job that stalls again, in a new press, three times in all', { timeout: 240_000 }, async () => {
  const presses = new Set<number>()
  const note = async () => {
    for (const pid of await pressesBelow(service.pid)) presses.add(pid)
  }
  const watch = setInterval(() => void note(), 200)
  const before = await pressesBelow(service.pid)
  try {
    expect(await ended(await upload('stall.txt'))).toMatchObject(givenUp('the worker process ended unexpectedly in each of 3 attempts'))
  } finally {
    clearInterval(watch)
  }
  for (const pid of before) presses.delete(pid)
  expect(presses.size, 'new presses').toBeGreaterThanOrEqual(2)
  expect(await ended(await upload('more.txt'))).toMatchObject({ status: 'completed', result: { outcome: 'compressed' } })
})
