/** Tests of signed receipts: content, access, and detection of changes. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../../src/service/env.ts'
import { createApp } from '../../../src/service/http/app.ts'
import { ROUTES } from '../../../src/service/http/routes/index.ts'
import { publishedKeys, signed } from '../../../src/service/http/signing.ts'
import type { SignedReceipt } from '../../../src/service/store/signed-receipt.ts'
import { call, compress, done, errorOf, member, TEXT } from './client.ts'

const published = async () => (await call(undefined, '/.well-known/jwks.json')).json() as Promise<JSONWebKeySet>

async function opened(jws: string): Promise<SignedReceipt> {
  const { payload } = await compactVerify(jws, createLocalJWKSet(await published()), { algorithms: ['EdDSA'] })
  return JSON.parse(new TextDecoder().decode(payload))
}

describe('GET /v1/tasks/{task_id}/receipt', () => {
  it('has the facts of the task, signed with a published key', async () => {
    const who = await member()
    const task = await done(who)
    const answer = await call(who, `/v1/tasks/${task.task_id}/receipt`)
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/jose'])
    const jws = await answer.text()
    const { task_id, file_name, format, output_format, quality, original_size, compressed_size, result, completed_at } = task
    const said = await opened(jws)
    expect(said).toEqual({
      iss: 'http://127.0.0.1',
      ...{ task_id, file_name, format, output_format, quality, original_size, compressed_size, result, completed_at },
      engines: [{ name: 'whittle', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }, expect.objectContaining({ name: 'zstd' })],
    })
    expect(said.result).toMatchObject({ verified: true, verified_share: 1 })
    expect(decodeProtectedHeader(jws)).toEqual({ alg: 'EdDSA', kid: 'today', typ: 'whittle-receipt' })
    expect(await (await call(who, `/v1/tasks/${task_id}/receipt`)).text()).toBe(jws)
    const decoded = await call(who, `/v1/tasks/${task_id}/receipt?decoded=1`)
    expect([decoded.headers.get('Content-Type'), await decoded.json()]).toEqual(['application/json', said])
  })

  it.each([
    [{ ORIGIN: 'http://127.0.0.1:8787' }, 'http://127.0.0.1:8787'],
    [{ ORIGIN: 'http://127.0.0.1:8787', PUBLIC_URL: 'https://whittle.example.com' }, 'https://whittle.example.com'],
  ])('names the configured origin as issuer, whatever Host the client sent (receipt-issuer-from-host): %o', async (variables, issuer) => {
    const who = await member()
    const { task_id } = await done(who)
    const ask = async (host: string) => {
      const headers = { Authorization: `Bearer ${who.key}`, 'X-Forwarded-Proto': 'https' }
      const request = new Request(`http://${host}/v1/tasks/${task_id}/receipt`, { headers })
      return (await createApp(ROUTES).fetch(request, { ...env, ...variables } as unknown as Env, createExecutionContext())).text()
    }
    const jws = await ask('localhost')
    expect((await opened(jws)).iss).toBe(issuer)
    expect(await ask('whittle-bank.localhost')).toBe(jws)
  })

  it('detects a changed byte in header, payload or signature', async () => {
    const who = await member()
    const jws = await (await call(who, `/v1/tasks/${(await done(who)).task_id}/receipt`)).text()
    for (const at of [3, jws.indexOf('.') + 9, jws.lastIndexOf('.') + 5]) {
      const other = jws[at] === 'A' ? 'B' : 'A'
      await expect(opened(jws.slice(0, at) + other + jws.slice(at + 1))).rejects.toThrow()
    }
  })

  it('is available only to the owner and only for completed tasks', async () => {
    const [who, other] = [await member(), await member()]
    const { task_id } = await done(who)
    const stranger = await call(other, `/v1/tasks/${task_id}/receipt`)
    expect([stranger.status, (await errorOf(stranger)).error_detail.type]).toEqual([404, 'unknown_task'])
    expect((await call(undefined, `/v1/tasks/${task_id}/receipt`)).status).toBe(401)
    expect((await call(who, '/v1/tasks/none/receipt')).status).toBe(404)
    expect((await call(who, `/v1/tasks/${task_id}/receipt?decoded=yes`)).status).toBe(400)
    const pending = (await (await compress(who, TEXT, 'a.txt', {}, { Prefer: 'respond-async' })).json()) as {
      task_id: string
      status: string
    }
    if (pending.status === 'completed') return
    const early = await call(who, `/v1/tasks/${pending.task_id}/receipt`)
    if (early.status !== 200) expect([early.status, (await errorOf(early)).error_detail.type]).toEqual([409, 'not_completed'])
  })

  it('does not exist for a failed task', async () => {
    const who = await member()
    const body = new FormData()
    body.append('files[]', new Blob(['\0\x01\x02'.repeat(900)]), 'a.bin')
    const { tasks } = (await (await call(who, '/v1/batch/compress', { method: 'POST', body })).json()) as { tasks: { task_id: string }[] }
    const answer = await call(who, `/v1/tasks/${tasks[0]?.task_id}/receipt`)
    expect([answer.status, (await errorOf(answer)).error_detail.type]).toEqual([409, 'not_completed'])
  })

  it('says that the result is encrypted, without the password', async () => {
    const who = await member()
    const task = (await (await compress(who, TEXT, 'a.txt', { password: 'correct horse' })).json()) as { task_id: string; status: string }
    expect(task.status).toBe('completed')
    const text = await (await call(who, `/v1/tasks/${task.task_id}/receipt?decoded=1`)).text()
    expect(JSON.parse(text)).toMatchObject({ encrypted: true })
    expect(text).not.toMatch(/password|correct horse/)
  })
})

describe('keys', () => {
  it('are published without private parts, including older keys', async () => {
    const { keys } = await published()
    expect(keys.map(({ kid }) => kid)).toEqual(['today', 'yesterday'])
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  })

  it('that are invalid cause an error that does not reveal them', () => {
    expect(() => publishedKeys('{"d":"very secret"}')).toThrow(/^RECEIPT_KEYS is not a set/)
    expect(() => publishedKeys('very secret')).toThrow(/^RECEIPT_KEYS is not JSON$/)
    expect(publishedKeys(undefined)).toEqual({ keys: [] })
  })

  it('refuse to sign if no key is configured', async () => {
    const { keys } = JSON.parse(env.RECEIPT_KEYS!) as { keys: { d?: string }[] }
    await expect(signed({}, JSON.stringify({ keys: keys.slice(1) }))).rejects.toMatchObject({ type: 'maintenance' })
    await expect(signed({}, undefined)).rejects.toMatchObject({ status: 503 })
  })
})
