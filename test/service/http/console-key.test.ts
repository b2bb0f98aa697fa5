/** An API key in the page of the console: only on the machine that the service runs on, and without new powers. */
import { exports } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { call, errorOf, member } from './client.ts'

const CONSOLE = { 'X-Whittle-Console': '1' }

it('is accepted on a loopback host, with the scopes of the key', async () => {
  const reader = await member({ scopes: ['usage:read'] })
  expect((await call(reader, '/v1/usage', { headers: CONSOLE })).status).toBe(200)
  const refused = await call(reader, '/v1/tasks', { headers: CONSOLE })
  expect([refused.status, (await errorOf(refused)).error_detail.type]).toEqual([403, 'missing_scope'])
  for (const path of ['/console/api/me', '/console/api/applications', '/console/api/people']) {
    expect((await call(reader, path, { headers: CONSOLE })).status, path).toBe(401)
  }
})

it('is refused on any other host, also if the key is right', async () => {
  const { key } = await member()
  const ask = (url: string, headers: Record<string, string>) =>
    exports.default.fetch(new Request(url, { headers: { Authorization: `Bearer ${key}`, ...headers } }))
  const refused = await ask('https://whittle.example.com/v1/usage', CONSOLE)
  expect([refused.status, (await errorOf(refused)).error.message]).toEqual([401, expect.stringContaining('Sign in with a passkey')])
  expect((await ask('https://whittle.example.com/v1/usage', {})).status, 'a program').toBe(200)
  for (const host of ['localhost', '127.0.0.1', '[::1]', 'whittle.localhost']) {
    expect((await ask(`http://${host}/v1/usage`, CONSOLE)).status, host).toBe(200)
  }
  for (const host of ['localhost.example.com', '127.0.0.1.example.com', '127.example.com']) {
    expect((await ask(`https://${host}/v1/usage`, CONSOLE)).status, host).toBe(401)
  }
})
