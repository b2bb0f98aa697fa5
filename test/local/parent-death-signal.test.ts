/** Child processes end when their parent is killed, even if they are busy. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { withParentDeathSignal } from '../../src/local/parent-death-signal.ts'
import { isThere } from '../e2e/processes.ts'

const BUSY = 'for (;;);'
/** Starts a program that never returns to its event loop, prints its process id, and waits to be killed. */
const PARENT = `
const [command, ...rest] = JSON.parse(process.argv[1])
console.log(require('node:child_process').spawn(command, rest).pid)
setInterval(() => undefined, 1000)`

it.skipIf(withParentDeathSignal().length === 0)('ends a busy child when its parent is killed with SIGKILL', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT, JSON.stringify([...withParentDeathSignal(), process.execPath, '-e', BUSY])])
  const [output] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(String(output))
  expect(isThere(pid)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isThere(pid), { timeout: 30_000 }).toBe(false)
})
