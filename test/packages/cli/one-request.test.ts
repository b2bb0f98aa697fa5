/** Requests that the command sends to a service: one for each file, and no more than the key allows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inFolder } from './folder.ts'

const here = inFolder()
const { createFiles, list, run, size } = here

it('sends one request a file, which keeps nothing on the service', async () => {
  createFiles({ 'in/a.txt': undefined, 'in/b.txt': undefined })
  expect(await run(['in', '-o', 'out'])).toMatchObject({ code: 0, err: '' })
  expect(list('out')).toEqual(['a.txt', 'b.txt'])
  expect(size('out/a.txt')).toBe(500)
  expect([here.service.requests, here.service.removed]).toEqual([['POST /v1/compress', 'POST /v1/compress'], []])
})

it('asks for the receipt if it is too long for a header', async () => {
  createFiles({ 'long.txt': undefined })
  expect(await run(['long.txt', '-o', 'out'])).toMatchObject({ code: 0, err: '' })
  expect(here.service.requests).toEqual(['POST /v1/compress', expect.stringMatching(/^GET \/v1\/tasks\/tsk_\d+$/)])
})

it('waits for a task that takes longer than the service waits, and downloads its result', async () => {
  createFiles({ 'slow.txt': 'y'.repeat(1000) })
  expect(await run(['slow.txt', '-o', 'out'])).toMatchObject({ code: 0, err: '' })
  expect(readFileSync(join(here.folder, 'out/notes.txt.zst'), 'utf8')).toBe('y'.repeat(500))
  expect(here.service.requests.map((one) => one.replace(/tsk_\d+/, 'ID'))).toEqual([
    'POST /v1/compress',
    'GET /v1/tasks/ID',
    'GET /v1/tasks/ID/download',
  ])
})

it('requests a result again if the connection broke, and never keeps a part of it', async () => {
  createFiles({ 'cut.txt': undefined })
  const { code, err } = await run(['cut.txt', '-o', 'out'])
  expect({ code, err, results: list('out') }).toEqual({ code: 0, err: '', results: ['cut.txt'] })
  expect([size('out/cut.txt'), here.service.received]).toEqual([500, ['cut.txt', 'cut.txt']])
})

it('waits for the next window of the rate limit instead of being refused', async () => {
  createFiles({ 'in/a.txt': undefined, 'in/b.txt': undefined })
  here.service.rateLimit = '"minute";r=0;t=1'
  expect(await run(['in', '-o', 'out', '-j', '1'])).toMatchObject({ code: 0, err: '' })
  // A refused request would be sent again.
  expect(here.service.requests).toHaveLength(2)
})

it('keeps tasks with --keep', async () => {
  createFiles({ 'a.txt': undefined })
  expect(await run(['a.txt', '-o', 'out', '--keep', '--json'])).toMatchObject({ code: 0, out: expect.stringContaining('"task_id"') })
  expect(here.service.requests.map((one) => one.replace(/tsk_\d+/, 'ID'))).toEqual(['POST /v1/compress', 'GET /v1/tasks/ID/download'])
  expect(here.service.removed).toEqual([])
})

it('sends the name of a preset without a level, unless one is given', async () => {
  createFiles({ 'a.txt': undefined })
  expect(await run(['a.txt', '-o', 'out', '--preset', 'web'])).toMatchObject({ code: 0 })
  expect(await run(['a.txt', '-o', 'out2', '--preset', 'web', '-q', 'low'])).toMatchObject({ code: 0 })
  expect(here.service.wishes).toEqual([{ preset: 'web' }, { quality: 'low', preset: 'web' }])
})

it('compresses an object of a bucket, and sends a result to a bucket', async () => {
  expect(await run(['s3://shop/photos/a*.txt', '-o', 'out', '--json'])).toMatchObject({ code: 0, err: '' })
  expect(list('out')).toEqual(['a*.txt'])
  createFiles({ 'b.txt': undefined })
  const { code, out } = await run(['b.txt', '--to', 's3://shop/small/', '--json'])
  expect({ code, ...(JSON.parse(out) as object) }).toMatchObject({ code: 0, output_path: 's3://shop/small/b.txt' })
  expect(await run(['s3://shop/a.txt', '--to', 's3://archive/b/c.txt', '-q', 'low'])).toMatchObject({ code: 0 })
  expect(here.service.wishes).toMatchObject([
    { source: '{"connection":"shop","key":"photos/a*.txt"}' },
    { destination: '{"connection":"shop","prefix":"small/"}' },
    { source: '{"connection":"shop","key":"a.txt"}', destination: '{"connection":"archive","key":"b/c.txt"}', quality: 'low' },
  ])
})

it.each([
  [['s3://shop/photos/', '-o', 'out']],
  [['s3://shop', '-o', 'out']],
  [['s3://SHOP/a.txt', '-o', 'out']],
  [['s3://shop/a.txt', '--to', 's3://SHOP/b/']],
  [['s3://shop/a.txt', '--to', 's3://shop/b/', '--to-header', 'Cache-Control: no-store']],
  [['s3://shop/a.txt', '--in-place']],
])('refuses %j before it sends anything', async (args) => {
  expect(await run(args)).toMatchObject({ code: 2 })
  expect(here.service.requests).toEqual([])
})
