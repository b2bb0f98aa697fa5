/** Tests `whittle mcp` with the official client of the protocol. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FakeService, fakeService } from './service.ts'

const BIN = resolve(import.meta.dirname, '../../../packages/cli/bin/whittle.mjs')
const TEXT = 'the quick brown fox\n'.repeat(20)

let service: FakeService
let folder: string
let client: Client
beforeAll(async () => {
  service = await fakeService()
  folder = mkdtempSync(join(tmpdir(), 'whittle-mcp-'))
  mkdirSync(join(folder, 'allowed'))
  writeFileSync(join(folder, 'allowed/notes.txt'), TEXT)
  writeFileSync(join(folder, 'secret.txt'), TEXT)
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'allowed/link.txt'))
  client = new Client({ name: 'test', version: '1.0.0' })
  const env = { PATH: process.env['PATH'] ?? '', WHITTLE_SERVER: service.baseUrl, WHITTLE_KEY: 'whl_live_test', HOME: folder }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', 'allowed'], cwd: folder, env }))
})
afterAll(async () => {
  await client?.close()
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function callTool(name: string, args: Record<string, unknown> = {}): Promise<{ failed: boolean; text: string }> {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[]; isError?: boolean }
  return { failed: isError === true, text: content.map(({ text }) => text).join() }
}

it('offers tools of which most only read, and none that takes credentials', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ?? false])).toEqual([
    ['compress', false],
    ['status', true],
    ['verify', true],
    ['formats', true],
    ['connections', true],
    ['sync_start', false],
    ['sync_status', true],
    ['sync_cancel', false],
    ['sync_resume', false],
  ])
  expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toMatch(/secret|access_key|account_key|sas_token/)
  const isDestructive = (tool: string) => tools.find(({ name }) => name === tool)?.annotations?.destructiveHint
  expect(['sync_start', 'sync_cancel', 'sync_resume'].map(isDestructive)).toEqual([true, false, true])
  expect(tools.find(({ name }) => name === 'connections')?.description).toContain('No tool creates or changes a connection')
})

it('compresses a file in an allowed folder, returns the receipt, and overwrites nothing', async () => {
  const { failed, text } = await callTool('compress', { path: 'notes.txt', quality: 'low' })
  expect({ failed, ...(JSON.parse(text) as object) }).toMatchObject({
    failed: false,
    status: 'compressed',
    original_size: TEXT.length,
    compressed_size: TEXT.length / 2,
    result: join(folder, 'allowed/notes.whittled.txt'),
    receipt: { outcome: 'compressed', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  expect(service.wishes.at(-1)).toMatchObject({ quality: 'low' })
  const second = await callTool('compress', { path: join(folder, 'allowed/notes.txt'), out: 'small.txt' })
  expect(JSON.parse(second.text)).toMatchObject({ result: join(folder, 'allowed/small.txt') })
  expect((await callTool('compress', { path: 'notes.txt', out: 'small.txt' })).failed).toBe(true)
  expect(readFileSync(join(folder, 'allowed/notes.txt'), 'utf8')).toBe(TEXT)
  expect(readdirSync(join(folder, 'allowed')).sort()).toEqual(['link.txt', 'notes.txt', 'notes.whittled.txt', 'small.txt'])
})

it('refuses files outside of the allowed folders, also through links', async () => {
  const sent = service.received.length
  for (const path of ['../secret.txt', join(folder, 'secret.txt'), 'link.txt', '/etc/passwd', 'nowhere.txt', '.']) {
    expect(await callTool('compress', { path }), path).toMatchObject({ failed: true })
    expect(await callTool('verify', { original: path, result: 'notes.txt' }), path).toMatchObject({ failed: true })
  }
  expect((await callTool('compress', { path: 'notes.txt', out: '../small.txt' })).text).toMatch(/in the folders that this server may use/)
  expect(service.received).toHaveLength(sent)
  expect(readdirSync(folder).sort()).not.toContain('small.txt')
})

it('returns task status, formats and error messages', async () => {
  expect(JSON.parse((await callTool('status', { task_id: 'tsk_a' })).text)).toMatchObject({ task_id: 'tsk_a', status: 'completed' })
  expect(JSON.parse((await callTool('status')).text)).toHaveLength(2)
  expect(JSON.parse((await callTool('formats')).text)).toEqual([{ id: 'txt', title: 'Text', extensions: ['txt'], outputs: ['zst', 'gz'] }])
  writeFileSync(join(folder, 'allowed/noise.bin'), 'noise')
  expect(await callTool('compress', { path: 'noise.bin' })).toEqual({ failed: true, text: 'noise.bin has no format that Whittle knows.' })
})

it('refuses an unknown argument instead of ignoring it', async () => {
  const sent = service.wishes.length
  const { failed, text } = await callTool('compress', { path: 'notes.txt', metadata: 'strip' })
  expect({ failed, named: text.includes('metadata') }).toEqual({ failed: true, named: true })
  expect(service.wishes.length).toBe(sent)
})

const SHOP = { connection: 'shop', key: 'photos/a.txt' }

it('lists connections without anything of their keys', async () => {
  const { text } = await callTool('connections')
  expect(JSON.parse(text)).toEqual([
    { name: 'shop', type: 's3', endpoint: 'https://s3.example.com', region: 'eu-central-1', bucket: 'photos' },
    { name: 'vault', type: 'azure', endpoint: 'https://a.blob.core.windows.net', container: 'scans' },
  ])
})

it('starts a sync as a dry run unless the argument says otherwise', async () => {
  const places = { source: { connection: 'shop', prefix: 'photos/' }, destination: { connection: 'vault' } }
  const full = { ...places, destination: { connection: 'vault', prefix: '' } }
  expect(JSON.parse((await callTool('sync_start', places)).text)).toMatchObject({ ...full, sync_id: 'syn_a', dry_run: true })
  const { text } = await callTool('sync_start', { ...places, dry_run: false, quality: 'high' })
  expect(JSON.parse(text)).toMatchObject({ ...full, dry_run: false, quality: 'high' })
  expect(await callTool('sync_start', { ...places, access_key: 'x' })).toMatchObject({ failed: true })
  expect(await callTool('sync_start', { ...places, source: { connection: '../shop' } })).toMatchObject({ failed: true })
})

it('shows, cancels and resumes syncs', async () => {
  expect(JSON.parse((await callTool('sync_status')).text)).toMatchObject([{ sync_id: 'syn_a', status: 'running' }])
  expect(JSON.parse((await callTool('sync_status', { sync_id: 'syn_a' })).text)).toMatchObject({ status: 'completed', failed: 1 })
  expect(JSON.parse((await callTool('sync_cancel', { sync_id: 'syn_a' })).text)).toMatchObject({ status: 'cancelled' })
  expect(service.requests.at(-1)).toBe('DELETE /v1/syncs/syn_a')
  expect(JSON.parse((await callTool('sync_resume', { sync_id: 'syn_a' })).text)).toMatchObject({ sync_id: 'syn_a', status: 'running' })
  expect(service.requests.at(-1)).toBe('POST /v1/syncs/syn_a/resume')
  const sent = service.requests.length
  for (const tool of ['sync_cancel', 'sync_resume']) {
    expect(await callTool(tool, { sync_id: '../tasks/tsk_a' }), tool).toMatchObject({ failed: true })
  }
  expect(service.requests).toHaveLength(sent)
})

it('compresses from bucket to bucket, from a bucket to a file, and from a file to a bucket', async () => {
  const between = await callTool('compress', { source: SHOP, destination: { connection: 'vault', prefix: 'small/' } })
  expect(JSON.parse(between.text)).toMatchObject({ status: 'compressed', result: 's3://vault/small/a.txt', original_size: 1000 })
  expect(service.wishes.at(-1)).toMatchObject({
    source: JSON.stringify(SHOP),
    destination: '{"connection":"vault","prefix":"small/"}',
  })
  const saved = await callTool('compress', { source: SHOP, out: 'from-bucket.txt' })
  expect(JSON.parse(saved.text)).toMatchObject({ result: join(folder, 'allowed/from-bucket.txt'), compressed_size: 500 })
  expect(readFileSync(join(folder, 'allowed/from-bucket.txt'), 'utf8')).toBe('o'.repeat(500))
  const sent = await callTool('compress', { path: 'notes.txt', destination: { connection: 'vault', key: 'notes-2.txt' } })
  expect(JSON.parse(sent.text)).toMatchObject({ result: 's3://vault/notes-2.txt' })
  expect(readdirSync(join(folder, 'allowed'))).not.toContain('notes-2.txt')
})

it.each([
  [{}],
  [{ path: 'notes.txt', source: SHOP }],
  [{ source: SHOP }],
  [{ source: SHOP, out: 'a.txt', destination: { connection: 'vault', prefix: '' } }],
  [{ source: SHOP, destination: { connection: 'vault' } }],
  [{ source: SHOP, destination: { connection: 'vault', prefix: '', key: 'a' } }],
  [{ source: { ...SHOP, secret: 'x' }, out: 'a.txt' }],
  [{ source: SHOP, out: '../a.txt' }],
])('refuses %j without a request', async (args) => {
  const sent = service.requests.length
  expect(await callTool('compress', args)).toMatchObject({ failed: true })
  expect(service.requests).toHaveLength(sent)
})
