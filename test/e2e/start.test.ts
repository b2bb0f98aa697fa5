/** `npm start` as a process among others. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../../scripts/service.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('leaves nothing behind when it is killed (killed-start-keeps-port)', async () => {
  const state = mkdtempSync(join(tmpdir(), 'whittle-start-'))
  const port = await freePort()
  const service = spawn(process.execPath, [join(ROOT, 'scripts/start.ts'), '--port', `${port}`, '--state', state], { stdio: 'ignore' })
  try {
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      )
    await expect.poll(answers, { timeout: 90_000, interval: 200 }).toBe(true)
    service.kill('SIGKILL')
    await expect.poll(answers, { timeout: 10_000, interval: 100 }).toBe(false)
  } finally {
    service.kill('SIGKILL')
    rmSync(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
})
