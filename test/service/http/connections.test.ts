/** Tests of bucket connections: what is checked, stored and shown. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Account } from '../../../durable-objects/account.ts'
import type { BucketError } from '../../../src/service/buckets/object-store.ts'
import type { Env } from '../../../src/service/env.ts'
import { MAX_CONNECTIONS } from '../../../src/service/store/connections.ts'
import { openNamedConnection } from '../../../src/service/tasks/connections.ts'
import { AZURE_KEY, AzureDouble } from '../../support/azure-double.ts'
import { S3Double } from '../../support/s3-double.ts'
import { signedIn } from './browser.ts'
import { call, errorOf, type Member, member } from './client.ts'
import { nested } from './nested.ts'

const ACCOUNTS: Env['ACCOUNTS'] = { getByName: (name) => nested((env as unknown as Env).ACCOUNTS.getByName(name)) }
const ENV: Env = { ...(env as unknown as Env), ACCOUNTS }
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const S3 = {
  ...{ type: 's3', endpoint: 'https://s3.shop.com', region: 'eu-central-1', bucket: 'photos' },
  ...{ access_key_id: 'AKIDEXAMPLE', secret_access_key: SECRET },
}
const AZURE = {
  ...{ type: 'azure', endpoint: 'https://shop.blob.core.windows.net', container: 'photos', account_name: 'shop', account_key: AZURE_KEY },
}
const SAS = 'sv=2021-12-02&sr=c&sp=rwdl&sig=abc%2Bdef%3D'
const { account_key: _, ...WITHOUT_KEY } = AZURE
const SHARED = member()

afterEach(() => {
  vi.restoreAllMocks()
})

/** Lets a double answer every outgoing request. */
function served<Double extends S3Double | AzureDouble>(double: Double): Double {
  vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => double.fetch(String(url), init ?? {}))
  return double
}

const put = (who: Member, name: string, fields: unknown) =>
  call(who, `/v1/connections/${name}`, { method: 'PUT', body: JSON.stringify(fields), headers: { 'Content-Type': 'application/json' } })
const names = async (who: Member) => {
  const { connections } = (await (await call(who, '/v1/connections')).json()) as { connections: { name: string }[] }
  return connections.map(({ name }) => name)
}
const detail = async (answer: Response) => (await errorOf(answer)).error_detail

describe('PUT /v1/connections/{name}', () => {
  it('saves a bucket of S3, and shows it without its secret', async () => {
    const double = served(new S3Double())
    const who = await member()
    const answer = await put(who, 'shop', S3)
    const { secret_access_key: __, ...shown } = S3
    const expected = { name: 'shop', ...shown, access_key_id: 'AKID…', path_style: true, saved_at: expect.any(String) }
    expect([answer.status, await answer.json()]).toEqual([200, expected])
    expect(await (await call(who, '/v1/connections/shop')).json()).toEqual(expected)
    expect(await (await call(who, '/v1/connections')).json()).toEqual({ connections: [expected] })
    expect(double.requests).toEqual(['GET'])
  })

  it('saves a container of Azure with a key or a shared access signature, and shows neither', async () => {
    const who = await member()
    served(new AzureDouble())
    expect((await put(who, 'key', AZURE)).status).toBe(200)
    served(AzureDouble.withSas())
    expect((await put(who, 'sas', { ...WITHOUT_KEY, sas_token: `?${SAS}` })).status).toBe(200)
    const text = await (await call(who, '/v1/connections')).text()
    expect(JSON.parse(text)).toMatchObject({ connections: [WITHOUT_KEY, WITHOUT_KEY] })
    for (const secret of [AZURE_KEY, SAS, 'sig']) expect(text).not.toContain(secret)
  })

  it('replaces a connection', async () => {
    const who = await member()
    served(new S3Double())
    await put(who, 'shop', S3)
    served(new S3Double({ bucket: 'other', accessKeyId: 'AKIAIOSFODNN7EXAMPLE', pathStyle: false }))
    const other = { ...S3, bucket: 'other', access_key_id: 'AKIAIOSFODNN7EXAMPLE', path_style: false }
    expect(await (await put(who, 'shop', other)).json()).toMatchObject({ bucket: 'other', access_key_id: 'AKIA…MPLE', path_style: false })
    expect(await names(who)).toEqual(['shop'])
  })

  it.each<[string, number, (double: S3Double) => unknown]>([
    ['unauthorised', 403, (double) => Object.assign(double, { isAuthorised: false })],
    ['missing_bucket', 404, (double) => Object.assign(double.settings, { bucket: 'another' })],
    ['busy', 503, (double) => Object.assign(double, { trouble: () => new Response('', { status: 503 }) })],
    ['refused', 301, (double) => Object.assign(double, { trouble: () => new Response('', { status: 301 }) })],
    ['malformed', 200, (double) => Object.assign(double, { trouble: () => new Response('<html></html>') })],
    ['unreachable', 0, (double) => Object.assign(double, { trouble: () => Promise.reject(new TypeError('no route')) })],
  ])('saves nothing if the bucket is %s', async (reason, status, change) => {
    const double = served(new S3Double())
    change(double)
    const who = await SHARED
    const answer = await put(who, reason.replace('_', '-'), S3)
    const facts = { type: 'connection_failed', reason, status: status === 0 ? null : status }
    expect([answer.status, await detail(answer)]).toMatchObject([400, reason === 'malformed' ? { ...facts, status: null } : facts])
    expect(double.requests.length).toBeLessThanOrEqual(2)
    expect(await names(who)).not.toContain(reason.replace('_', '-'))
  })

  it('keeps the connection of before if the new one fails', async () => {
    const double = served(new S3Double())
    const who = await member()
    await put(who, 'shop', S3)
    double.isAuthorised = false
    expect((await put(who, 'shop', { ...S3, region: 'eu-west-1' })).status).toBe(400)
    expect(await (await call(who, '/v1/connections/shop')).json()).toMatchObject({ region: 'eu-central-1' })
  })

  it.each([
    'http://s3.shop.com',
    'https://10.0.0.1',
    'https://s3.internal',
    'https://user:word@s3.shop.com',
    'https://s3.shop.com:22',
  ])('refuses the endpoint %s without a request', async (endpoint) => {
    const double = served(new S3Double())
    const answer = await put(await SHARED, 'shop', { ...S3, endpoint })
    expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'unsafe_url', param: 'endpoint' }])
    expect(double.requests).toEqual([])
  })

  it.each<[string, object]>([
    ['type', { ...S3, type: 'ftp' }],
    ['type', { ...S3, type: undefined }],
    ['body', []],
    ['endpoint', { ...S3, endpoint: 'https://s3.shop.com/?a=b' }],
    ['endpoint', { ...S3, endpoint: 's3.shop.com' }],
    ['region', { ...S3, region: 'eu/central' }],
    ['bucket', { ...S3, bucket: 'a/b' }],
    ['bucket', { ...S3, bucket: 'evil.com#' }],
    ['bucket', { ...S3, bucket: '..' }],
    ['access_key_id', { ...S3, access_key_id: 'a/b' }],
    ['access_key_id', { ...S3, access_key_id: 'a\nb' }],
    ['secret_access_key', { ...S3, secret_access_key: '' }],
    ['secret_access_key', { ...S3, secret_access_key: 'x'.repeat(257) }],
    ['path_style', { ...S3, path_style: 'true' }],
    ['container', { ...S3, container: 'photos' }],
    ['container', { ...AZURE, container: 'Photos' }],
    ['account_name', { ...AZURE, account_name: 'a:b' }],
    ['account_key', { ...AZURE, account_key: 'no base64' }],
    ['sas_token', { ...WITHOUT_KEY, sas_token: 'sv=1#' }],
    ['body', { ...AZURE, sas_token: SAS }],
    ['body', WITHOUT_KEY],
  ])('refuses a wrong %s, and repeats no secret (%#)', async (param, fields) => {
    const double = served(new S3Double())
    const answer = await put(await SHARED, 'shop', fields)
    const text = await answer.text()
    expect([answer.status, JSON.parse(text).error_detail]).toMatchObject([400, { type: 'invalid_parameter', param }])
    for (const secret of [SECRET, AZURE_KEY, SAS, 'no base64']) expect(text).not.toContain(secret)
    expect(double.requests).toEqual([])
  })

  it.each(['Shop', '-shop', 'a%2Fb', 'x'.repeat(65), '%E6%96%87'])('refuses the name %s', async (name) => {
    served(new S3Double())
    expect(await detail(await put(await SHARED, name, S3))).toMatchObject({ type: 'invalid_parameter', param: 'name' })
  })

  it('saves no more than the maximum, but replaces', async () => {
    served(new S3Double())
    const who = await member()
    for (let i = 0; i < MAX_CONNECTIONS; i++) expect((await put(who, `c${i}`, S3)).status).toBe(200)
    const answer = await put(who, 'more', S3)
    expect([answer.status, await detail(answer)]).toMatchObject([409, { type: 'too_many_connections', limit: MAX_CONNECTIONS }])
    expect((await put(who, 'c0', S3)).status).toBe(200)
    expect(await names(who)).toHaveLength(MAX_CONNECTIONS)
  })

  it('needs the scope connections, while compress may list them', async () => {
    served(new S3Double())
    const who = await member({ scopes: ['compress'] })
    for (const method of ['PUT', 'DELETE'])
      expect(await detail(await call(who, '/v1/connections/shop', { method, ...(method === 'PUT' ? { body: '{}' } : {}) }))).toMatchObject({
        type: 'missing_scope',
        scope: 'connections',
      })
    expect(await names(who)).toEqual([])
    const reader = await member({ scopes: ['tasks:read'] })
    expect((await call(reader, '/v1/connections')).status).toBe(403)
  })
})

it('a connection belongs to its account, and is gone after DELETE', async () => {
  served(new S3Double())
  const who = await member()
  await put(who, 'shop', S3)
  const other = await member()
  for (const [method, asker] of [['GET', other] as const, ['DELETE', other] as const])
    expect(await detail(await call(asker, '/v1/connections/shop', { method }))).toMatchObject({ type: 'unknown_connection' })
  expect((await call(who, '/v1/connections/shop', { method: 'DELETE' })).status).toBe(204)
  expect((await call(who, '/v1/connections/shop', { method: 'DELETE' })).status).toBe(404)
  expect((await call(who, '/v1/connections/shop')).status).toBe(404)
})

it('secrets are neither stored in clear nor logged', async () => {
  const logged = (['log', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level))
  const double = served(new S3Double())
  const who = await member()
  await put(who, 'shop', S3)
  double.isAuthorised = false
  await put(who, 'other', S3)
  expect(JSON.stringify(logged.map(({ mock }) => mock.calls))).not.toContain(SECRET)
  await runInDurableObject(env.ACCOUNTS.getByName(who.accountId) as unknown as DurableObjectStub<Account>, (_account, state) => {
    const values = JSON.stringify([...state.storage.kv.list()], (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    )
    expect(values).toContain('"bucket":"photos"')
    for (const secret of [SECRET, 'AKIDEXAMPLE']) expect(values).not.toContain(secret)
  })
})

describe('a saved connection', () => {
  const open = (accountId: string, name = 'shop', changed: Partial<Env> = {}) =>
    openNamedConnection({ ...ENV, ...changed }, { accountId, name }, new AbortController().signal)
  const trouble = (work: Promise<unknown>) => work.then(String, (error: BucketError) => error.trouble)

  it('opens its bucket by name', async () => {
    const double = served(new S3Double())
    await double.put('a b.txt', 'hello')
    const who = await member()
    await put(who, 'shop', S3)
    expect(await new Response((await (await open(who.accountId)).read('a b.txt')).body).text()).toBe('hello')
  })

  it('does not open under another secret, name or account, or without one', async () => {
    served(new S3Double())
    const [who, other] = [await member(), await member()]
    await put(who, 'shop', S3)
    expect(await trouble(open(who.accountId, 'shop', { SECRET_KEY: 'another' }))).toBe('unreadable_credentials')
    expect(await trouble(open(who.accountId, 'none'))).toBe('missing_connection')
    const stored = (await ACCOUNTS.getByName(who.accountId).connections.find('shop'))!
    await ACCOUNTS.getByName(other.accountId).connections.put(stored)
    await ACCOUNTS.getByName(who.accountId).connections.put({ ...stored, name: 'copy' })
    expect(await trouble(open(other.accountId))).toBe('unreadable_credentials')
    expect(await trouble(open(who.accountId, 'copy'))).toBe('unreadable_credentials')
  })
})

it('is changed in the console by admins, whose log has no secret', async () => {
  served(new S3Double())
  const { browser } = await signedIn('pro')
  expect(await browser.json('PUT', '/v1/connections/shop', S3)).toMatchObject({ name: 'shop', bucket: 'photos' })
  expect((await browser.ask('DELETE', '/v1/connections/shop')).status).toBe(204)
  const log = await (await browser.ask('GET', '/audit')).text()
  const { actions } = JSON.parse(log) as { actions: { action: string; called?: string; by: object; asked?: object }[] }
  const by = expect.objectContaining({ name: 'Ada' })
  const at = { at: expect.any(String), request_id: expect.any(String) }
  expect(actions.slice(0, 2)).toEqual([
    { ...at, action: 'connection.removed', called: 'shop', by },
    { ...at, action: 'connection.saved', called: 'shop', by },
  ])
})
