/** What ends a service that hangs, and what starts it again: with programs in place of the service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { Service } from '../../../src/local/service.ts'
import { pauseAfter, type Supervised, supervise } from '../../../src/local/supervise.ts'
import { Watchdog } from '../../../src/local/watchdog.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/**
 * Answers like a Worker under the name of workerd. `/spin` never returns from one call; after `/deaf` nothing is answered and next to
 * nothing is computed.
 */
const FAKE_SERVICE = `
import { createServer } from 'node:http'
process.title = 'workerd'
let deaf = false
process.stdin.on('data', () => process.exit())
const { port } = JSON.parse(process.argv[2])
createServer((request, response) => {
  if (request.url === '/spin') for (;;);
  if (request.url === '/deaf') deaf = true
  if (!deaf) response.writeHead(200, { 'x-request-id': 'req_1' }).end()
}).listen(port, '127.0.0.1')
`

async function fakeService(hangTimeoutMs: number): Promise<Service> {
  const root = mkdtempSync(join(tmpdir(), 'whittle-watchdog-'))
  const folder = join(root, 'src/local')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'serve.ts'), FAKE_SERVICE)
  const secretsFile = join(root, 'secrets.env')
  writeFileSync(secretsFile, '')
  const service = new Service({ root, state: root, port: 0, inspectorPort: 0, secretsFile, verbose: false, hangTimeoutMs })
  cleanups.push(async () => {
    await service.stop()
    rmSync(root, { recursive: true, force: true })
  })
  await service.start()
  return service
}
const ask = (service: Service, path: string) =>
  fetch(`http://127.0.0.1:${service.port}${path}`).then(
    (answer) => answer.status,
    () => 0,
  )

it('ends a service that is inside of one call for too long', async () => {
  const service = await fakeService(1500)
  const answer = ask(service, '/spin')
  expect(await service.exited).toMatch(/^it gave no response in \d+ s of CPU time$/)
  expect(service.hung).toBe(true)
  await service.stop()
  expect(await answer).not.toBe(200)
})

it('leaves a service alone that gets no processor time, however long it is silent', async () => {
  const service = await fakeService(1500)
  const answer = ask(service, '/deaf')
  expect(await Promise.race([service.exited, pause(8000).then(() => 'alive')])).toBe('alive')
  await service.stop()
  await answer
})

it('lets a busy service answer now and then, and does not disturb one at rest', async () => {
  let [used, asked, answers] = [0, 0, true]
  const watched = {
    ask: async () => {
      asked++
      return answers
    },
    sample: async () => ({ processorMs: used }),
  }
  const watchdog = new Watchdog(watched, { limits: { silentMs: 400 }, everyMs: 100 })
  cleanups.push(() => watchdog.stop())
  watchdog.recordHeartbeat()
  await pause(600)
  expect(asked).toBe(0)
  const busy = setInterval(() => {
    used += 150
  }, 100)
  cleanups.push(() => clearInterval(busy))
  expect(await Promise.race([watchdog.verdict, pause(2000).then(() => 'alive')])).toBe('alive')
  expect(asked).toBeGreaterThan(0)
  answers = false
  expect(await watchdog.verdict).toBe('silent')
})

it('counts a share of the clock where the system does not tell the processor time', async () => {
  const watched = { sample: async () => undefined }
  const silent = new Watchdog(watched, { limits: { silentMs: 50 }, everyMs: 50, startedMs: 0, clockShare: 0.1 })
  const undecided = new Watchdog(watched, { limits: { silentMs: 50 }, everyMs: 50 })
  cleanups.push(
    () => silent.stop(),
    () => undecided.stop(),
  )
  const began = performance.now()
  expect(await silent.verdict).toBe('silent')
  expect(performance.now() - began).toBeGreaterThan(500)
  expect(await Promise.race([undecided.verdict, pause(200).then(() => 'alive')])).toBe('alive')
})

it('says when a process holds more memory than it may', async () => {
  let residentBytes = 100
  const watchdog = new Watchdog({ sample: async () => ({ processorMs: 0, residentBytes }) }, { limits: { memoryBytes: 100 }, everyMs: 20 })
  cleanups.push(() => watchdog.stop())
  expect(await Promise.race([watchdog.verdict, pause(200).then(() => 'alive')])).toBe('alive')
  residentBytes = 101
  expect(await watchdog.verdict).toBe('memory')
})

/** Services that come up and die at once, as many as there are fates; then one that lives. */
function dying(fates: readonly ('dies' | 'never starts' | 'hangs while it starts')[]) {
  const lines: string[] = []
  const pauses: number[] = []
  let [made, now, greetings, looks] = [0, 0, 0, 0]
  let lives!: () => void
  const alive = new Promise<void>((resolve) => {
    lives = resolve
  })
  const make = (): Supervised => {
    const fate = fates[made++]
    if (fate === undefined) lives()
    return {
      start: async () => {
        if (fate === 'never starts' || fate === 'hangs while it starts') throw new Error('The service did not come up')
      },
      stop: async () => undefined,
      exited: fate === 'dies' ? Promise.resolve('SIGKILL') : new Promise(() => undefined),
      hung: fate === 'hangs while it starts',
      logFile: 'service.log',
    }
  }
  const deps = {
    createService: make,
    welcome: async () => {
      greetings++
    },
    recoverAfterRestart: async () => {
      looks++
    },
    log: (line: string) => void lines.push(line),
    pause: async (ms: number) => {
      pauses.push(ms)
      now += 1000 + ms
    },
    now: () => now,
  }
  return { deps, alive, lines, pauses, greetings: () => greetings, looks: () => looks }
}

it('starts again after ever longer pauses instead of giving up', async () => {
  const { deps, alive, lines, pauses, greetings, looks } = dying(Array(12).fill('dies'))
  await Promise.race([supervise(deps), alive])
  expect(pauses.slice(0, 9)).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  expect(Math.max(...pauses)).toBe(60_000)
  expect(lines[2]).toBe('The service has stopped (SIGKILL), 3 times in ten minutes; its log is service.log. It is started again in 2 s.')
  expect(greetings()).toBe(1)
  expect(looks(), 'each one left tasks under way').toBeGreaterThanOrEqual(12)
  expect([1, 2, 100].map(pauseAfter)).toEqual([0, 1000, 60_000])
})

it('says what keeps it from starting the first time, and tries again later on', async () => {
  await expect(supervise(dying(['never starts']).deps)).rejects.toThrow('did not come up')
  const { deps, alive, lines } = dying(['hangs while it starts', 'dies', 'never starts'])
  await Promise.race([supervise(deps), alive])
  expect(lines).toHaveLength(3)
  expect(lines[2]).toContain('The service has stopped (The service did not come up)')
})
