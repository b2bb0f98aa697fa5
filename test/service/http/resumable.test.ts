/** Tests of resumable uploads: stored bytes, tasks, and access. */

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { Sha256 } from '../../../src/core/bytes/sha256.ts'
import type { Env } from '../../../src/service/env.ts'
import { ChunkWriter } from '../../../src/service/store/resumable.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { taskIdOfUpload } from '../../../src/service/store/upload-records.ts'
import { sweep } from '../../../src/service/tasks/sweep.ts'
import { blobs, call, compress, errorOf, form, type Member, member, TEXT } from './client.ts'
import { base64, cutAfter, idOf, Tus } from './tus.ts'

const BYTES = new Uint8Array(new TextEncoder().encode(TEXT))
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const record = (id: string) => env.UPLOADS.getByName(id)
const object = (id: string) => record(id) as unknown as DurableObjectStub
/** Text whose lines are all different. */
const lines = (size: number): Uint8Array<ArrayBuffer> => {
  let text = ''
  for (let i = 0; text.length < size; i++) text += `${i} the quick brown fox\n`
  return new Uint8Array(new TextEncoder().encode(text.slice(0, size)))
}

async function use(who: Member, id: string, fields: Record<string, string> = {}): Promise<TaskView> {
  const answer = await call(who, '/v1/compress', { method: 'POST', body: form({ upload: id, ...fields }, []) })
  if (answer.status !== 200) throw new Error(await answer.text())
  const task = (await answer.json()) as TaskView
  if (task.status === 'completed') return task
  const waited = await call(who, `/v1/tasks/${task.task_id}`, { headers: { Prefer: 'wait=20' } })
  return (await waited.json()) as TaskView
}

/** SHA-256 of the stored upload, and the SHA-256 in its record. */
async function stored(id: string): Promise<string[]> {
  const blob = await env.BLOBS.get(`uploads-30d/${taskIdOfUpload(id)}`)
  return [sha256(new Uint8Array(await blob!.arrayBuffer())), Sha256.from((await record(id).read())!.hash).hex()]
}

const storageOf = async ({ accountId }: Member) => (await env.ACCOUNTS.getByName(accountId).usage('enterprise')).storage_used

describe('chunks', () => {
  it('of any size give the same file, hash and result as a direct upload', async () => {
    const who = await member()
    const tus = new Tus(who)
    const direct = (await (await compress(who)).json()) as TaskView
    for (const size of [1 << 20, 5000, 977]) {
      const task = await use(who, await tus.whole(BYTES, { filename: 'a.txt' }, size))
      expect(task.result).toMatchObject({ original_sha256: sha256(BYTES), sha256: direct.result?.sha256 })
    }
  })

  it('are stored as multipart parts when enough bytes have arrived', async () => {
    const who = await member()
    const tus = new Tus(who)
    const bytes = lines(11_000_000)
    const id = await tus.begun(bytes.length)
    let at = 0
    let most = 0
    // Small chunks first: stored one by one, they would be hundreds of objects.
    for (const size of [...Array<number>(100).fill(1001), 5_242_880, 1, 2_000_000, bytes.length]) {
      const answer = await tus.patch(id, at, bytes.slice(at, at + size))
      expect(answer.status).toBe(204)
      at = Math.min(bytes.length, at + size)
      expect(answer.headers.get('Upload-Offset')).toBe(String(at))
      const pieces = (await record(id).read())!.pieces
      most = Math.max(most, pieces.length)
      const kept = (await blobs()).filter((key) => key.startsWith(`incoming/${id}/`))
      expect(kept.sort()).toEqual(pieces.map(({ key }) => key).sort())
    }
    expect(most).toBeLessThan(20)
    expect((await record(id).parts()).length).toBe(3)
    expect(await stored(id)).toEqual([sha256(bytes), sha256(bytes)])
  })

  it('that end early are kept up to the last received byte', async () => {
    const who = await member()
    const tus = new Tus(who)
    const bytes = lines(9_000_000)
    const id = await tus.begun(bytes.length)
    await tus.patch(id, 0, cutAfter(bytes.slice(0, 7_000_123)))
    expect(await tus.offset(id)).toBe(7_000_123)
    expect((await tus.patch(id, 7_000_123, bytes.slice(7_000_123))).status).toBe(204)
    expect(await stored(id)).toEqual([sha256(bytes), sha256(bytes)])
  })

  it('with a checksum are kept if it matches and discarded if not', async () => {
    const who = await member()
    const tus = new Tus(who)
    const bytes = lines(12_000_000)
    const id = await tus.begun(bytes.length)
    const sum = (part: Uint8Array, algorithm = 'sha256') => ({
      'Upload-Checksum': `${algorithm} ${base64(createHash(algorithm).update(part).digest())}`,
    })
    expect((await tus.patch(id, 0, bytes.slice(0, 1000), sum(bytes.slice(0, 1000), 'sha1'))).status).toBe(204)
    // The chunk is longer than a part, so bytes are stored before the checksum fails.
    const wrong = await tus.patch(id, 1000, bytes.slice(1000, 8_000_000), sum(bytes.slice(0, 5)))
    expect(wrong.status).toBe(460)
    expect((await errorOf(wrong)).error_detail).toMatchObject({ type: 'checksum_mismatch', offset: 1000 })
    await tus.patch(id, 1000, cutAfter(bytes.slice(1000, 8_000_000)), sum(bytes.slice(1000, 9_000_000)))
    expect(await tus.offset(id)).toBe(1000)
    expect((await tus.patch(id, 1000, bytes.slice(1000), sum(bytes.slice(1000)))).status).toBe(204)
    expect(await stored(id)).toEqual([sha256(bytes), sha256(bytes)])
    for (const header of ['sha256', 'crc32 AAAA', 'sha256 ***', `sha256 ${base64('short')}`, `sha1 ${base64(new Uint8Array(32))}`]) {
      const answer = await tus.patch(id, 0, 'x', { 'Upload-Checksum': header })
      expect((await errorOf(answer)).error_detail).toMatchObject({ type: 'invalid_parameter', param: 'Upload-Checksum' })
    }
  })

  it('are accepted only at the current offset and within Upload-Length', async () => {
    const tus = new Tus(await member())
    const id = await tus.begun(100)
    await tus.patch(id, 0, 'x'.repeat(40))
    for (const offset of [0, 39, 41, 100, 1000]) {
      const answer = await tus.patch(id, offset, 'y')
      expect(answer.status).toBe(409)
      expect((await errorOf(answer)).error_detail).toMatchObject({ type: 'offset_mismatch', offset: 40 })
    }
    expect((await errorOf(await tus.patch(id, 40, 'y'.repeat(61)))).error_detail.type).toBe('malformed_request')
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(50)) })
    expect((await errorOf(await tus.patch(id, 40, endless))).error_detail.type).toBe('malformed_request')
    expect((await tus.patch(id, 40, '')).status).toBe(204)
    expect(await tus.offset(id)).toBe(40)
  })

  it('of two parallel requests are not mixed: the later request gets the lock', async () => {
    const who = await member()
    const tus = new Tus(who)
    const bytes = lines(6_000_000)
    const id = await tus.begun(bytes.length)
    const slow = Promise.withResolvers<void>()
    let sent = 0
    const first = tus.patch(
      id,
      0,
      new ReadableStream({
        async pull(controller) {
          if (sent++ > 0) await slow.promise
          controller.enqueue(new Uint8Array(3_000_000).fill(65))
          if (sent === 2) controller.close()
        },
      }),
    )
    await vi.waitFor(() => expect(sent).toBeGreaterThan(1), { timeout: 30_000 })
    expect((await tus.patch(id, 0, bytes)).status).toBe(204)
    slow.resolve()
    const late = await first
    expect(late.status).toBe(409)
    expect((await errorOf(late)).error_detail).toMatchObject({ type: 'offset_mismatch', offset: bytes.length })
    expect(await stored(id)).toEqual([sha256(bytes), sha256(bytes)])
  })
})

describe('an upload', () => {
  it('is refused at its creation if a parameter is invalid', async () => {
    const who = await member({ plan: 'basic' })
    const tus = new Tus(who)
    const before = await blobs()
    const cases: [string, Promise<Response>, Record<string, unknown>][] = [
      ['no size', tus.create('x'), { type: 'invalid_parameter', param: 'Upload-Length' }],
      ['over the plan', tus.create(50_000_001), { type: 'file_too_large', limit_bytes: 50_000_000 }],
      ['a deferred length', tus.create(5, {}, { 'Upload-Defer-Length': '1' }), { type: 'invalid_parameter', param: 'Upload-Defer-Length' }],
      ['no base64', tus.create(5, {}, { 'Upload-Metadata': 'filename ???' }), { type: 'invalid_parameter', param: 'Upload-Metadata' }],
      ['twice', tus.create(5, {}, { 'Upload-Metadata': 'a YQ==,a YQ==' }), { type: 'invalid_parameter', param: 'Upload-Metadata' }],
      ['long', tus.create(5, { filename: 'n'.repeat(9000) }), { type: 'invalid_parameter', param: 'Upload-Metadata' }],
      ['no UTF-8', tus.create(5, {}, { 'Upload-Metadata': 'filename /w==' }), { type: 'invalid_parameter', param: 'Upload-Metadata' }],
      ['quality', tus.create(5, { quality: 'best' }), { type: 'invalid_parameter', param: 'quality' }],
      ['output', tus.create(5, { format: 'exe' }), { type: 'unsupported_output' }],
      ['switch', tus.create(5, { compress: 'perhaps' }), { type: 'invalid_parameter', param: 'compress' }],
      ['callback', tus.create(5, { callback_url: 'https://10.0.0.1/' }), { type: 'unsafe_callback_url' }],
      ['another body', tus.request('POST', '', { 'Upload-Length': '5', 'Content-Length': '5' }, 'hello'), { type: 'malformed_request' }],
    ]
    for (const [what, asked, expected] of cases) {
      const answer = await asked
      expect(answer.status, what).toBe(400)
      expect(answer.headers.get('Tus-Resumable'), what).toBe('1.0.0')
      expect((await errorOf(answer)).error_detail, what).toMatchObject(expected)
    }
    const old = await tus.create(5, {}, { 'Tus-Resumable': '0.2.2' })
    expect([old.status, old.headers.get('Tus-Version')]).toEqual([412, '1.0.0'])
    expect([await blobs(), await storageOf(who)]).toEqual([before, 0])
  })

  it('reserves storage at its creation and releases it at its end', async () => {
    const who = await member({}, 10_000)
    const tus = new Tus(who)
    const id = await tus.begun(6000)
    expect(await storageOf(who)).toBe(6000)
    const refused = await tus.create(5000)
    expect((await errorOf(refused)).error_detail).toMatchObject({ type: 'storage_quota_exceeded', used_bytes: 6000, quota_bytes: 10_000 })
    await tus.remove(id)
    expect(await storageOf(who)).toBe(0)
    const text = BYTES.slice(0, 6000)
    const task = await use(who, await tus.whole(text))
    // The account holds storage for the result instead of result and upload.
    expect(await storageOf(who)).toBe(task.compressed_size)
  })

  it('is deleted after a day, with all stored bytes', async () => {
    const who = await member()
    const tus = new Tus(who)
    const before = await blobs()
    const unfinished = await tus.begun(7_000_000)
    await tus.patch(unfinished, 0, lines(6_000_000))
    const finished = await tus.whole(lines(6_000_000))
    const used = await tus.whole(BYTES)
    const { task_id } = await use(who, used)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 + 1 })
    try {
      for (const id of [unfinished, finished, used]) {
        expect(await runDurableObjectAlarm(object(id))).toBe(true)
        expect((await tus.head(id)).status).toBe(404)
      }
    } finally {
      vi.useRealTimers()
    }
    expect((await blobs()).filter((key) => !before.includes(key))).toEqual([`results-30d/${task_id}/1`])
    const { storage_used } = await env.ACCOUNTS.getByName(who.accountId).usage('enterprise')
    expect(storage_used).toBe((await env.TASKS.getByName(task_id).read())?.result?.size)
  })

  it('is visible only to its account', async () => {
    const [who, other] = [await member(), new Tus(await member())]
    const tus = new Tus(who)
    const id = await tus.begun(100)
    for (const answer of [await other.head(id), await other.patch(id, 0, 'x'), await other.remove(id), await tus.head('upl_none')]) {
      expect(answer.status).toBe(404)
      expect(answer.headers.has('Upload-Offset')).toBe(false)
    }
    expect(await tus.offset(id)).toBe(0)
  })

  it('has the CORS headers that browsers need', async () => {
    const options = await call(undefined, '/v1/uploads', { method: 'OPTIONS' })
    expect(options.headers.get('Tus-Extension')).toContain('creation-with-upload')
    expect(options.headers.get('Access-Control-Allow-Headers')).toContain('Upload-Offset')
    const one = await call(undefined, '/v1/uploads/upl_x', { method: 'OPTIONS' })
    expect(one.headers.get('Access-Control-Allow-Methods')).toContain('PATCH')
    expect(one.headers.get('Access-Control-Expose-Headers')).toContain('Whittle-Task')
    const tus = new Tus(await member())
    const made = await tus.create(5, { filename: 'Übung.txt', password: 'correct horse' })
    expect(made.headers.get('Location')).toMatch(/^http:\/\/127\.0\.0\.1\/v1\/uploads\/upl_[0-9A-Za-z]{24}$/)
    const head = await tus.head(idOf(made))
    expect(head.headers.get('Upload-Metadata')).toBe(`filename ${base64('Übung.txt')}`)
    expect(head.headers.get('Cache-Control')).toBe('no-store')
    const stored = await runInDurableObject(object(idOf(made)), (_, state) => JSON.stringify([...state.storage.kv.list()]))
    expect(stored).not.toMatch(/correct horse|Y29ycmVjdCBob3JzZQ/)
    const over = await tus.request(
      'POST',
      `/${idOf(made)}`,
      {
        'X-HTTP-Method-Override': 'PATCH',
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': '0',
      },
      'he',
    )
    expect([over.status, over.headers.get('Upload-Offset')]).toEqual([204, '2'])
  })
})

describe('a task from an upload', () => {
  it('is created once, even with repeated requests', async () => {
    const who = await member()
    const tus = new Tus(who)
    const id = await tus.whole(BYTES, { filename: 'race.txt' })
    const ask = () => call(who, '/v1/compress', { method: 'POST', body: form({ upload: id }, []) })
    const answers = await Promise.all([ask(), ask(), ask(), ask()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const again = await ask()
    expect((await errorOf(again)).error_detail.type).toBe('upload_used')
    expect((await tus.head(id)).headers.get('Whittle-Task')).toBe(taskIdOfUpload(id))
    await call(who, `/v1/tasks/${taskIdOfUpload(id)}`, { method: 'DELETE' })
    expect((await errorOf(await ask())).error_detail.type).toBe('upload_used')
  })

  it('is returned again to a client that repeats its request, and to nobody else', async () => {
    const who = await member()
    const id = await new Tus(who).whole(BYTES)
    const take = async (asker: string) => (await record(id).use(who.accountId, asker)).kind
    expect([await take('one'), await take('one'), await take('two')]).toEqual(['taken', 'taken', 'used'])
    await record(id).unuse()
    expect([await take('two'), await take('one')]).toEqual(['taken', 'used'])
    await record(id).unuse()
    expect((await use(who, id)).status).toBe('completed')
  })

  it('takes its options from the request, then from the metadata', async () => {
    const who = await member()
    const tus = new Tus(who)
    const wishes = { filename: 'a.txt', quality: 'high', format: 'gz', password: 'correct horse' }
    expect(await use(who, await tus.whole(BYTES, wishes))).toMatchObject({
      quality: 'high',
      output_format: 'gz',
      output_name: 'a.txt.gz.zip',
    })
    const id = await tus.whole(BYTES, { ...wishes, password: 'x' })
    expect(await use(who, id, { quality: 'low', format: 'br' })).toMatchObject({ quality: 'low', output_format: 'br' })
  })

  it('that is refused leaves the upload usable', async () => {
    const who = await member()
    const tus = new Tus(who)
    const id = await tus.whole(BYTES)
    const wrong = await call(who, '/v1/compress', { method: 'POST', body: form({ upload: id, format: 'mp4' }, []) })
    expect((await errorOf(wrong)).error_detail.type).toBe('unsupported_output')
    expect((await use(who, id)).status).toBe('completed')
    const noise = await tus.whole(new Uint8Array(3000).fill(1), { filename: 'noise.bin' })
    const unknown = await call(who, '/v1/compress', { method: 'POST', body: form({ upload: noise }, []) })
    expect((await errorOf(unknown)).error_detail.type).toBe('unsupported_format')
    expect(await tus.offset(noise)).toBe(3000)
    const half = await tus.begun(10)
    const early = await call(who, '/v1/compress', { method: 'POST', body: form({ upload: half }, []) })
    expect((await errorOf(early)).error_detail).toMatchObject({ type: 'offset_mismatch', offset: 0, size: 10 })
  })

  it('that fails in a batch leaves the upload usable, also after its deletion', async () => {
    const who = await member()
    const id = await new Tus(who).whole(BYTES)
    const body = form({ 'uploads[]': id, format: 'mp4' }, [])
    const answer = await call(who, '/v1/batch/compress', { method: 'POST', body })
    const { tasks } = (await answer.json()) as { tasks: TaskView[] }
    expect(tasks).toMatchObject([{ status: 'failed' }])
    expect((await call(who, `/v1/tasks/${tasks[0]!.task_id}`, { method: 'DELETE' })).status).toBe(200)
    expect(await use(who, id)).toMatchObject({ task_id: taskIdOfUpload(id), status: 'completed' })
  })

  it('can be created with JSON, alone and in batches', async () => {
    const who = await member()
    const tus = new Tus(who)
    const post = (path: string, body: unknown) =>
      call(who, path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
    const one = await post('/v1/compress', { upload: await tus.whole(BYTES), quality: 'high', target_size: 100_000 })
    expect(await one.json()).toMatchObject({ status: 'completed', quality: 'high' })
    for (const [body, type] of [
      [{}, 'missing_file'],
      [[], 'malformed_request'],
      [{ upload: 'upl_x', quality: 'best' }, 'invalid_parameter'],
      [{ file: 'abc' }, 'invalid_parameter'],
      [{ upload: 7 }, 'invalid_parameter'],
      [{ upload: 'upl_x' }, 'unknown_upload'],
    ] as const) {
      expect((await errorOf(await post('/v1/compress', body))).error_detail.type, JSON.stringify(body)).toBe(type)
    }
    const batch = await post('/v1/batch/compress', { uploads: [await tus.whole(BYTES), await tus.whole(lines(500))] })
    expect(((await batch.json()) as { tasks: TaskView[] }).tasks.map((task) => task.original_size)).toEqual([BYTES.length, 500])

    const mixed = form({}, [['files[]', TEXT, 'file.txt']])
    mixed.append('uploads[]', await tus.whole(BYTES, { filename: 'upload.txt' }))
    mixed.append('uploads[]', 'upl_unknown')
    mixed.append('uploads[]', await tus.whole(BYTES, { filename: 'to mp4.txt', format: 'mp4' }))
    const tasks = ((await (await call(who, '/v1/batch/compress', { method: 'POST', body: mixed })).json()) as { tasks: TaskView[] }).tasks
    expect(tasks.map((task) => [task.file_name, task.error_detail?.type])).toEqual([
      ['file.txt', undefined],
      ['upload.txt', undefined],
      ['upload', 'unknown_upload'],
      ['to mp4.txt', 'unsupported_output'],
    ])
    const before = await env.ACCOUNTS.getByName(who.accountId).list(100)
    for (const uploads of [['upl_unknown'], Array<string>(50).fill('upl_ABCDEFGHIJKLMNOPQRSTUVWX')]) {
      const answer = await errorOf(await post('/v1/batch/compress', { uploads }))
      expect(answer.error_detail, 'invented-uploads-become-tasks').toMatchObject({ type: 'invalid_parameter', param: 'uploads[]' })
    }
    expect(await env.ACCOUNTS.getByName(who.accountId).list(100)).toEqual(before)
    const both = form({ upload: 'upl_x' }, [['file', TEXT, 'a.txt']])
    expect((await errorOf(await call(who, '/v1/compress', { method: 'POST', body: both }))).error_detail).toMatchObject({
      type: 'invalid_parameter',
      param: 'upload',
    })
  })

  it('is the same for the same Idempotency-Key', async () => {
    const who = await member()
    const id = await new Tus(who).whole(BYTES)
    const ask = (upload: string) =>
      call(who, '/v1/compress', { method: 'POST', headers: { 'Idempotency-Key': '"k"' }, body: form({ upload }, []) })
    const [first, second] = [(await (await ask(id)).json()) as TaskView, (await (await ask(id)).json()) as TaskView]
    expect(second.task_id).toBe(first.task_id)
    expect((await errorOf(await ask(await new Tus(who).whole(BYTES)))).error_detail.type).toBe('idempotency_mismatch')
  })
})

describe('an upload that says compress', () => {
  const wishes = { filename: 'itself.txt', compress: 'true', format: 'gz', password: 'correct horse' }

  it('starts its task after the last byte', async () => {
    const who = await member()
    const tus = new Tus(who)
    const id = await tus.begun(BYTES.length, wishes)
    expect((await tus.patch(id, 0, BYTES.slice(0, 100))).headers.has('Whittle-Task')).toBe(false)
    const last = await tus.patch(id, 100, BYTES.slice(100))
    expect(last.headers.get('Whittle-Task')).toBe(taskIdOfUpload(id))
    const waited = await call(who, `/v1/tasks/${taskIdOfUpload(id)}`, { headers: { Prefer: 'wait=20' } })
    expect(await waited.json()).toMatchObject({ status: 'completed', file_name: 'itself.txt', output_name: 'itself.txt.gz.zip' })
    const at = await tus.create(BYTES.length, { compress: '' }, {}, BYTES)
    expect([at.status, at.headers.get('Upload-Offset')]).toEqual([201, String(BYTES.length)])
    expect(at.headers.get('Whittle-Task')).toMatch(/^tsk_/)
  })

  it('fails its task if the file cannot be compressed', async () => {
    const who = await member()
    const tus = new Tus(who)
    const empty = (await tus.create(0, wishes)).headers.get('Whittle-Task')
    const nothing = (await (await call(who, `/v1/tasks/${empty}`)).json()) as TaskView
    expect(nothing).toMatchObject({ status: 'failed', error_detail: { type: 'empty_file' } })
    const id = await tus.whole(new Uint8Array(3000).fill(1), { filename: 'noise.bin', compress: 'true' })
    const task = (await (await call(who, `/v1/tasks/${taskIdOfUpload(id)}`)).json()) as TaskView
    expect(task).toMatchObject({ status: 'failed', file_name: 'noise.bin', error_detail: { type: 'unsupported_format' } })
    expect((await tus.head(id)).headers.get('Whittle-Task')).toBe(task.task_id)
    expect(await storageOf(who)).toBe(0)
  })

  it('gets its task even if the request of the last byte was killed', async () => {
    const who = await member()
    const tus = new Tus(who)
    // Simulates a request that was killed after its bytes were counted: parts are not joined, no task exists.
    const bytes = lines(6_000_000)
    const killed = async () => {
      const id = await tus.begun(bytes.length, wishes)
      await tus.patch(id, 0, bytes.slice(0, -10))
      const open = await record(id).open(who.accountId, bytes.length - 10)
      if (open.kind !== 'open') throw new Error(open.kind)
      const writer = new ChunkWriter({ bucket: env.BLOBS, record: record(id), lock: open.turn, upload: open.upload, maxBytes: 10 })
      await writer.write(bytes.slice(-10))
      await writer.end(false)
      return id
    }
    const repaired: ((id: string) => Promise<unknown>)[] = [tus.head, (id) => runDurableObjectAlarm(object(id))]
    for (const repair of repaired) {
      const id = await killed()
      await repair(id)
      expect((await tus.head(id)).headers.get('Whittle-Task')).toBe(taskIdOfUpload(id))
      const waited = await call(who, `/v1/tasks/${taskIdOfUpload(id)}`, { headers: { Prefer: 'wait=30' } })
      expect(await waited.json()).toMatchObject({ original_size: bytes.length, result: { original_sha256: sha256(bytes) } })
    }
  })
})

it('the sweep keeps blobs of active uploads and removes leftover ones', async () => {
  const who = await member()
  const tus = new Tus(who)
  const open = await tus.begun(1000)
  await tus.patch(open, 0, 'x'.repeat(500))
  const finished = await tus.whole(BYTES)
  await env.BLOBS.put(`incoming/${open}/left-over`, 'x')
  await env.BLOBS.put('incoming/upl_gone/1', 'x')
  await sweep(env as unknown as Env, Date.now() + 7_200_000)
  const left = await blobs()
  const ours = (key: string) => key.startsWith(`incoming/${open}/`) || key.startsWith('incoming/upl_gone/')
  expect(left.filter(ours)).toEqual((await record(open).read())!.pieces.map(({ key }) => key))
  expect(left).toContain(`uploads-30d/${taskIdOfUpload(finished)}`)
})
