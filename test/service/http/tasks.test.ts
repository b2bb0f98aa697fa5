/** Tests of upload, task, download and deletion with the real press in the same Worker. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { TaskView } from '../../../src/service/store/task.ts'
import { adtsFrame, tsOf } from '../../support/ts-file.ts'
import { BASE, blobs, call, compress, done, errorOf, form, member, TEXT } from './client.ts'
import { Tus } from './tus.ts'

const sha256 = async (bytes: ArrayBuffer | Uint8Array) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
const encode = (text: string) => new TextEncoder().encode(text)
const detail = async (answer: Response) => (await errorOf(answer)).error_detail

const STREAM = tsOf(
  [{ pid: 0x100, type: 0x0f, id: 0xc0 }],
  Array.from({ length: 40 }, () => ({ pid: 0x100, bytes: adtsFrame(new Uint8Array(90)) })),
)

describe('an upload', () => {
  it('is completed within the request if it is quick', async () => {
    const who = await member()
    const task = await done(who, TEXT, 'Übung.txt')
    expect(task).toMatchObject({ status: 'completed', file_name: 'Übung.txt', format: 'text', quality: 'medium', output_format: 'zst' })
    expect(task.original_size).toBe(TEXT.length)
    expect(task.result?.original_sha256).toBe(await sha256(encode(TEXT)))
    expect(task.download_url).toBe(`${BASE}/v1/tasks/${task.task_id}/download`)
    expect(task.compressed_size).toBeLessThan(TEXT.length / 10)
  })

  it('accepts fields before and after the file', async () => {
    const who = await member()
    for (const order of [0, 1]) {
      const body = new FormData()
      if (order === 0) body.append('format', 'GZ')
      body.append('file', new Blob([TEXT]), 'a.txt')
      if (order === 1) body.append('format', 'GZ')
      const answer = await call(who, '/v1/compress', { method: 'POST', body })
      expect(await answer.json()).toMatchObject({ status: 'completed', output_format: 'gz' })
    }
  })

  it('is refused for invalid input, and stores nothing', async () => {
    const who = await member()
    const before = await blobs()
    const noise = crypto.getRandomValues(new Uint8Array(4000))
    noise[0] = 0
    const large = 'a'.repeat(6_000_000)
    const cases: [string, Promise<Response>, Record<string, unknown>][] = [
      ['no file', call(who, '/v1/compress', { method: 'POST', body: form({ quality: 'low' }, []) }), { type: 'missing_file' }],
      [
        'another name',
        call(who, '/v1/compress', { method: 'POST', body: form({}, [['upload', TEXT, 'a.txt']]) }),
        { type: 'missing_file' },
      ],
      [
        'a long text instead of a file',
        call(who, '/v1/compress', { method: 'POST', body: form({ file: TEXT }, []) }),
        { type: 'missing_file', param: 'file' },
      ],
      ['empty', compress(who, ''), { type: 'empty_file' }],
      ['noise', compress(who, noise, 'noise.bin'), { type: 'unsupported_format' }],
      ['transport stream', compress(who, STREAM, 'clip.ts'), { type: 'unsupported_format', detected: 'MPEG transport stream (TS, M2TS)' }],
      ['quality', compress(who, TEXT, 'a.txt', { quality: 'best' }), { type: 'invalid_parameter', param: 'quality', got: 'best' }],
      ['ultra for text', compress(who, TEXT, 'a.txt', { quality: 'ultra' }), { type: 'invalid_parameter', param: 'quality' }],
      ['output', compress(who, TEXT, 'a.txt', { format: 'mp4' }), { type: 'unsupported_output', allowed: ['zst', 'br', 'gz'] }],
      ['output of a large file', compress(who, large, 'a.txt', { format: 'mp4' }), { type: 'unsupported_output' }],
      ['target', compress(who, TEXT, 'a.txt', { target_size: '1.5' }), { type: 'invalid_parameter', param: 'target_size' }],
      ['password', compress(who, TEXT, 'a.txt', { password: 'ä'.repeat(100) }), { type: 'invalid_parameter', param: 'password' }],
      ['empty password', compress(who, TEXT, 'a.txt', { password: '' }), { type: 'invalid_parameter', param: 'password' }],
      ['callback', compress(who, TEXT, 'a.txt', { callback_url: 'https://10.0.0.1/' }), { type: 'unsafe_callback_url' }],
      ['idempotency key', compress(who, TEXT, 'a.txt', {}, { 'Idempotency-Key': '"open' }), { type: 'invalid_parameter' }],
    ]
    for (const [what, asked, expected] of cases) {
      const answer = await asked
      expect(answer.status, what).toBe(400)
      expect(await detail(answer), what).toMatchObject(expected)
    }
    expect(await blobs()).toEqual(before)
  })

  it('never shows a password again', async () => {
    const who = await member()
    const answer = await compress(who, TEXT, 'a.txt', { password: 'x\u0000correct horse' })
    expect(await answer.text()).not.toContain('correct horse')
  })

  it('with a password is refused if the PDF is already encrypted', async () => {
    const who = await member()
    const pdf = `%PDF-1.7\n${'% filling\n'.repeat(20_000)}trailer\n<</Size 4/Root 1 0 R/Encrypt 3 0 R>>\nstartxref\n9\n%%EOF\n`
    const answer = await compress(who, pdf, 'a.pdf', { password: 'secret' })
    expect(answer.status).toBe(400)
    expect(await detail(answer)).toMatchObject({ type: 'password_not_applicable' })
  })

  it('with a password is refused if the PDF is signed', async () => {
    const pdf = `%PDF-1.7\n1 0 obj <</Type/Sig/ByteRange[0 10 20 30]/Contents<00>>> endobj\n${'%'.repeat(2000)}`
    const answer = await compress(await member(), pdf, 'a.pdf', { password: 'pw' })
    expect(await detail(answer)).toMatchObject({ type: 'password_not_applicable' })
  })

  it('stores `usage_rights=drop` from the form and from the metadata', async () => {
    const who = await member()
    const tus = new Tus(who)
    const remembered = async (answer: Response) =>
      (await env.TASKS.getByName(((await answer.json()) as TaskView).task_id).read())?.usageRights
    expect(await remembered(await compress(who, TEXT, 'a.txt', { usage_rights: 'drop' }))).toBe('drop')
    expect(await remembered(await compress(who, TEXT, 'a.txt', { usage_rights: 'keep' }))).toBeUndefined()
    const upload = await tus.whole(new Uint8Array(encode(TEXT)), { filename: 'a.txt', usage_rights: 'drop' })
    expect(await remembered(await call(who, '/v1/compress', { method: 'POST', body: form({ upload }, []) }))).toBe('drop')
    const wrong = await compress(who, TEXT, 'a.txt', { usage_rights: 'sell' })
    expect(await detail(wrong)).toMatchObject({ type: 'invalid_parameter', param: 'usage_rights', got: 'sell' })
  })

  it('obeys the limits of the plan', async () => {
    const before = await blobs()
    const free = await member({ plan: 'free' })
    const callback = await compress(free, TEXT, 'a.txt', { callback_url: 'https://hooks.example.com/' })
    expect([callback.status, await detail(callback)]).toMatchObject([403, { type: 'plan_not_allowed', plan: 'free' }])
    const large = await compress(free, new Uint8Array(20_000_001).fill(97), 'a.txt')
    expect([large.status, await detail(large)]).toMatchObject([400, { type: 'file_too_large', limit_bytes: 20_000_000 }])
    const files = Array.from({ length: 6 }, (_, i): [string, string, string] => ['files[]', TEXT, `${i}.txt`])
    const many = await call(free, '/v1/batch/compress', { method: 'POST', body: form({}, files) })
    expect(await detail(many)).toMatchObject({ type: 'too_many_files', limit: 5 })
    const full = await member({ plan: 'pro' }, 10_000)
    const quota = await compress(full)
    expect([quota.status, await detail(quota)]).toMatchObject([403, { type: 'storage_quota_exceeded', quota_bytes: 10_000 }])
    expect(await blobs()).toEqual(before)
  })

  it.each([
    ['free', 16],
    ['basic', 16],
    ['pro', 240],
    ['enterprise', 240],
  ] as const)('of the plan %s has %i s for an animation, and more for a larger file (expensive-shapes)', async (plan, seconds) => {
    const who = await member({ plan })
    const task = (await (await compress(who, TEXT)).json()) as { task_id: string }
    const { maxWorkSeconds, originalSize } = (await env.TASKS.getByName(task.task_id).read())!
    expect(maxWorkSeconds).toBeCloseTo(seconds + (40 * originalSize) / 1e6, 6)
  })

  it('in parallel with others never exceeds the storage, and releases unused reservations', async () => {
    const who = await member({}, 3 * TEXT.length)
    const refused = await compress(who, TEXT.repeat(3), 'a.txt', { format: 'mp4' })
    expect((await detail(refused)).type).toBe('unsupported_output')
    const batch = form(
      {},
      [1, 2, 3].map((i): [string, string, string] => ['files[]', TEXT, `${i}.txt`]),
    )
    batch.append('quality', 'best')
    expect((await detail(await call(who, '/v1/batch/compress', { method: 'POST', body: batch }))).type).toBe('invalid_parameter')
    const answers = await Promise.all(Array.from({ length: 9 }, () => compress(who, TEXT, 'a.txt', {}, { Prefer: 'respond-async' })))
    const statuses = answers.map(({ status }) => status)
    // The number of accepted uploads depends on timing, but their total never exceeds the quota.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3)
    const usage = (await (await call(who, '/v1/usage')).json()) as { storage_used: number }
    expect(usage.storage_used).toBeLessThanOrEqual(3 * TEXT.length)
  })

  it('creates one task per idempotency key', async () => {
    const who = await member()
    const key = { 'Idempotency-Key': `"${crypto.randomUUID()}"` }
    const first = (await (await compress(who, TEXT, 'a.txt', { quality: 'low' }, key)).json()) as TaskView
    const again = (await (await compress(who, TEXT, 'a.txt', { quality: 'low' }, key)).json()) as TaskView
    expect(again.task_id).toBe(first.task_id)
    const other = await compress(who, `${TEXT}!`, 'a.txt', { quality: 'low' }, key)
    expect([other.status, await detail(other)]).toMatchObject([422, { type: 'idempotency_mismatch' }])
    await env.ACCOUNTS.getByName(who.accountId).beginIdempotent('busy', 'compress', 'another')
    const busy = await compress(who, TEXT, 'a.txt', {}, { 'Idempotency-Key': 'busy' })
    expect([busy.status, await detail(busy)]).toMatchObject([409, { type: 'idempotency_in_flight' }])
  })

  it('releases its idempotency key if it fails', async () => {
    const who = await member()
    const key = { 'Idempotency-Key': 'again' }
    expect((await compress(who, '', 'a.txt', {}, key)).status).toBe(400)
    expect((await compress(who, TEXT, 'a.txt', {}, key)).status).toBe(200)
  })
})

describe('a batch', () => {
  it('keeps the order, and one bad file fails its own task and no other', async () => {
    const who = await member({ plan: 'basic' })
    const noise = crypto.getRandomValues(new Uint8Array(3000))
    noise[0] = 0
    const files: [string, string | Uint8Array, string][] = [
      ['files[]', TEXT, 'one.txt'],
      ['files[]', noise, 'two.bin'],
      ['files[]', '', 'three.txt'],
      ['files[]', new Uint8Array(50_000_001).fill(98), 'four.txt'],
      ['files[]', TEXT.slice(100), 'five.txt'],
    ]
    const answer = await call(who, '/v1/batch/compress', { method: 'POST', body: form({}, files) })
    const batch = (await answer.json()) as { batch_id: string; tasks: TaskView[] }
    expect(batch.batch_id).toMatch(/^bat_[0-9A-Za-z]{24}$/)
    expect(batch.tasks.map((task) => task.file_name)).toEqual(['one.txt', 'two.bin', 'three.txt', 'four.txt', 'five.txt'])
    const ended: TaskView[] = []
    for (const { task_id } of batch.tasks) {
      ended.push((await (await call(who, `/v1/tasks/${task_id}`, { headers: { Prefer: 'wait=20' } })).json()) as TaskView)
    }
    expect(ended[1]?.error_detail?.['doc_url']).toBe(`${BASE}/docs#unsupported_format`)
    expect(ended.map((task) => task.error_detail?.type ?? task.output_format)).toEqual([
      'zst',
      'unsupported_format',
      'empty_file',
      'file_too_large',
      'zst',
    ])
    const shown = (await (await call(who, `/v1/batches/${batch.batch_id}`)).json()) as typeof batch
    expect(shown).toEqual({ batch_id: batch.batch_id, tasks: ended })
    const stranger = await call(await member(), `/v1/batches/${batch.batch_id}`)
    expect((await errorOf(stranger)).error_detail.type).toBe('unknown_batch')
  })
})

describe('a task', () => {
  it("is its owner's alone", async () => {
    const [owner, stranger] = [await member(), await member()]
    const { task_id } = await done(owner)
    for (const [method, tail] of [
      ['GET', ''],
      ['GET', '/download'],
      ['DELETE', ''],
    ] as const) {
      const answer = await call(stranger, `/v1/tasks/${task_id}${tail}`, { method })
      expect([answer.status, await detail(answer)]).toMatchObject([403, { type: 'not_owner' }])
    }
    expect((await call(owner, `/v1/tasks/${task_id}`)).status).toBe(200)
  })

  it('is listed newest first, page by page', async () => {
    const who = await member()
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.unshift((await done(who, `${TEXT}${i}`)).task_id)
    type Page = { tasks: TaskView[]; next_cursor: string | null }
    const first = (await (await call(who, '/v1/tasks?limit=3')).json()) as Page
    const second = (await (await call(who, `/v1/tasks?limit=3&cursor=${encodeURIComponent(first.next_cursor!)}`)).json()) as Page
    expect([...first.tasks, ...second.tasks].map((task) => task.task_id)).toEqual(made)
    expect(second.next_cursor).toBeNull()
    for (const query of ['limit=0', 'limit=101', 'limit=abc', 'cursor=garbage', `cursor=${'A'.repeat(3000)}`]) {
      expect((await detail(await call(who, `/v1/tasks?${query}`))).type, query).toBe('invalid_parameter')
    }
  })

  it('is deleted with its blobs', async () => {
    const who = await member()
    const { task_id, compressed_size } = await done(who)
    expect((await blobs()).some((key) => key.includes(task_id))).toBe(true)
    const answer = await call(who, `/v1/tasks/${task_id}`, { method: 'DELETE' })
    expect(await answer.json()).toEqual({ task_id, deleted: true, freed_bytes: compressed_size })
    expect((await blobs()).some((key) => key.includes(task_id))).toBe(false)
    for (const [method, tail] of [
      ['GET', ''],
      ['GET', '/download'],
      ['DELETE', ''],
    ] as const) {
      expect((await detail(await call(who, `/v1/tasks/${task_id}${tail}`, { method }))).type).toBe('unknown_task')
    }
  })

  it('is unknown for malformed ids, without a call to a Durable Object', async () => {
    const who = await member()
    for (const id of ['none', `tsk_${'0'.repeat(24)}`, '%00', "'--", 'x'.repeat(2000)]) {
      expect((await detail(await call(who, `/v1/tasks/${id}`))).type, id).toBe('unknown_task')
    }
  })
})

describe('a download', () => {
  it('returns the bytes of the receipt: whole, in ranges, and conditionally', async () => {
    const who = await member()
    const task = await done(who, TEXT, 'Übung 1.txt')
    const get = (headers: Record<string, string> = {}, method = 'GET') =>
      call(who, `/v1/tasks/${task.task_id}/download`, { headers, method })
    const whole = await get()
    const bytes = await whole.arrayBuffer()
    const tag = `"${task.result?.sha256}"`
    expect(await sha256(bytes)).toBe(task.result?.sha256)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      etag: tag,
      'content-length': `${bytes.byteLength}`,
      'content-type': 'application/zstd',
      'accept-ranges': 'bytes',
      'repr-digest': `sha-256=:${Buffer.from(task.result?.sha256 ?? '', 'hex').toString('base64')}:`,
      'content-disposition': `attachment; filename="_bung 1.txt.zst"; filename*=UTF-8''%C3%9Cbung%201.txt.zst`,
    })
    expect(whole.headers.get('Cache-Control')).toContain('no-transform')
    expect(whole.headers.has('Content-Encoding')).toBe(false)
    const part = await get({ Range: 'bytes=2-5' })
    expect([part.status, part.headers.get('Content-Range')]).toEqual([206, `bytes 2-5/${bytes.byteLength}`])
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(new Uint8Array(bytes.slice(2, 6)))
    const outside = await get({ Range: `bytes=${bytes.byteLength}-` })
    expect([outside.status, outside.headers.get('Content-Range')]).toEqual([416, `bytes */${bytes.byteLength}`])
    expect((await get({ 'If-None-Match': `W/${tag}` })).status).toBe(304)
    expect((await detail(await get({ 'If-Match': '"other"' }))).type).toBe('precondition_failed')
    expect((await get({ Range: 'bytes=0-1', 'If-Range': '"other"' })).status).toBe(200)
    const head = await get({ Range: 'bytes=0-1' }, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('is refused until the task is completed', async () => {
    const who = await member()
    const taskId = `tsk_${'q'.repeat(24)}`
    await env.TASKS.getByName(taskId).create({
      taskId,
      accountId: who.accountId,
      fileName: 'a.txt',
      format: 'text',
      output: 'zst',
      quality: 'medium',
      originalSize: 1,
      originalSha256: 'a'.repeat(64),
      worker: 'press',
      lane: 'quick',
      createdAt: Date.now(),
      retentionMs: 1000,
      baseUrl: BASE,
      requestId: 'req_x',
    })
    const answer = await call(who, `/v1/tasks/${taskId}/download`)
    expect([answer.status, await detail(answer)]).toMatchObject([409, { type: 'not_completed', status: 'pending' }])
  })
})
