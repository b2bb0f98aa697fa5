/** `npm start` as a process among others. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../../scripts/service.ts'
import { workerdsBelow } from './processes.ts'

const ROOT = resolve(import.meta.dirname, '../..')

async function started(work: (service: ChildProcess, answers: () => Promise<boolean>) => Promise<void>): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'whittle-start-'))
  const port = await freePort()
  const flags = ['--port', `${port}`, '--state', state, '--embedded']
  const service = spawn(process.execPath, [join(ROOT, 'scripts/start.ts'), ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  service.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(5000) }).then(
      (answer) => answer.ok,
      () => false,
    )
  try {
    // It answers before it has made its keys; the greeting is the end of that.
    await expect.poll(() => said, { timeout: 90_000, interval: 200 }).toContain('Ctrl-C stops it.')
    await work(service, answers)
  } finally {
    service.kill('SIGKILL')
    rmSync(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

it('leaves nothing behind when it is killed (killed-start-keeps-port)', () =>
  started(async (service, answers) => {
    service.kill('SIGKILL')
    await expect.poll(answers, { timeout: 10_000, interval: 100 }).toBe(false)
  }))

it(
  'comes back when its workerd is killed (killed-workerd-hangs)',
  () =>
    started(async (service, answers) => {
      const before = (await workerdsBelow(service.pid!)) ?? []
      expect(before.length).toBeGreaterThan(0)
      for (const pid of before) process.kill(pid, 'SIGKILL')
      await expect.poll(answers, { timeout: 5000, interval: 100 }).toBe(false)
      await expect.poll(answers, { timeout: 100_000, interval: 500 }).toBe(true)
      for (const pid of (await workerdsBelow(service.pid!)) ?? []) expect(before).not.toContain(pid)
    }),
  200_000,
)
