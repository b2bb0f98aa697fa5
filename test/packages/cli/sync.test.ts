/** `whittle sync`, with a fake service. */
import { expect, it } from 'vitest'
import { placeOf } from '../../../packages/cli/src/address.ts'
import { inFolder } from './folder.ts'

const here = inFolder()
const { run } = here

it('starts a sync with its options and waits for its end, also after the events broke off', async () => {
  const { code, out } = await run(['sync', 's3://shop/photos/', 's3://archive', '-q', 'high', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ sync_id: 'syn_a', status: 'completed' })
  const asked = ['POST /v1/syncs', 'GET /v1/syncs/syn_a/events', 'GET /v1/syncs/syn_a/events']
  expect(here.service.requests.filter((request) => request.includes('/syncs'))).toEqual(asked)
  const words = await run(['sync', 's3://shop/photos/', 's3://archive/small/', '--no-wait', '--dry-run'])
  expect(words.out).toBe(
    'syn_a: running\n3 objects: 1 compressed, 0 copied unchanged, 1 skipped, 1 failed\n2.00 MB → 1.00 MB\n✗ photos/a.tif: It is too large.\n',
  )
  const sent = JSON.parse((await run(['sync', 's3://shop/photos/', 's3://archive', '--no-wait', '--score', '80', '--json'])).out)
  expect(sent).toMatchObject({
    source: { connection: 'shop', prefix: 'photos/' },
    destination: { connection: 'archive', prefix: '' },
    target_score: 80,
    dry_run: false,
  })
  expect(sent).not.toHaveProperty('quality')
})

it('cancels and resumes', async () => {
  expect((await run(['sync', '--cancel', 'syn_a'])).out).toContain('syn_a: cancelled')
  expect((await run(['sync', '--resume', 'syn_a'])).out).toContain('syn_a: completed')
  expect(here.service.requests.filter((request) => request.includes('/syncs/'))).toEqual([
    'DELETE /v1/syncs/syn_a',
    'POST /v1/syncs/syn_a/resume',
    'GET /v1/syncs/syn_a/events',
    'GET /v1/syncs/syn_a/events',
  ])
})

it.each([
  [['sync']],
  [['sync', 's3://shop']],
  [['sync', 's3://shop/a', '/tmp']],
  [['sync', 's3://shop/a', 's3://SHOP/b']],
])('refuses %j', async (args) => {
  expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining('s3://CONNECTION/PREFIX') })
})

it('takes a prefix as it is written', () => {
  expect(placeOf('s3://a/b c/+%2F//')).toEqual({ connection: 'a', prefix: 'b c/+%2F//' })
})
