/** All results of a batch as one ZIP: entries, names, receipts, refusals and back-pressure. */
import { env } from 'cloudflare:workers'
import { unzipSync } from 'fflate'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TaskView } from '../../../src/service/store/task.ts'
import { call, errorOf, form, type Member, member, TEXT } from './client.ts'

interface Batch {
  readonly path: string
  readonly id: string
  readonly tasks: readonly TaskView[]
}

type NamedFile = readonly [name: string, content: string | Uint8Array]

/** Sends a batch and waits until all of its tasks have ended. */
async function batch(who: Member, files: readonly NamedFile[]): Promise<Batch> {
  const body = form(
    {},
    files.map(([name, content]): [string, string | Uint8Array, string] => ['files[]', content, name]),
  )
  const made = (await (await call(who, '/v1/batch/compress', { method: 'POST', body })).json()) as { batch_id: string; tasks: TaskView[] }
  await Promise.all(made.tasks.map(({ task_id }) => env.TASKS.getByName(task_id).wait(20_000)))
  const { tasks } = (await (await call(who, `/v1/batches/${made.batch_id}`)).json()) as { tasks: TaskView[] }
  return { path: `/v1/batches/${made.batch_id}/download`, id: made.batch_id, tasks }
}

const entriesOf = async (answer: Response) => unzipSync(new Uint8Array(await answer.arrayBuffer()))
const sheetOf = (entries: Record<string, Uint8Array>) =>
  JSON.parse(new TextDecoder().decode(entries['_receipts.json'])) as {
    batch_id: string
    files: { name: string; receipt: { task_id: string; result: { sha256: string } }; jws?: string }[]
  }
const sha256 = async (bytes: Uint8Array) => Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')

afterEach(() => vi.restoreAllMocks())

describe('the ZIP of a batch', () => {
  it('has each result under a name of its own, and the receipts', async () => {
    const who = await member()
    const { path, id, tasks } = await batch(who, [
      ['double.txt', TEXT],
      ['DOUBLE.txt', `${TEXT}b`],
      ['Übung 契約 🎉.txt', `${TEXT}c`],
      ['_receipts.json', '[]\n'],
      ['bad.bin', new Uint8Array(500).fill(255)],
    ])
    const answer = await call(who, path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Content-Type')).toBe('application/zip')
    expect(answer.headers.get('Content-Disposition')).toContain(`filename="${id}.zip"`)
    const bytes = new Uint8Array(await answer.clone().arrayBuffer())
    expect(answer.headers.get('Content-Length')).toBe(String(bytes.length))
    const entries = await entriesOf(answer)
    const doubles = tasks[0]!.output_name!
    expect(Object.keys(entries).sort()).toEqual(
      ['_receipts.json', '_receipts-2.json', doubles, tasks[1]!.output_name!.replace('.txt', '-2.txt'), tasks[2]!.output_name!].sort(),
    )
    const sheet = sheetOf(entries)
    expect(sheet.batch_id).toBe(id)
    for (const { name, receipt, jws } of sheet.files) {
      expect(await sha256(entries[name]!)).toBe(receipt.result.sha256)
      expect(jws).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    }
    expect(sheet.files.map(({ receipt }) => receipt.task_id)).toEqual(
      tasks.filter(({ status }) => status === 'completed').map(({ task_id }) => task_id),
    )
    expect(new TextDecoder().decode(entries['_receipts.json'])).not.toContain(who.key)
  })

  it('leaves out unchanged files if it is asked to', async () => {
    const who = await member()
    const { path } = await batch(who, [
      ['a.txt', TEXT],
      ['b.txt', 'ab'],
    ])
    const { files } = sheetOf(await entriesOf(await call(who, `${path}?only=compressed`)))
    expect(files.map(({ receipt }) => receipt.result)).toMatchObject([{ outcome: 'compressed' }])
    expect((await call(who, `${path}?only=unchanged`)).status).toBe(400)
  })

  it('answers HEAD without a body', async () => {
    const who = await member()
    const { path } = await batch(who, [['a.txt', TEXT]])
    const [head, get] = [await call(who, path, { method: 'HEAD' }), await call(who, path)]
    expect(head.body).toBeNull()
    expect(head.headers.get('Content-Type')).toBe('application/zip')
    expect((await get.arrayBuffer()).byteLength).toBe(Number(get.headers.get('Content-Length')))
  })

  it('is refused while no task is completed, for an unknown batch, and to another account', async () => {
    const who = await member()
    const { path, tasks } = await batch(who, [['bad.bin', new Uint8Array(500).fill(255)]])
    expect(tasks[0]!.status).toBe('failed')
    const none = await call(who, path)
    expect([none.status, (await errorOf(none)).error_detail]).toMatchObject([409, { type: 'not_completed', status: 'failed' }])
    const unknown = await call(who, '/v1/batches/none/download')
    expect([unknown.status, (await errorOf(unknown)).error_detail.type]).toEqual([404, 'unknown_batch'])
    expect((await call(await member(), path)).status).toBe(404)
  })

  it('opens the next result only when its client has read the one before', async () => {
    const who = await member()
    const noise = () => {
      const bytes = new Uint8Array(120_000).map(() => 97 + Math.floor(Math.random() * 26))
      return new TextDecoder().decode(bytes)
    }
    const { path } = await batch(
      who,
      ['a', 'b', 'c', 'd'].map((name): NamedFile => [`${name}.txt`, noise()]),
    )
    const get = vi.spyOn(env.BLOBS, 'get')
    const answer = await call(who, path)
    const reader = answer.body!.getReader()
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const opened = () => new Set(get.mock.calls.map(([key]) => key).filter((key) => key.startsWith('results'))).size
    expect(opened()).toBeLessThanOrEqual(2)
    while (!(await reader.read()).done);
    expect(opened()).toBe(4)
  })

  it('breaks off if a result is deleted meanwhile', async () => {
    const who = await member()
    const { path, tasks } = await batch(who, [
      ['a.txt', TEXT],
      ['b.txt', `${TEXT}b`],
    ])
    const answer = await call(who, path)
    await call(who, `/v1/tasks/${tasks[1]!.task_id}`, { method: 'DELETE' })
    await expect(answer.arrayBuffer()).rejects.toThrow()
  })
})
