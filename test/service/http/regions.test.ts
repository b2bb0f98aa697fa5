/** Tests of accounts with a region: where their objects and files are, without a lookup. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/service/env.ts'
import { idPattern, newId } from '../../../src/service/store/ids.ts'
import { hashKey, isWellFormedKey, makeKey, regionOfKey } from '../../../src/service/store/key-format.ts'
import { gateName, SCOPES } from '../../../src/service/store/keys.ts'
import type { Namespace } from '../../../src/service/store/namespace.ts'
import { withRegionBindings } from '../../../src/service/store/region-bindings.ts'
import { REGIONS, type Region, regionOf, regionOfBlob } from '../../../src/service/store/regions.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { exportAccounts } from '../../../src/service/tasks/backup.ts'
import { sweep } from '../../../src/service/tasks/sweep.ts'
import { BASE, call, compress, errorOf, form, type Member, TEXT } from './client.ts'
import { nameIn, withJurisdictions } from './jurisdictions.ts'
import { idOf, Tus } from './tus.ts'

const { BLOBS, BLOBS_EU, BLOBS_APAC } = env as unknown as Record<'BLOBS' | 'BLOBS_EU' | 'BLOBS_APAC', R2Bucket>
const BUCKETS = { BLOBS, BLOBS_EU, BLOBS_APAC }
const here = withRegionBindings(withJurisdictions(env as unknown as Env))

const keysIn = async (bucket: keyof typeof BUCKETS) => (await BUCKETS[bucket].list()).objects.map(({ key }) => key)

async function operate<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { Authorization: 'Bearer operator-of-the-tests', 'Content-Type': 'application/json' }
  const answer = await call(undefined, `/admin${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await answer.json()) as T
}

async function memberIn(region: Region | undefined): Promise<Member> {
  type Made = { account_id: string; region?: string }
  const account = await operate<Made>('POST', '/accounts', { name: 'Test', plan: 'pro', ...(region && { region }) })
  expect(account.region).toBe(region)
  const path = `/accounts/${account.account_id}`
  const { application_id } = await operate<{ application_id: string }>('POST', `${path}/applications`, { name: 'Test' })
  const { key } = await operate<{ key: string }>('POST', `${path}/keys`, { application_id, scopes: SCOPES })
  return { accountId: account.account_id, key }
}

describe.each([
  ['eu', 'BLOBS_EU'],
  ['apac', 'BLOBS_APAC'],
  [undefined, 'BLOBS'],
] as const)('an account in the region %s', (region, bucket) => {
  it('stores task, result and key only in its region', async () => {
    const who = await memberIn(region)
    const answer = await compress(who)
    expect(answer.status).toBe(200)
    const task = (await answer.json()) as TaskView
    expect(task).toMatchObject({ status: 'completed' })
    expect([who.accountId, task.task_id].map(regionOf)).toEqual([region, region])
    expect(await keysIn(bucket)).toEqual(expect.arrayContaining([`accounts/${who.accountId}`, `results-7d/${task.task_id}/1`]))
    for (const other of Object.keys(BUCKETS) as (keyof typeof BUCKETS)[]) {
      if (other !== bucket)
        expect((await keysIn(other)).filter((key) => key.includes(who.accountId) || key.includes(task.task_id))).toEqual([])
    }
    const bytes = await call(who, `/v1/tasks/${task.task_id}/download`)
    expect((await bytes.arrayBuffer()).byteLength).toBe(task.compressed_size)
    expect(await (await call(who, '/v1/usage')).json()).toMatchObject({ tasks_completed: 1, api_calls: 3 })
    expect(await (await call(who, '/v1/tasks')).json()).toMatchObject({ tasks: [{ task_id: task.task_id }] })
    expect((await call(who, `/v1/tasks/${task.task_id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await keysIn(bucket)).filter((key) => key.includes(task.task_id))).toEqual([])
  })

  it('stores batches and resumable uploads in its region', async () => {
    const who = await memberIn(region)
    const files: [string, string, string][] = ['a.txt', 'b.txt'].map((name) => ['files[]', `${name} ${TEXT}`, name])
    const batch = await call(who, '/v1/batch/compress', { method: 'POST', body: form({}, files) })
    const { batch_id, tasks } = (await batch.json()) as { batch_id: string; tasks: TaskView[] }
    expect(tasks.map(({ task_id }) => regionOf(task_id))).toEqual([region, region])
    expect((await call(who, `/v1/batches/${batch_id}`)).status).toBe(200)
    const tus = new Tus(who)
    const id = idOf(await tus.create(TEXT.length, { filename: 'c.txt' }))
    expect([regionOf(id), idPattern('upl').test(id)]).toEqual([region, true])
    expect((await tus.patch(id, 0, TEXT.slice(0, 100))).status).toBe(204)
    expect((await keysIn(bucket)).some((key) => key.startsWith(`incoming/${id}/`))).toBe(true)
    expect((await tus.patch(id, 100, TEXT.slice(100))).status).toBe(204)
    const used = await call(who, '/v1/compress', { method: 'POST', body: form({ upload: id }, []) })
    expect(await used.json()).toMatchObject({ task_id: id.replace('upl_', 'tsk_') })
    const ended = idOf(await tus.create(TEXT.length, { filename: 'd.txt' }))
    await tus.patch(ended, 0, TEXT.slice(0, 100))
    expect((await tus.remove(ended)).status).toBe(204)
    expect((await keysIn(bucket)).filter((key) => key.includes(ended))).toEqual([])
  })
})

it('objects of a jurisdiction differ from objects with the same name without one', async () => {
  const who = await memberIn('eu')
  const record = { accountId: who.accountId }
  expect(await env.ACCOUNTS.getByName(nameIn('eu', who.accountId)).get()).toMatchObject(record)
  expect(await env.ACCOUNTS.getByName(who.accountId).get()).toBeUndefined()
  const gate = gateName(await hashKey(who.key), 'eu')
  expect(await env.KEY_GATES.getByName(nameIn('eu', gate)).get()).toMatchObject({ record })
})

it('a key without a region is found even if it looks like one with a region', async () => {
  const who = await memberIn(undefined)
  const looksLike = makeKey('eu')
  const [known] = await operateKeys(who)
  await env.KEY_GATES.getByName(await hashKey(looksLike)).put(known!)
  expect((await call({ ...who, key: looksLike }, '/v1/usage')).status).toBe(200)
  expect((await call({ ...who, key: makeKey('eu') }, '/v1/usage')).status).toBe(401)
})

async function operateKeys({ key }: Member) {
  const entry = await env.KEY_GATES.getByName(await hashKey(key)).get()
  return entry ? [entry.record] : []
}

it('an unknown region is refused, and ignored in an id', async () => {
  const answer = await operate<object>('POST', '/accounts', { name: 'Test', plan: 'pro', region: 'oc' })
  expect(answer).toMatchObject({ error_detail: { type: 'invalid_parameter', param: 'region', got: 'oc', allowed: ['eu', 'apac'] } })
  const who = await memberIn('eu')
  for (const id of [newId('tsk', 'us'), 'tsk_zz_aaaaaaaaaaaaaaaaaaaaa']) {
    expect((await errorOf(await call(who, `/v1/tasks/${id}`))).error.code).toBe(404)
  }
})

/** The edge Worker with different bindings. */
async function edgeWith(change: object, path: string, init: RequestInit = {}): Promise<Response> {
  const { default: edge } = await import('../../../src/index.ts')
  const context = { waitUntil: () => undefined, passThroughOnException: () => undefined } as unknown as ExecutionContext
  return edge.fetch(new Request(BASE + path, init), { ...withJurisdictions(env as unknown as Env), ...change }, context)
}

it('a deployment can have a default region for new accounts', async () => {
  const headers = { Authorization: 'Bearer operator-of-the-tests', 'Content-Type': 'application/json' }
  const body = JSON.stringify({ name: 'Test', plan: 'free' })
  const answer = await edgeWith({ REGION: 'apac' }, '/admin/accounts', { method: 'POST', headers, body })
  expect(await answer.json()).toMatchObject({ region: 'apac' })
})

it('health reports an error while the bucket of a region does not respond', async () => {
  const answer = await edgeWith({ BLOBS_APAC: { head: () => Promise.reject(new Error('R2 is away')) } }, '/healthz')
  expect([answer.status, (await errorOf(answer)).error.message]).toEqual([503, 'Some components of the service do not respond: blobs.'])
})

it('the operator can list, export and import accounts of all regions', async () => {
  const all = [await memberIn('eu'), await memberIn(undefined), await memberIn('apac')]
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    type Page = { accounts: { account_id: string }[]; next_cursor: string | null }
    const page: Page = await operate<Page>('GET', `/accounts${cursor && `?cursor=${cursor}`}`)
    found.push(...page.accounts.map(({ account_id }) => account_id))
    cursor = page.next_cursor
  }
  expect(found).toEqual(expect.arrayContaining(all.map(({ accountId }) => accountId)))
  expect(new Set(found).size).toBe(found.length)
  await exportAccounts(here, Date.parse('2026-11-22T03:17:00Z'))
  expect(await keysIn('BLOBS_EU')).toContain(`exports/2026-11-22/${all[0]!.accountId}.json`)
  expect((await keysIn('BLOBS')).filter((key) => key.includes(all[0]!.accountId))).toEqual([])
  // Simulates lost objects: another account id, of which only the export exists.
  const lost = newId('acc', 'eu')
  const exported = await (await BLOBS_EU.get(`exports/2026-11-22/${all[0]!.accountId}.json`))!.text()
  await BLOBS_EU.put(`exports/2026-11-22/${lost}.json`, exported.replaceAll(all[0]!.accountId, lost))
  expect(await operate('POST', `/accounts/${lost}/import`, { day: '2026-11-22' })).toMatchObject({ account_id: lost, region: 'eu' })
  expect((await (await compress(all[0]!)).json()) as TaskView).toMatchObject({ status: 'completed' })
  expect(await (await call(all[0]!, '/v1/usage')).json()).toMatchObject({ tasks_completed: 1 })
})

it('an invitation finds its account in any region', async () => {
  const { accountId } = await memberIn('eu')
  const { invitation_url } = await operate<{ invitation_url: string }>('POST', `/accounts/${accountId}/invitations`, { name: 'Ada' })
  const body = JSON.stringify({ invitation: invitation_url.split('=').at(-1) })
  const headers = { 'Content-Type': 'application/json', 'X-Whittle-Console': '1' }
  const answer = await call(undefined, '/console/api/register/options', { method: 'POST', headers, body })
  expect(await answer.json()).toMatchObject({ name: 'Ada' })
})

it('the sweep visits all buckets and starts with a different one each hour', async () => {
  const orphans = {
    BLOBS: 'results/tsk_0/1',
    BLOBS_EU: `results-7d/${newId('tsk', 'eu')}/1`,
    BLOBS_APAC: `uploads/${newId('tsk', 'apac')}`,
  } as const
  const who = await memberIn('eu')
  const { task_id } = (await (await compress(who)).json()) as TaskView
  for (const [bucket, key] of Object.entries(orphans)) await BUCKETS[bucket as keyof typeof orphans].put(key, 'x')
  const later = Date.now() + 2 * 3_600_000
  expect((await sweep(here, later)).removed).toBe(3)
  for (const [bucket, key] of Object.entries(orphans)) expect(await BUCKETS[bucket as keyof typeof orphans].head(key)).toBeNull()
  expect(await BUCKETS.BLOBS_EU.head(`results-7d/${task_id}/1`)).not.toBeNull()
  for (const [bucket, key] of Object.entries(orphans)) await BUCKETS[bucket as keyof typeof orphans].put(key, 'x')
  const first = [0, 1, 2].map((hours) => sweepOne(later + hours * 3_600_000))
  expect((await Promise.all(first)).toSorted()).toEqual(['BLOBS', 'BLOBS_APAC', 'BLOBS_EU'])
})

/** @returns the bucket that a sweep limited to one lookup visited */
async function sweepOne(now: number): Promise<string> {
  const noted: string[] = []
  const watched = Object.entries(BUCKETS).map(([name, bucket]) => {
    const put = async () => void noted.push(name)
    return [name, new Proxy(bucket, { get: (target, method) => (method === 'put' ? put : Reflect.get(target, method).bind(target)) })]
  })
  const away = { getByName: () => ({ names: () => Promise.reject(new Error('away')) }) }
  await sweep({ ...here, ...Object.fromEntries(watched), TASKS: away }, now, 0, 1)
  return noted[0]!
}

describe('names', () => {
  it('have the same length with and without a region, and contain the region', () => {
    for (const region of [undefined, ...REGIONS]) {
      for (const kind of ['tsk', 'upl', 'acc'] as const) {
        const id = newId(kind, region)
        expect([id.length, idPattern(kind).test(id), regionOf(id)]).toEqual([kind === 'acc' ? 24 : 28, true, region])
        expect(regionOf(`console/${id}`)).toBe(region)
      }
      const key = makeKey(region)
      expect([isWellFormedKey(key), key.length, regionOfKey(key)]).toEqual([true, 45, region])
      expect(regionOf(gateName('0'.repeat(64), region))).toBe(region)
    }
  })

  it('of older versions, and similar looking ones, have no region', () => {
    const old = ['tsk_eu0123456789abcdefghijkl', 'tsk_eu_', 'tsk_zz_0123456789abcdefghijk', 'health-12', 'sign-in/e', 'eu/12']
    expect(old.map(regionOf)).toEqual(old.map(() => undefined))
    expect(idPattern('tsk').test('tsk_zz_0123456789abcdefghijk')).toBe(false)
    expect(['uploads/', 'accounts/', 'dead-letters/1/tsk_eu_0/whole', 'health', 'sweep/place'].map(regionOfBlob)).toEqual(
      Array(5).fill(undefined),
    )
    const placed = ['parts/tsk_eu_0/1/2', 'incoming/upl_oc_0/', 'exports/2026-11-22/acc_us_0.json', 'results/tsk_weur_0/']
    expect(placed.map(regionOfBlob)).toEqual(['eu', 'oc', 'us', 'weur'])
    expect(['uploads-1d/tsk_us_0', 'results-30d/tsk_apac_0/1', 'parts-1d/tsk_eu_0'].map(regionOfBlob)).toEqual(['us', 'apac', undefined])
  })

  it('select a jurisdiction or a location hint', () => {
    const asked: unknown[] = []
    const space: Namespace<object> = {
      getByName: (name, where) => asked.push([name, where]) && {},
      jurisdiction: (jurisdiction) => ({ getByName: (name) => asked.push([jurisdiction, name]) && {} }),
    }
    const { TASKS } = withRegionBindings({ BLOBS: BUCKETS.BLOBS, BLOBS_US: BUCKETS.BLOBS_EU, BLOBS_APAC: BUCKETS.BLOBS_APAC, TASKS: space })
    const names = ['tsk_us_1', 'tsk_apac_1', 'tsk_eu_1', 'tsk_1']
    for (const name of names) TASKS.getByName(name)
    expect(asked).toEqual([
      ['us', 'tsk_us_1'],
      ['tsk_apac_1', { locationHint: 'apac' }],
      ['tsk_eu_1', undefined],
      ['tsk_1', undefined],
    ])
  })
})
