/** Press processes that hang, stall or use too much memory: test programs run as real processes in place of the press. */
import { describe, expect, it } from 'vitest'
import { MB, runProgram, witnessOfJobs } from '../../support/press-programs.ts'

const job = witnessOfJobs()
const run = (program: string, change?: Parameters<typeof runProgram>[2]) => runProgram(job, program, change)

describe('a job', () => {
  it.each([
    ['in one call that never returns', 'for (;;);'],
    ['in microtasks that never return to the event loop', 'for (;;) await null'],
  ])('kills a press process that hangs %s, and gives up its task', async (_, program) => {
    expect(await run(program, { silentMs: 500 })).toBe('died')
    expect(job.taskCalls).toEqual([['giveUp', 1, 'one codec call used more than 1 s of CPU time']])
    expect(await job.press.exited).toBe('SIGKILL')
  })

  it('allows calls that return to the event loop, up to the CPU time limit of a step', async () => {
    const program = `for (;;) {
      const until = performance.now() + 100
      while (performance.now() < until);
      say({ kind: 'progress', share: 0 })
      await new Promise((go) => setTimeout(go, 0))
    }`
    expect(await run(program, { silentMs: 600, processorMs: 1200 })).toBe('died')
    expect(job.taskCalls).toEqual([['giveUp', 1, 'the job used more CPU time than a job may']])
  })

  it('releases the step of a stalled press process', async () => {
    expect(await run(`setInterval(() => say({ kind: 'progress', share: 0 }), 100)`, { stalledMs: 1500 })).toBe('died')
    expect(job.taskCalls).toEqual([['release', 1, 'its press process ended: it made no progress for 2 s', undefined]])
  })

  it('kills a press process above the memory limit, and gives up its task', async () => {
    await run(`const held = []; for (;;) { held.push(Buffer.alloc(${16 * MB}, 1)); await new Promise((go) => setTimeout(go, 20)) }`, {
      memoryBytes: 300 * MB,
    })
    expect(job.taskCalls).toEqual([['giveUp', 1, 'the job used more memory than a job may']])
  })
})
