/** A job that never comes back, from the upload to its end, in a real workerd. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { provision } from '../../../src/local/development-account.ts'
import { freePort, loadSecrets, Service } from '../../../src/local/service.ts'
import { supervise } from '../../../src/local/supervise.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const PATIENCE_MS = 3000

/** The Workers of this checkout, but for the press. */
function rootWithHangingPress(): string {
  const root = mkdtempSync(join(tmpdir(), 'whittle-hang-'))
  for (const name of ['node_modules', 'src', 'durable-objects', 'console', 'packages', 'docs', 'tools', 'wasm', 'test'])
    symlinkSync(join(ROOT, name), join(root, name))
  mkdirSync(join(root, 'deploy'))
  for (const name of ['package.json', 'tsconfig.json', 'wrangler.toml', 'deploy/wrangler.media.toml'])
    cpSync(join(ROOT, name), join(root, name))
  const press = readFileSync(join(ROOT, 'deploy/wrangler.press.toml'), 'utf8').replace(
    'src/service/press.ts',
    'test/service/http/hanging-press.ts',
  )
  writeFileSync(join(root, 'deploy/wrangler.press.toml'), press)
  mkdirSync(join(root, 'state'))
  return root
}

it('ends a job that hangs, and with the third worker its task: unchanged, over_budget', {
  timeout: 540_000,
}, async () => {
  const root = rootWithHangingPress()
  const state = join(root, 'state')
  const { file: secretsFile, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  writeFileSync(secretsFile, readFileSync(secretsFile, 'utf8').replace('LEASE_MS=30000', 'LEASE_MS=6000'))
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const lines: string[] = []
  let service!: Service
  let stopping = false
  const greeted = new Promise<string>((resolve, reject) => {
    supervise({
      make: () => {
        service = new Service({ root, state, port, inspectorPort: 0, secretsFile, verbose: false, patienceMs: PATIENCE_MS })
        return service
      },
      greet: async () => resolve((await provision(base, adminToken, undefined)).keys.enterprise),
      lookAround: async () => undefined,
      say: (line) => void lines.push(line),
      pause: (ms) => new Promise((done) => stopping || setTimeout(done, ms)),
      now: Date.now,
    }).catch(reject)
  })
  try {
    const headers = { authorization: `Bearer ${await greeted}`, prefer: 'respond-async' }
    const upload = (name: string) => {
      const form = new FormData()
      form.append('file', new Blob(['A line that repeats itself.\n'.repeat(500)]), name)
      return fetch(`${base}/v1/compress`, { method: 'POST', headers, body: form }).then((answer) => answer.arrayBuffer())
    }
    const read = async (name: string) => {
      const answer = await fetch(`${base}/v1/tasks`, { headers, signal: AbortSignal.timeout(5000) }).catch(() => undefined)
      const { tasks } = ((await answer?.json().catch(() => undefined)) ?? {}) as { tasks?: { file_name: string }[] }
      return tasks?.find((task) => task.file_name === name)
    }
    // Its answer may go down with the service.
    await upload('hang.txt').catch(() => undefined)
    await expect.poll(() => lines.length, { timeout: 120_000, interval: 200 }).toBe(1)
    expect(lines[0]).toContain('it answered nothing while it was busy')
    await expect.poll(() => read('hang.txt'), { timeout: 120_000, interval: 500 }).toMatchObject({ status: 'processing' })
    await upload('notes.txt')
    await expect.poll(() => read('hang.txt'), { timeout: 400_000, interval: 1000 }).toMatchObject({ status: 'completed' })
    expect(await read('hang.txt')).toMatchObject({
      result: { outcome: 'unchanged', reason: 'over_budget', detail: 'the job lost its worker; it was tried 3 times' },
    })
    expect(await read('notes.txt')).toMatchObject({ status: 'completed', result: { outcome: 'compressed' } })
    expect(lines.filter((line) => line.includes('it answered nothing'))).toHaveLength(3)
  } finally {
    stopping = true
    await service.stop()
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
})
