/** `npm start` as a process among others. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { withParentDeathSignal } from '../../../src/local/parent-death-signal.ts'
import { freePort } from '../../../src/local/service.ts'
import { lockState } from '../../../src/local/state-lock.ts'
import { isThere, nodesBelow, workerdsBelow } from '../../e2e/processes.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

type Work = (service: ChildProcess, answers: () => Promise<boolean>, state: string) => Promise<void>

async function started(work: Work): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'whittle-start-'))
  const port = await freePort()
  const flags = ['--port', `${port}`, '--state', state, '--embedded']
  const service = spawn(process.execPath, [join(ROOT, 'src/local/start.ts'), ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
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
    await expect.poll(() => said, { timeout: 90_000, interval: 200 }).toContain('Press Ctrl-C to stop.')
    expect(said, 'where its keys are').toContain(`(others: ${join(state, 'keys.json')})`)
    await work(service, answers, state)
  } finally {
    service.kill('SIGKILL')
    rmSync(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

it('leaves nothing behind when it is killed', () =>
  started(async (service, answers) => {
    service.kill('SIGKILL')
    await expect.poll(answers, { timeout: 10_000, interval: 100 }).toBe(false)
  }))

it.skipIf(withParentDeathSignal().length === 0)('nor when everything that Node runs is, which is nobody to tidy up', () =>
  started(async (service) => {
    const [workerd = 0] = (await workerdsBelow(service.pid!)) ?? []
    expect(isThere(workerd)).toBe(true)
    const doomed = await nodesBelow(service.pid!)
    expect(doomed.length, 'itself, the parent of the presses, a press of each kind').toBeGreaterThanOrEqual(4)
    for (const pid of doomed) process.kill(pid, 'SIGKILL')
    await expect.poll(() => isThere(workerd), { timeout: 10_000, interval: 100 }).toBe(false)
  }),
)

it(
  'comes back when its workerd is killed',
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

/** Starts one more on a state that may be in use, for as long as it takes to say so. */
const second = (state: string, port: number) =>
  spawnSync(process.execPath, [join(ROOT, 'src/local/start.ts'), '--port', `${port}`, '--state', state], {
    encoding: 'utf8',
    timeout: 20_000,
  })

it('refuses a state that another service has, and says which', () =>
  started(async (service, answers, state) => {
    const { status, stderr } = second(state, await freePort())
    expect(stderr).toMatch(/^The state folder .+ is in use by the service of another whittle command, on port \d+ \(pid \d+\)\. /)
    expect(stderr).toContain(`(pid ${service.pid})`)
    expect(status).toBe(1)
    expect(await answers()).toBe(true)
    service.kill('SIGKILL')
    await expect.poll(answers, { timeout: 10_000, interval: 100 }).toBe(false)
    // It may go on now: the lock went with its holder, whatever the folder says.
    expect(readFileSync(join(state, 'service.json'), 'utf8')).toContain(`${service.pid}`)
    await lockState(state, { pid: 0, port: 0, embedded: false })
  }))
