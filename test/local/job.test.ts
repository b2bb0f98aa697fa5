/** Jobs with faulty press processes: test programs run as real processes in place of the press. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completes, runProgram, UPLOAD, witnessOfJobs } from '../support/press-programs.ts'

const job = witnessOfJobs()
const run = (program: string, change?: Parameters<typeof runProgram>[2]) => runProgram(job, program, change)

/** A program that computes until it has used 0.1 s of CPU time. */
const SPIN = 'for (const start = process.cpuUsage().user; process.cpuUsage().user < start + 100_000; ) for (let i = 0; i < 1e6; i++);'

describe('a job', () => {
  it('reports its CPU time before it ends', async () => {
    expect(await run(`${SPIN}${completes('small')}`)).toBe('done')
    const total = job.cpuMs.reduce((sum, ms) => sum + ms, 0)
    expect(total).toBeGreaterThan(0)
    expect(job.cpuMs.every((ms) => ms >= 0)).toBe(true)
  })

  it('uploads the result, then completes the task with its own attempt number', async () => {
    expect(await run(`if (fs.readFileSync(work.folder + '/uploads~tsk_1', 'utf8') !== '${UPLOAD}') throw 0;${completes('small')}`)).toBe(
      'done',
    )
    expect(job.stored).toEqual(new Map([['results/tsk_1/1', 'small']]))
    expect(job.taskCalls).toMatchObject([['complete', 1, { key: 'results/tsk_1/1', size: 5 }]])
  })

  it('does not complete a task if the result differs from the verified one', async () => {
    await run(completes('other', 'small'))
    expect(job.taskCalls).toEqual([['release', 1, 'Error: the stored result differs from the verified one', undefined, 'codec']])
  })

  it('does not upload a blob that belongs to another task', async () => {
    await run(completes('small', 'small', 'results/tsk_2/1'))
    expect(job.stored.size).toBe(0)
    expect(job.taskCalls).toMatchObject([['release', 1, 'Error: results/tsk_2/1 does not belong to this job', undefined, 'codec']])
  })

  it('refuses task methods that a press process may not call', async () => {
    await run(`await call('remove').catch((error) => call('release', 1, error.message)); say({ kind: 'done' })`)
    expect(job.taskCalls).toEqual([['release', 1, 'Error: a press process may not call remove', undefined, 'codec']])
  })

  it('reports that the job needs more than the memory of an isolate', async () => {
    await run(completes('small'))
    expect(job.enlarged).toBe(false)
    job.press.kill()
    rmSync(join(job.root, 'build'), { recursive: true })
    await run(`say({ kind: 'enlarged' });${completes('small')}`)
    expect(job.enlarged).toBe(true)
  })

  it('releases the step at once when its press process dies', async () => {
    expect(await run('process.kill(process.pid, 9)')).toBe('died')
    expect(job.taskCalls).toEqual([['release', 1, 'its press process ended: SIGKILL', undefined]])
  })

  it('is not retained by its press process: only the last listener gets the end event', async () => {
    expect(await run(completes('small'))).toBe('done')
    expect(job.exitListeners.mock.calls).toEqual([])
    job.press.kill()
    await job.press.exited
    const heard: unknown[] = []
    job.press.onMessage((message) => heard.push(message))
    expect(heard).toEqual([{ kind: 'gone', why: 'SIGKILL' }])
  })

  it('gives up when the third press process dies', async () => {
    await run('process.exit(3)', { deaths: 2 })
    expect(job.taskCalls).toEqual([['giveUp', 1, { code: 'job_lost_worker', times: 3 }]])
  })

  it('kills a busy press process when its task was deleted, without another task call', async () => {
    setTimeout(() => {
      job.stopped = true
    }, 500)
    expect(await run('for (;;);')).toBe('stopped')
    expect(job.taskCalls).toEqual([])
    expect(await job.press.exited).toBe('SIGKILL')
  })

  it('hands a step back when the service stops, so that nothing waits for its lease (sigterm-waits-for-leases)', async () => {
    expect(await run('for (;;);', { handedBackAfterMs: 500 })).toBe('stopped')
    expect(job.taskCalls).toEqual([['release', 1, 'the service stops', undefined, 'platform']])
    expect(await job.press.exited).toBe('SIGKILL')
  })

  it('denies the press process other files, child processes and environment variables', async () => {
    const refused = 'ERR_ACCESS_DENIED'
    const tries = {
      read: `fs.readFileSync('${job.root}/secret')`,
      list: `fs.readdirSync('${job.root}')`,
      write: `fs.writeFileSync('${job.root}/build/press.mjs', '')`,
      spawn: "(await import('node:child_process')).execFileSync('/bin/true')",
      environment: `if (Object.keys(process.env).every((name) => ['TZ', 'MALLOC_ARENA_MAX', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name) || name.startsWith('NODE_CHANNEL_'))) throw { code: '${refused}' }`,
    }
    await run(`
      const ends = {}
      ${Object.entries(tries)
        .map(([name, code]) => `try { ${code}; ends.${name} = 'allowed' } catch (error) { ends.${name} = error.code }`)
        .join('\n')}
      await call('release', 1, JSON.stringify(ends))
      say({ kind: 'done' })`)
    expect(JSON.parse(job.taskCalls[0]?.[2] as string)).toEqual({
      read: refused,
      list: refused,
      write: refused,
      spawn: refused,
      environment: refused,
    })
  })
})
