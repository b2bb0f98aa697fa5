/** The TypeScript client: pacing by `RateLimit`, and results in the response to an upload. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Whittle } from '../../../packages/clients/typescript/src/client.ts'
import { directResultOf } from '../../../packages/clients/typescript/src/direct.ts'
import { fromFile, saveBatchZip } from '../../../packages/clients/typescript/src/node.ts'
import { Pace } from '../../../packages/clients/typescript/src/pace.ts'

it('lets requests go until none remain, and again when the window resets', () => {
  const pace = new Pace()
  expect(pace.begin(0)).toBe(0)
  pace.end('"minute";r=2;t=30', 0)
  expect([pace.begin(100), pace.begin(100)]).toEqual([0, 0])
  expect(pace.begin(100)).toBeGreaterThan(0)
  // The first of the two comes back while the second is on its way and may not be counted yet.
  pace.end('"minute";r=1;t=20', 200)
  expect(pace.begin(300)).toBeGreaterThan(0)
  pace.end('"minute";r=1;t=19', 1000)
  expect(pace.begin(1000)).toBe(0)
  expect(pace.begin(1000)).toBeGreaterThan(0)
  expect(pace.begin(20_001)).toBe(0)
})

it('does not wait without a limit, or for a header that it does not know', () => {
  for (const header of [null, '', 'unlimited', '"minute";r=x;t=5', '"minute"']) {
    const pace = new Pace()
    for (let i = 0; i < 20; i++) {
      expect(pace.begin(i)).toBe(0)
      pace.end(header, i)
    }
  }
})

const BYTES = Buffer.from('a result')
const headersOf = (name: string) => ({
  'content-disposition': name,
  'content-length': String(BYTES.length),
  'repr-digest': `sha-256=:${createHash('sha256').update(BYTES).digest('base64')}:`,
  'whittle-task': 'tsk_1',
  'whittle-outcome': 'unchanged',
  'whittle-original-size': '8',
})

it.each([
  ['attachment; filename="_bung.txt"; filename*=UTF-8\'\'%C3%9Cbung.txt', 'Übung.txt'],
  ['attachment; filename="a \\"b\\".txt"', 'a "b".txt'],
  ['attachment', 'sent.txt'],
])('reads the file name of %s', async (header, name) => {
  const result = await directResultOf(new Response(BYTES, { headers: headersOf(header) }), 'sent.txt')
  expect(result).toMatchObject({ kind: 'file', name, outcome: 'unchanged', size: 8, originalSize: 8, receipt: undefined })
  expect(result).toMatchObject({ sha256: createHash('sha256').update(BYTES).digest('hex') })
})

it('refuses a response that is not from the service', async () => {
  await expect(directResultOf(new Response('<html>'), '')).rejects.toMatchObject({ name: 'DamagedError' })
})

it('sends a file again with a new key if the first response was lost after the task had been deleted', async () => {
  const keys: (string | null)[] = []
  const service: typeof fetch = async (_url, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'))
    if (keys.length > 1) return new Response(BYTES, { headers: headersOf('attachment') })
    return Response.json({ error: { message: 'gone' }, error_detail: { type: 'unknown_task' } }, { status: 404 })
  }
  const whittle = new Whittle({ baseUrl: 'http://service.test', key: 'whl_live_x', fetch: service })
  expect(await whittle.compressDirectly(new Uint8Array(8), {}, { idempotencyKey: 'mine' })).toMatchObject({ kind: 'file', taskId: 'tsk_1' })
  expect([keys.length, keys[0], keys[1] === keys[0]]).toEqual([2, '"mine"', false])
})

it('compresses a file in one line, and deletes the task, also if the result is damaged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-client-'))
  try {
    writeFileSync(join(folder, 'a.txt'), 'a file')
    const requests: string[] = []
    let sent = BYTES
    const task = {
      task_id: 'tsk_1',
      status: 'completed',
      output_name: 'a.txt.zst',
      result: { sha256: createHash('sha256').update(BYTES).digest('hex') },
    }
    const service: typeof fetch = async (url, init) => {
      const path = new URL(String(url)).pathname
      requests.push(`${init?.method ?? 'GET'} ${path}`)
      if (init?.body instanceof ReadableStream) await new Response(init.body).arrayBuffer()
      return path.endsWith('/download') ? new Response(sent) : Response.json(task)
    }
    const whittle = new Whittle({ baseUrl: 'http://service.test', key: 'whl_live_x', fetch: service })
    await fromFile(whittle, join(folder, 'a.txt')).toFile(join(folder, 'b'))
    expect(readFileSync(join(folder, 'b'))).toEqual(BYTES)
    expect(requests).toEqual(['POST /v1/compress', 'GET /v1/tasks/tsk_1/download', 'DELETE /v1/tasks/tsk_1'])
    sent = Buffer.from('other bytes')
    await expect(fromFile(whittle, join(folder, 'a.txt')).toFile(join(folder, 'c'))).rejects.toMatchObject({ name: 'DamagedError' })
    expect([readdirSync(folder).sort(), requests.at(-1)]).toEqual([['a.txt', 'b'], 'DELETE /v1/tasks/tsk_1'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('saves the results of a batch as one ZIP, and nothing if the connection breaks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-client-'))
  try {
    const requests: string[] = []
    let breaks = false
    const service: typeof fetch = async (url) => {
      const { pathname, search } = new URL(String(url))
      requests.push(pathname + search)
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(BYTES)
          if (breaks) controller.error(new TypeError('terminated'))
          else controller.close()
        },
      })
      return new Response(body)
    }
    const whittle = new Whittle({ baseUrl: 'http://service.test', key: 'whl_live_x', fetch: service })
    await saveBatchZip(whittle, 'bat_1', join(folder, 'all.zip'))
    expect(readFileSync(join(folder, 'all.zip'))).toEqual(BYTES)
    breaks = true
    await expect(saveBatchZip(whittle, 'bat_1', join(folder, 'b.zip'), { only: 'compressed' })).rejects.toThrow('terminated')
    expect(requests).toEqual(['/v1/batches/bat_1/download', '/v1/batches/bat_1/download?only=compressed'])
    expect(readdirSync(folder)).toEqual(['all.zip'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('compresses an object of a bucket, and waits until the result is delivered or given up', async () => {
  const answers = ['pending', 'pending', 'delivered', 'pending', 'failed']
  const requests: [string, string][] = []
  const service: typeof fetch = async (url, init) => {
    requests.push([`${init?.method ?? 'GET'} ${new URL(String(url)).pathname}`, String(init?.body ?? '')])
    return Response.json({ task_id: 'tsk_1', status: 'completed', delivery: { status: answers.shift(), attempts: 1, last_status: 200 } })
  }
  const whittle = new Whittle({ baseUrl: 'http://service.test', key: 'whl_live_x', fetch: service })
  const source = { connection: 'shop', key: 'photos/a.jpg' }
  const send = () => whittle.compress({ ...source }, { destination: { connection: 'shop', prefix: 'small/' } })
  expect(await whittle.delivered(await send(), { pollSeconds: 0.001 })).toMatchObject({ delivery: { status: 'delivered' } })
  expect(requests.map(([request]) => request)).toEqual(['POST /v1/compress', 'GET /v1/tasks/tsk_1', 'GET /v1/tasks/tsk_1'])
  expect(JSON.parse(requests[0]![1])).toEqual({ source, destination: { connection: 'shop', prefix: 'small/' } })
  const task = await send()
  await expect(whittle.delivered(task, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  expect(await whittle.delivered(task, { pollSeconds: 0.001 })).toMatchObject({ delivery: { status: 'failed' } })
})
