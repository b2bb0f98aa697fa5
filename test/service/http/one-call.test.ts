/** Tests of `response=file`, `retention`, links and presets. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/service/env.ts'
import { PLANS } from '../../../src/service/store/plans.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { MAX_LINKS } from '../../../src/service/store/tasks.ts'
import { BASE, blobs, call, compress, done, errorOf, form, type Member, member, TEXT } from './client.ts'

const FILE = { response: 'file' }
const detail = async (answer: Response) => (await errorOf(answer)).error_detail
const sendJson = (who: Member | undefined, method: string, path: string, body: unknown) =>
  call(who, path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } })

async function sha256(bytes: ArrayBuffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}

describe('response=file', () => {
  it.each([
    ['compressed', TEXT],
    ['unchanged', 'ab'],
  ])('answers with the bytes and headers of the download: %s', async (outcome, content) => {
    const who = await member()
    const answer = await compress(who, content, 'Übung.txt', FILE, { Range: 'bytes=0-0' })
    expect(answer.status).toBe(200)
    const bytes = await answer.arrayBuffer()
    const id = answer.headers.get('Whittle-Task')!
    const later = await call(who, `/v1/tasks/${id}/download`)
    expect(Buffer.from(await later.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
    for (const name of ['Content-Type', 'Content-Length', 'Content-Disposition', 'ETag', 'Repr-Digest', 'Cache-Control'])
      expect(answer.headers.get(name), name).toBe(later.headers.get(name))
    expect(answer.headers.get('Whittle-Outcome')).toBe(outcome)
    expect(answer.headers.get('Whittle-Original-Size')).toBe(String(content.length))
    const receipt = await (await call(who, `/v1/tasks/${id}/receipt`)).text()
    expect(answer.headers.get('Whittle-Receipt')).toBe(receipt)
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('Whittle-Receipt')
    const task = (await (await call(who, `/v1/tasks/${id}`)).json()) as TaskView
    expect(task.result!.sha256).toBe(await sha256(bytes))
  })

  it('answers 202 with the task if it does not wait', async () => {
    const who = await member()
    const answer = await compress(who, TEXT, 'a.txt', FILE, { Prefer: 'respond-async' })
    const task = (await answer.json()) as TaskView
    expect([answer.status, task.status]).toEqual([202, 'pending'])
    expect(answer.headers.get('Location')).toBe(`${BASE}/v1/tasks/${task.task_id}`)
    expect(answer.headers.get('Whittle-Task')).toBe(task.task_id)
    expect(answer.headers.has('Whittle-Outcome')).toBe(false)
  })

  it('leaves out a receipt that is too long for a header', async () => {
    const answer = await compress(await member(), TEXT, `${'n'.repeat(200)}.txt`, FILE)
    expect(answer.headers.get('Whittle-Receipt')!.length).toBeLessThanOrEqual(8192)
  })

  it.each(['zip', '', 'FILE'])('refuses the value %j', async (response) => {
    const answer = await compress(await member(), TEXT, 'a.txt', { response })
    expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'invalid_parameter', param: 'response' }])
  })

  it('is unknown in a batch', async () => {
    const answer = await call(await member(), '/v1/batch/compress', { method: 'POST', body: form(FILE, [['files[]', TEXT, 'a.txt']]) })
    expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'invalid_parameter', param: 'response' }])
  })
})

describe('retention', () => {
  it('0 keeps nothing after the answer', async () => {
    const before = await blobs()
    const who = await member()
    const answer = await compress(who, TEXT, 'a.txt', { ...FILE, retention: '0' })
    expect((await answer.arrayBuffer()).byteLength).toBe(Number(answer.headers.get('Content-Length')))
    const id = answer.headers.get('Whittle-Task')
    for (const path of ['', '/download', '/receipt']) expect((await call(who, `/v1/tasks/${id}${path}`)).status).toBe(404)
    expect(await blobs()).toEqual(before)
    expect(await (await call(who, '/v1/usage')).json()).toMatchObject({ storage_used: 0, tasks_completed: 1 })
  })

  it('0 with a failed task keeps nothing, and answers with the error', async () => {
    const before = await blobs()
    const who = await member()
    const answer = await compress(who, TEXT, 'a.txt', { ...FILE, retention: '0', target_size: '1' })
    expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'target_unreachable' }])
    expect((await call(who, `/v1/tasks/${answer.headers.get('Whittle-Task')}`)).status).toBe(404)
    expect(await blobs()).toEqual(before)
  })

  it('0 after a 202 keeps the result for one whole download', async () => {
    const who = await member()
    const answer = await compress(who, TEXT, 'a.txt', { ...FILE, retention: '0' }, { Prefer: 'respond-async' })
    const id = answer.headers.get('Whittle-Task')!
    await (env as unknown as Env).PRESS.run(id, TEXT.length, crypto.randomUUID())
    const part = await call(who, `/v1/tasks/${id}/download`, { headers: { Range: 'bytes=0-3' } })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 4])
    const whole = await call(who, `/v1/tasks/${id}/download`)
    expect((await whole.arrayBuffer()).byteLength).toBe(Number(whole.headers.get('Content-Length')))
    expect((await call(who, `/v1/tasks/${id}`)).status).toBe(404)
  })

  it('in seconds sets the expiry', async () => {
    const task = (await (await compress(await member(), TEXT, 'a.txt', { retention: '3600' })).json()) as TaskView
    expect(Date.parse(task.expires_at!) - Date.parse(task.completed_at!)).toBe(3_600_000)
  })

  it.each([['0'], ['-1'], ['1.5'], ['soon'], [''], [String(PLANS.enterprise.retentionMs / 1000 + 1)]])('refuses %j', async (retention) => {
    const answer = await compress(await member(), TEXT, 'a.txt', { retention })
    expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'invalid_parameter', param: 'retention' }])
  })
})

describe('a link', () => {
  async function linked(fields: object = {}) {
    const who = await member()
    const task = await done(who)
    const answer = await sendJson(who, 'POST', `/v1/tasks/${task.task_id}/links`, fields)
    const { url } = (await answer.json()) as { url: string }
    return { who, task, path: url.slice(BASE.length) }
  }

  it('downloads the result without a key', async () => {
    const { who, task, path } = await linked()
    const answer = await call(undefined, path)
    const wanted = await call(who, `/v1/tasks/${task.task_id}/download`)
    expect(await sha256(await answer.arrayBuffer())).toBe(task.result!.sha256)
    for (const name of ['Content-Type', 'Content-Length', 'ETag']) expect(answer.headers.get(name)).toBe(wanted.headers.get(name))
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
    expect(answer.headers.has('RateLimit')).toBe(false)
    const part = await call(undefined, path, { headers: { Range: 'bytes=3-12' } })
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 10])
    expect((await call(undefined, path, { headers: { 'If-None-Match': answer.headers.get('ETag')! } })).status).toBe(304)
    await wanted.body?.cancel()
  })

  it('works as often as allowed, also for requests at the same time', async () => {
    const { path } = await linked({ max_downloads: 2 })
    expect((await call(undefined, path, { method: 'HEAD' })).status).toBe(200)
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(undefined, path)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 404, 404, 404, 404])
    expect((await call(undefined, path, { method: 'HEAD' })).status).toBe(404)
    await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  })

  it('stops working with its task', async () => {
    const { who, task, path } = await linked()
    await call(who, `/v1/tasks/${task.task_id}`, { method: 'DELETE' })
    const answer = await call(undefined, path)
    expect([answer.status, await detail(answer)]).toMatchObject([404, { type: 'unknown_link' }])
  })

  it('does not work with any character changed', async () => {
    const { path } = await linked()
    for (let at = '/d/'.length; at < path.length; at += 5) {
      const changed = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`
      expect((await call(undefined, changed)).status, `character ${at}`).toBe(404)
    }
  })

  it.each([
    { expires_in: 0 },
    { expires_in: 1.5 },
    { max_downloads: 0 },
    { max_downloads: 'many' },
    { max_download: 1 },
  ])('is refused with %j', async (fields) => {
    const who = await member()
    const { task_id } = await done(who)
    const answer = await sendJson(who, 'POST', `/v1/tasks/${task_id}/links`, fields)
    expect([answer.status, await detail(answer)]).toMatchObject([400, { param: Object.keys(fields)[0] }])
  })

  it('is refused for a task of another account', async () => {
    const { task_id } = await done(await member())
    expect((await sendJson(await member(), 'POST', `/v1/tasks/${task_id}/links`, {})).status).toBe(403)
  })

  it('is refused beyond the limit of a task', async () => {
    const who = await member()
    const { task_id } = await done(who)
    const record = env.TASKS.getByName(task_id)
    for (let i = 0; i < MAX_LINKS; i++) await record.createLink({ id: String(i), expiresAt: Date.now() + 60_000 })
    const answer = await sendJson(who, 'POST', `/v1/tasks/${task_id}/links`, {})
    expect([answer.status, await detail(answer)]).toMatchObject([409, { type: 'too_many_links', limit: MAX_LINKS }])
  })
})

describe('a preset', () => {
  const task = async (answer: Promise<Response>) => (await (await answer).json()) as TaskView

  it.each(['web', 'email', 'archive', 'print'])('named %s is ready-made and fixed', async (name) => {
    const who = await member()
    const shown = await call(who, `/v1/presets/${name}`)
    const { quality } = (await shown.json()) as { quality: string }
    expect((await sendJson(who, 'PUT', `/v1/presets/${name}`, { quality: 'low' })).status).toBe(405)
    expect((await call(who, `/v1/presets/${name}`, { method: 'DELETE' })).status).toBe(405)
    expect(await task(compress(who, TEXT, 'a.txt', { preset: name }))).toMatchObject({ status: 'completed', quality })
  })

  it('applies where the request says nothing else', async () => {
    const who = await member()
    const fields = { quality: 'low', format: 'gz', metadata: 'strip', retention: 60 }
    expect((await sendJson(who, 'PUT', '/v1/presets/own', fields)).status).toBe(200)
    expect(await (await call(who, '/v1/presets/own')).json()).toEqual(fields)
    expect(await task(compress(who, TEXT, 'a.txt', { preset: 'own' }))).toMatchObject({ quality: 'low', output_format: 'gz' })
    const other = await task(compress(who, TEXT, 'a.txt', { preset: 'own', quality: 'high', format: 'br', retention: '90' }))
    expect(other).toMatchObject({ quality: 'high', output_format: 'br' })
    expect(Date.parse(other.expires_at!) - Date.parse(other.completed_at!)).toBe(90_000)
  })

  it('leaves out what the file cannot have', async () => {
    const who = await member()
    await sendJson(who, 'PUT', '/v1/presets/own', { quality: 'ultra', format: 'mp4' })
    expect(await task(compress(who, TEXT, 'a.txt', { preset: 'own' }))).toMatchObject({ quality: 'medium', output_format: 'zst' })
  })

  it('applies to batches, without their missing fields', async () => {
    const who = await member()
    await sendJson(who, 'PUT', '/v1/presets/own', { quality: 'low', response: 'file', retention: 0, target_size: 10 })
    const body = form({ preset: 'own' }, [['files[]', TEXT, 'a.txt']])
    const { tasks } = (await (await call(who, '/v1/batch/compress', { method: 'POST', body })).json()) as { tasks: TaskView[] }
    expect(tasks).toMatchObject([{ quality: 'low', status: 'pending' }])
  })

  it('can ask for the file', async () => {
    const who = await member()
    await sendJson(who, 'PUT', '/v1/presets/own', FILE)
    const answer = await compress(who, TEXT, 'a.txt', { preset: 'own' })
    expect(answer.headers.get('Whittle-Outcome')).toBe('compressed')
    await answer.arrayBuffer()
    expect(await task(compress(who, TEXT, 'a.txt', { preset: 'own', response: 'task' }))).toMatchObject({ status: 'completed' })
  })

  it.each([
    ['quality', { quality: 'best' }],
    ['whatever', { whatever: 1 }],
    ['password', { password: 'open sesame' }],
    ['preset', { preset: 'web' }],
    ['retention', { retention: 0 }],
  ])('is refused with a wrong field: %s', async (param, fields) => {
    const who = await member()
    const answer = await sendJson(who, 'PUT', '/v1/presets/own', fields)
    expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'invalid_parameter', param }])
    expect((await call(who, '/v1/presets/own')).status).toBe(404)
  })

  it('belongs to its account', async () => {
    await sendJson(await member(), 'PUT', '/v1/presets/own', { quality: 'low' })
    const other = await member()
    expect(await detail(await call(other, '/v1/presets/own'))).toMatchObject({ type: 'unknown_preset' })
    const answer = await compress(other, TEXT, 'a.txt', { preset: 'own' })
    expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'invalid_parameter', param: 'preset' }])
  })

  it('is gone after DELETE', async () => {
    const who = await member()
    await sendJson(who, 'PUT', '/v1/presets/own', { quality: 'low' })
    expect((await call(who, '/v1/presets/own', { method: 'DELETE' })).status).toBe(204)
    expect((await call(who, '/v1/presets/own', { method: 'DELETE' })).status).toBe(404)
  })
})
