/** Tests that unknown fields are refused in every place and leave nothing stored. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { signedIn } from './browser.ts'
import { blobs, call, errorOf, type Member, member, TEXT } from './client.ts'
import { Tus } from './tus.ts'

const SECRET = 'kept-to-ourselves-7391'
const GOALS = ['quality', 'format', 'password', 'callback_url', 'target_size', 'target_score', 'max_width', 'max_height', 'dpi', 'effort']
const OPTIONS = [...GOALS, 'metadata', 'usage_rights']
const COMPRESS = [
  ...['file', 'upload', 'url', 'source', ...OPTIONS, 'response', 'retention', 'preset'],
  ...['destination_url', 'destination_headers', 'destination'],
]
const BATCH = [
  'files[]',
  'files',
  'uploads[]',
  'uploads',
  'urls[]',
  'urls',
  'sources[]',
  'sources',
  ...OPTIONS.filter((name) => name !== 'target_size'),
  'preset',
  'destination',
]
const METADATA = [...['filename', 'filetype', 'name', 'type', 'relativePath'], ...OPTIONS, 'preset', 'compress']
/** Fields of the contract that are not implemented yet, and misspelled fields. */
const UNKNOWN = [
  ...['max_size', 'maxWidth', 'destinations'],
  ...['Quality', 'pasword', 'quality[]', '__proto__', 'constructor', 'toString', '', 'x'.repeat(150)],
]

let who: Member
beforeAll(async () => {
  who = await member()
}, 60_000)

/** Expects a refusal that does not repeat the value. */
async function refusal(answer: Response): Promise<{ param: unknown; allowed: unknown }> {
  const body = await errorOf(answer)
  expect(answer.status, JSON.stringify(body)).toBe(400)
  expect(JSON.stringify(body)).not.toContain(SECRET)
  const { type, param, allowed } = body.error_detail
  expect(type).toBe('invalid_parameter')
  expect(body.error.message).toContain(String(param).slice(0, 40))
  return { param, allowed }
}

/** Reserved storage, tasks and blobs of the account. */
async function left({ accountId }: Member): Promise<unknown> {
  const account = env.ACCOUNTS.getByName(accountId)
  const { storage_used } = await account.usage('enterprise')
  return { storage_used, tasks: (await account.list(10))?.ids, blobs: await blobs() }
}
const NOTHING = { storage_used: 0, tasks: [], blobs: [] }

/** Form whose parts are in this order. */
function parts(...list: [name: string, content: string | Uint8Array<ArrayBuffer>, fileName?: string][]): RequestInit {
  const data = new FormData()
  for (const [name, content, fileName] of list) {
    if (fileName === undefined) data.append(name, content as string)
    else data.append(name, new Blob([content]), fileName)
  }
  return { method: 'POST', body: data }
}
const json = (body: unknown, method = 'POST'): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

describe('an unknown field', () => {
  it('of a form is refused before and after the file, and nothing is stored', async () => {
    for (const name of UNKNOWN) {
      const field = [name, SECRET] as [string, string]
      for (const list of [
        [field, ['file', TEXT, 'a.txt']],
        [['file', TEXT, 'a.txt'], field],
      ] as Parameters<typeof parts>[]) {
        expect(await refusal(await call(who, '/v1/compress', parts(...list))), name).toEqual({ param: name, allowed: COMPRESS })
      }
      const batch = await call(who, '/v1/batch/compress', parts(['files[]', TEXT, 'a.txt'], ['files[]', TEXT, 'b.txt'], field))
      expect(await refusal(batch), name).toEqual({ param: name, allowed: BATCH })
    }
    expect(await left(who)).toEqual(NOTHING)
  })

  it('after a multipart file, and a file in an unknown field, release all reserved storage', async () => {
    const large = new Uint8Array(12_000_000).fill(65)
    for (const last of [['strength', 'best'] as const, ['attachment', TEXT, 'b.txt'] as const]) {
      const [name] = last
      const single = await call(who, '/v1/compress', parts(['file', large, 'a.txt'], [...last]))
      expect(await refusal(single)).toEqual({ param: name, allowed: COMPRESS })
      const several = await call(who, '/v1/batch/compress', parts(['files[]', large, 'a.txt'], ['files', TEXT, 'c.txt'], [...last]))
      expect(await refusal(several)).toEqual({ param: name, allowed: BATCH })
      expect(await left(who)).toEqual(NOTHING)
    }
  })

  it('of JSON is refused for any value, and leaves the upload usable', async () => {
    const own = await member()
    const id = await new Tus(own).whole(new Uint8Array(new TextEncoder().encode(TEXT)))
    const before = await left(own)
    const allowed = COMPRESS.filter((name) => name !== 'file')
    for (const name of UNKNOWN)
      for (const value of [SECRET, 1, true, null, { quality: SECRET }, [SECRET]]) {
        const text = `{"upload":"${id}",${JSON.stringify(name)}:${JSON.stringify(value)}}`
        expect(await refusal(await call(own, '/v1/compress', json(text))), name).toEqual({ param: name, allowed })
      }
    const batch = await refusal(await call(own, '/v1/batch/compress', json({ uploads: [id], target_size: 9 })))
    expect(batch).toEqual({ param: 'target_size', allowed: BATCH.slice(2) })
    expect((await refusal(await call(own, '/v1/compress', parts(['upload', id], ['strength', SECRET])))).param).toBe('strength')
    expect(await left(own)).toEqual(before)
    expect((await call(own, '/v1/compress', json({ upload: id, quality: 'low' }))).status).toBe(200)
  })

  it('of Upload-Metadata is refused before the upload is created', async () => {
    const tus = new Tus(who)
    const before = await left(who)
    for (const name of [...UNKNOWN.filter(Boolean), 'Filename', 'upload', 'file', 'caption']) {
      const answer = await tus.create(TEXT.length, { filename: 'a.txt', [name]: SECRET, compress: '1' })
      expect(answer.headers.get('Location')).toBeNull()
      if (name === '__proto__') continue // No object literal holds it.
      expect(await refusal(answer), name).toEqual({ param: name, allowed: METADATA })
    }
    const header = { 'Upload-Length': '5', 'Upload-Metadata': '__proto__ eA==' }
    expect((await refusal(await tus.request('POST', '', header))).param).toBe('__proto__')
    expect(await left(who)).toEqual(before)
    const usual = { filename: 'a.txt', filetype: 'text/plain', name: 'a.txt', type: 'text/plain', relativePath: 'null' }
    expect((await tus.create(5, usual)).status).toBe(201)
  })

  it('of a query is refused on routes that need a key', async () => {
    const paths: [string, string, string[]][] = [
      ['GET', '/v1/tasks?limit=5&state=failed', ['limit', 'cursor']],
      ['GET', '/v1/usage?months=2', ['month']],
      ['GET', '/v1/formats?quality=low', []],
      ['DELETE', '/v1/tasks/tsk_0123456789abcdefghij?force=1', []],
    ]
    for (const [method, path, allowed] of paths) {
      const param = [...new URL(`http://x${path}`).searchParams.keys()].at(-1)
      expect(await refusal(await call(who, path, { method })), path).toEqual({ param, allowed })
    }
    const wrong = await call(who, `/v1/compress?strength=${SECRET}`, parts(['file', TEXT, 'a.txt']))
    expect(await refusal(wrong)).toEqual({ param: 'strength', allowed: [] })
    expect((await refusal(await call(who, '/v1/tasks?limit=1&limit=2'))).param).toBe('limit')
    expect((await call(undefined, '/healthz?from=monitor')).status).toBe(200)
  })

  it('of the operator’s API and the console is refused with the known names', async () => {
    const operator = { Authorization: `Bearer ${env.ADMIN_TOKEN}` }
    const ask = (path: string, body: unknown, method = 'POST') => call(undefined, path, { ...json(body, method), headers: operator })
    expect(await refusal(await ask('/admin/accounts', { name: 'x', plan: 'pro', password: SECRET }))).toEqual({
      ...{ param: 'password', allowed: ['name', 'plan', 'storage_bytes', 'region'] },
    })
    expect(await refusal(await ask('/admin/wake', { all: SECRET }))).toEqual({ param: 'all', allowed: [] })
    expect((await ask('/admin/wake', {})).status).toBe(200)
    const path = `/admin/accounts/${who.accountId}/restore`
    expect(await refusal(await ask(path, { when: SECRET }))).toEqual({ param: 'when', allowed: ['at', 'bookmark'] })
    expect((await refusal(await call(undefined, '/admin/accounts?page=2', { headers: operator }))).param).toBe('page')

    const { browser } = await signedIn('pro')
    expect(await refusal(await browser.ask('POST', '/applications', { name: 'a', environment: 'b', colour: SECRET }))).toEqual({
      ...{ param: 'colour', allowed: ['name', 'environment', 'plan'] },
    })
    expect((await refusal(await browser.ask('POST', '/callbacks/rotate', { soon: SECRET }))).allowed).toEqual([])
    expect((await refusal(await browser.ask('POST', '/v1/compress', { upload: 'upl_x', strength: SECRET }))).param).toBe('strength')
  })

  it('counts as one request, as every refusal does', async () => {
    const own = await member({ plan: 'basic' })
    const remaining = async () => Number((await call(own, '/v1/formats')).headers.get('X-RateLimit-Remaining'))
    const before = await remaining()
    await refusal(await call(own, '/v1/compress', parts(['strength', SECRET], ['file', TEXT, 'a.txt'])))
    expect(before - (await remaining())).toBe(2)
  })
})

describe('a known field', () => {
  it('is refused if it is sent twice, also in JSON and with equal values', async () => {
    for (const second of ['low', 'high'])
      expect(
        (await refusal(await call(who, '/v1/compress', parts(['quality', 'low'], ['file', TEXT, 'a.txt'], ['quality', second])))).param,
      ).toBe('quality')
    for (const text of [
      '{"upload":"upl_x","quality":"low","quality":"high"}',
      '{"upload":"upl_x","quality":"low","qu\\u0061lity" : "low"}',
    ])
      expect((await refusal(await call(who, '/v1/compress', json(text)))).param).toBe('quality')
    // Equal names in different objects, and text that resembles JSON, are not duplicates.
    const fine = await call(who, '/v1/compress', json('{"upload":"upl_x","format":"{\\"quality\\":1,\\"quality\\":2}","quality":"low"}'))
    expect((await errorOf(fine)).error_detail.type).not.toBe('invalid_parameter')
    expect(await left(who)).toMatchObject({ tasks: [] })
  })

  it('is refused as a file instead of text, and as text instead of a file', async () => {
    for (const name of ['quality', 'upload', 'password'])
      expect((await refusal(await call(who, '/v1/compress', parts(['file', TEXT, 'a.txt'], [name, 'low', 'q.txt'])))).param).toBe(name)
    const asText = await call(who, '/v1/compress', parts(['file', TEXT]))
    expect((await errorOf(asText)).error_detail).toMatchObject({ type: 'missing_file', param: 'file' })
    const asUpload = await call(who, '/v1/compress', parts(['upload', TEXT, 'a.txt']))
    expect((await errorOf(asUpload)).error_detail).toMatchObject({ type: 'missing_file', param: 'file' })
    const inJson = await call(who, '/v1/compress', json({ file: SECRET }))
    expect((await refusal(inJson)).param).toBe('file')
  })

  it('limits the parts of a form: parsing ends at the first unknown field and after 64 empty file inputs', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => [`f${i}`, 'v'] as [string, string])
    expect((await refusal(await call(who, '/v1/compress', parts(...many)))).param).toBe('f0')
    const empty = `--b\r\nContent-Disposition: form-data; name="file"; filename=""\r\n\r\n\r\n`.repeat(100)
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
    const answer = await call(who, '/v1/compress', { method: 'POST', headers, body: `${empty}--b--` })
    expect((await errorOf(answer)).error_detail.type).toBe('malformed_request')
  })
})

it('/openapi.json closes request schemas, so that generated clients reject unknown fields', async () => {
  interface Document {
    paths: Record<string, { post?: { requestBody?: { content: Record<string, { schema: { additionalProperties?: boolean } }> } } }>
    components: { schemas: Record<string, { additionalProperties?: boolean }> }
  }
  const { paths, components } = (await (await call(undefined, '/openapi.json')).json()) as Document
  for (const path of ['/v1/compress', '/v1/batch/compress'])
    expect(paths[path]!.post!.requestBody!.content['multipart/form-data']!.schema.additionalProperties).toBe(false)
  for (const name of ['CompressUpload', 'BatchOfUploads']) expect(components.schemas[name]!.additionalProperties).toBe(false)
})
