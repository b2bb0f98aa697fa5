/** A backup of a state, restored into an empty folder: a service there has the tasks, the keys and the files. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { provisionDevelopmentAccount } from '../../src/local/development-account.ts'
import { loadSecrets } from '../../src/local/secrets.ts'
import { Service } from '../../src/local/service.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const TEXT = 'a line of text\n'.repeat(5000)
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'whittle-backup-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Task {
  readonly task_id: string
  readonly status: string
}

/** Runs `work` with a service on this state. */
async function withService<T>(state: string, work: (url: string, adminToken: string) => Promise<T>): Promise<T> {
  mkdirSync(state, { recursive: true })
  const { file, adminToken } = await loadSecrets(join(state, 'secrets.env'))
  const service = new Service({ root: ROOT, state, port: 0, inspectorPort: 0, secretsFile: file, verbose: false })
  try {
    await service.start()
    return await work(`http://127.0.0.1:${service.port}`, adminToken)
  } finally {
    await service.stop()
  }
}

function command(...words: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'tools/state.ts'), ...words], { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

it('restores tasks, keys, receipts and files into an empty folder', async () => {
  const [state, file, restored] = [join(folder, 'state'), join(folder, 'backup.tar'), join(folder, 'restored')]
  const { key, task, receipt } = await withService(state, async (url, adminToken) => {
    const { keys } = await provisionDevelopmentAccount(url, adminToken, undefined)
    const headers = { Authorization: `Bearer ${keys.enterprise}`, Prefer: 'wait=30' }
    const form = new FormData()
    form.append('file', new Blob([TEXT]), 'a.txt')
    const made = (await (await fetch(`${url}/v1/compress`, { method: 'POST', headers, body: form })).json()) as Task
    expect(made.status).toBe('completed')
    const signed = await (await fetch(`${url}/v1/tasks/${made.task_id}/receipt`, { headers })).text()
    return { key: keys.enterprise!, task: made, receipt: signed }
  })

  expect(command('backup', file, '--state', state)).toEqual({ status: 0, output: expect.stringContaining('has the state of') })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(command('backup', file, '--state', state)).toEqual({ status: 1, output: expect.stringContaining('exists already') })
  expect(command('restore', file, '--state', state)).toEqual({ status: 1, output: expect.stringContaining('is not empty') })
  expect(command('restore', file, '--state', restored).status).toBe(0)
  expect(readFileSync(join(restored, 'secrets.env'), 'utf8')).toBe(readFileSync(join(state, 'secrets.env'), 'utf8'))
  expect(statSync(join(restored, 'secrets.env')).mode & 0o777).toBe(0o600)
  rmSync(state, { recursive: true })

  await withService(restored, async (url) => {
    const headers = { Authorization: `Bearer ${key}` }
    const { tasks } = (await (await fetch(`${url}/v1/tasks`, { headers })).json()) as { tasks: Task[] }
    expect(tasks.map(({ task_id }) => task_id)).toEqual([task.task_id])
    const result = await fetch(`${url}/v1/tasks/${task.task_id}/download`, { headers })
    expect(result.status).toBe(200)
    const bytes = new Uint8Array(await result.arrayBuffer())
    expect(bytes.length).toBeGreaterThan(0)
    expect(bytes.length).toBeLessThan(TEXT.length)
    const again = await (await fetch(`${url}/v1/tasks/${task.task_id}/receipt`, { headers })).text()
    expect(again.split('.')[1]).toBe(receipt.split('.')[1])
  })
}, 120_000)

it('backs up no state that a running service uses', async () => {
  const state = join(folder, 'in-use')
  mkdirSync(join(state, 'v3'), { recursive: true })
  writeFileSync(join(state, 'secrets.env'), '')
  const { lockState } = await import('../../src/local/state-lock.ts')
  await lockState(state, { pid: process.pid, port: 8787, embedded: false })
  const file = join(folder, 'in-use.tar')
  expect(command('backup', file, '--state', state)).toEqual({
    status: 1,
    output: expect.stringContaining('is in use by the service on port 8787'),
  })
  expect(readdirSync(folder).filter((name) => name.startsWith('in-use.tar'))).toEqual([])
})

it('restores no archive that is damaged or no backup, and leaves nothing behind', () => {
  const other = join(folder, 'other.tar')
  spawnSync('tar', ['-cf', other, '-C', join(ROOT, 'deploy'), 'compose.yaml'])
  writeFileSync(join(folder, 'damaged.tar'), readFileSync(other).subarray(0, 700))
  for (const [name, why] of [
    ['other.tar', 'is no backup of a state'],
    ['damaged.tar', ''],
    ['missing.tar', 'tar failed'],
  ] as const)
    expect(command('restore', join(folder, name), '--state', join(folder, 'target'))).toEqual({
      status: 1,
      output: expect.stringContaining(why),
    })
  expect(readdirSync(folder).filter((name) => name.startsWith('target'))).toEqual([])
  expect(command('backup', join(folder, 'x.tar'), '--state', join(ROOT, 'deploy'))).toEqual({
    status: 1,
    output: expect.stringContaining('is no state folder'),
  })
})
