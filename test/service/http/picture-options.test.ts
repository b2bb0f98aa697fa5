/** Tests of the fields `target_score`, `max_width`, `max_height` and `dpi`: what a task stores of them, and what is refused. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { TaskView } from '../../../src/service/store/task.ts'
import { plainPng } from '../../support/plain-png.ts'
import { call, compress, errorOf, form, member, TEXT } from './client.ts'
import { Tus } from './tus.ts'

const PNG = plainPng({ width: 90, height: 70, colourType: 2, bitDepth: 8 }, (x, y) => [(x * 5) & 255, (y * 7) & 255, (x * y) & 255])
const viewOf = async (answer: Response | Promise<Response>) => (await (await answer).json()) as TaskView
const storedOf = async (answer: Response | Promise<Response>) => env.TASKS.getByName((await viewOf(answer)).task_id).read()
const json = (body: unknown, method = 'POST'): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
})

describe('max_width', () => {
  it('is stored from a form, from JSON and from Upload-Metadata', async () => {
    const who = await member()
    const tus = new Tus(who)
    const upload = await tus.whole(new Uint8Array(PNG))
    const begun = await tus.whole(new Uint8Array(PNG), { filename: 'a.png', max_width: '45' })
    const answers = [
      compress(who, PNG, 'a.png', { max_width: '45' }),
      call(who, '/v1/compress', json({ upload, max_width: 45 })),
      call(who, '/v1/compress', json({ upload: begun })),
    ]
    for (const answer of answers) expect(await storedOf(answer)).toMatchObject({ maxWidth: 45 })
  })

  it('of a preset applies to pictures alone', async () => {
    const who = await member()
    expect((await call(who, '/v1/presets/small', json({ max_height: 35, dpi: 100 }, 'PUT'))).status).toBe(200)
    const [picture, text] = [
      await storedOf(compress(who, PNG, 'a.png', { preset: 'small' })),
      await storedOf(compress(who, TEXT, 'a.txt', { preset: 'small' })),
    ]
    expect(picture).toMatchObject({ maxHeight: 35 })
    expect(picture).not.toHaveProperty('dpi')
    expect(text).not.toHaveProperty('maxHeight')
  })
})

describe('target_score', () => {
  it('replaces the level of the task and of its receipt', async () => {
    const who = await member()
    const task = await viewOf(compress(who, PNG, 'a.png', { target_score: '70.5' }))
    expect(task).toMatchObject({ status: 'completed', quality: null, target_score: 70.5 })
    const receipt = await (await call(who, `/v1/tasks/${task.task_id}/receipt?decoded=1`)).json()
    expect(receipt).toMatchObject({ quality: null, target_score: 70.5 })
  })

  it('of a preset gives way to a level of the request, and the other way round', async () => {
    const who = await member()
    await call(who, '/v1/presets/goal', json({ target_score: 70 }, 'PUT'))
    expect(await viewOf(compress(who, PNG, 'a.png', { preset: 'goal' }))).toMatchObject({ quality: null, target_score: 70 })
    expect(await viewOf(compress(who, PNG, 'a.png', { preset: 'goal', quality: 'low' }))).toMatchObject({ quality: 'low' })
    expect(await viewOf(compress(who, PNG, 'a.png', { preset: 'archive', target_score: '60' }))).toMatchObject({ target_score: 60 })
    const both = await call(who, '/v1/presets/both', json({ target_score: 70, quality: 'low' }, 'PUT'))
    expect(both.status).toBe(400)
  })
})

describe('a value', () => {
  it.each([
    ...['0', '-1', '1.5', '1e3', '', 'wide', '99999999999', '0x10', ' 5', '٣'].map((value) => ['max_width', value] as const),
    ...['0', 'tall'].map((value) => ['max_height', value] as const),
    ...['71', '601', '100.5', '', 'x'].map((value) => ['dpi', value] as const),
    ...['49', '49.9', '95.1', '96', '7,5', '', 'NaN', 'Infinity', '70.55', '0x46', '070'].map((value) => ['target_score', value] as const),
  ])('%s=%j is refused', async (field, value) => {
    const answer = await compress(await member(), PNG, 'a.png', { [field]: value })
    expect(answer.status).toBe(400)
    expect((await errorOf(answer)).error_detail).toMatchObject({ type: 'invalid_parameter', param: field })
  })

  it.each([
    ['target_score', '70'],
    ['max_width', '70'],
    ['max_height', '70'],
    ['dpi', '72'],
  ])('%s is refused for a text, and fails its own task of a batch', async (field, value) => {
    const who = await member()
    const answer = await compress(who, TEXT, 'a.jpg', { [field]: value })
    expect([answer.status, (await errorOf(answer)).error_detail]).toMatchObject([400, { type: 'invalid_parameter', param: field }])
    const body = form({ [field]: value }, [['files[]', TEXT, 'a.txt']])
    const batch = (await (await call(who, '/v1/batch/compress', { method: 'POST', body })).json()) as { tasks: TaskView[] }
    expect(batch.tasks[0]).toMatchObject({ status: 'failed', error_detail: { param: field } })
  })

  it.each(['utmost', '', 'FAST', 'fast,best'])('effort=%j is refused with the allowed values', async (effort) => {
    const answer = await compress(await member(), PNG, 'a.png', { effort })
    const detail = { type: 'invalid_parameter', param: 'effort', allowed: ['fast', 'balanced', 'best'] }
    expect([answer.status, (await errorOf(answer)).error_detail]).toMatchObject([400, detail])
  })

  it.each(['quality', 'target_size'])('target_score beside %s is refused', async (other) => {
    const answer = await compress(await member(), PNG, 'a.png', { target_score: '70', [other]: other === 'quality' ? 'low' : '900' })
    expect([answer.status, (await errorOf(answer)).error_detail]).toMatchObject([400, { param: 'target_score' }])
  })
})

it('GET /v1/formats names the fields of each format', async () => {
  const answer = await call(await member(), '/v1/formats')
  const { formats } = (await answer.json()) as { formats: { id: string; options: string[] }[] }
  const optionsOf = (id: string) => formats.find((format) => format.id === id)?.options
  expect(optionsOf('jpg')).toEqual(['target_score', 'max_width', 'max_height', 'effort'])
  expect(optionsOf('pdf')).toEqual(['target_score', 'dpi', 'effort'])
  expect(optionsOf('text')).toEqual(['effort'])
  expect(optionsOf('gif')).not.toContain('effort')
})
