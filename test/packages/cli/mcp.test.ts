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

it('offers four tools, three of them read-only', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ?? false])).toEqual([
    ['compress', false],
    ['status', true],
    ['verify', true],
    ['formats', true],
  ])
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
