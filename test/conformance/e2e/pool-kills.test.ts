/** The service whose presses are killed while they work. */
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pressesBelow } from '../../e2e/processes.ts'
import { type Running, startService } from '../../e2e/running.ts'
import { Tasks } from '../../e2e/tasks.ts'

const PHOTO = join(resolve(import.meta.dirname, '../../..'), 'docs/photo.jpg')

let service: Running
let tasks: Tasks
beforeAll(async () => {
  service = await startService({ workers: 2, memoryBytes: 1024 ** 3 })
  tasks = new Tasks(service)
})
afterAll(() => service?.stop())

it('goes on when presses are killed: every task ends as if nothing had happened, and each step is tried again at once', async () => {
  const upload = () => tasks.upload(PHOTO, { quality: 'low', format: 'webp' })
  const whole = await tasks.ended(await upload())
  const begun = await Promise.all(Array.from({ length: 4 }, upload))
  for (let round = 0; round < 2; round++) {
    await sleep(150)
    for (const pid of await pressesBelow(service.pid)) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
    expect(await tasks.ask('/healthz')).toMatchObject({ status: 'ok' })
  }
  for (const task of await Promise.all(begun.map((one) => tasks.ended(one)))) {
    expect(task).toMatchObject({ status: 'completed', result: { outcome: 'compressed', sha256: whole.result?.sha256 } })
  }
})
