/** Tests the TypeScript client over a proxy that fails once in every way, and the sample of its README. `client.test.ts` starts the service. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Content, type TaskCompleted, verifyCallback, Whittle } from '../../packages/clients/typescript/src/index.ts'
import { fileAt, save } from '../../packages/clients/typescript/src/node.ts'
import { type FailingProxy, failingProxy } from '../support/rough-road.ts'
import type { Running } from './running.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PHOTO = join(ROOT, 'docs/photo.jpg')
const TEXT = 'the quick brown fox jumps over the lazy dog\n'.repeat(400)

/** 34 MB, too large for one request, and soon compressed. */
function largeFile(folder: string): string {
  const path = join(folder, 'large.txt')
  writeFileSync(path, TEXT.repeat(2000))
  return path
}

/** In a `describe` of their own. */
export function typescriptClientTests(running: () => Running): void {
  let service: Running
  let road: FailingProxy
  let whittle: Whittle
  let folder: string
  beforeAll(async () => {
    service = running()
    road = await failingProxy(service.baseUrl)
    whittle = new Whittle({ baseUrl: road.baseUrl, key: service.keys.enterprise })
    folder = mkdtempSync(join(tmpdir(), 'whittle-typescript-'))
  })
  afterAll(async () => {
    // The account is that of the tests behind these as well.
    for (const { task_id } of (await whittle.tasks({ limit: 100 })).tasks) await whittle.remove(task_id)
    await road?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('waits where it is told to, makes a task once though its answer was lost, and goes on where a download broke off', async () => {
    const before = (await whittle.tasks()).tasks.length
    const photo = new File([readFileSync(PHOTO)], 'photo.jpg')
    const task = await whittle.compress(photo, { quality: 'low' }, { signal: AbortSignal.timeout(60_000) })
    const bytes = await whittle.download(task)
    expect([bytes.length, task.result.outcome]).toEqual([task.compressed_size, 'compressed'])
    expect(bytes.length).toBeLessThan(photo.size / 2)
    expect(road.mishaps).toEqual(['told to wait', 'the answer was lost', 'a download broke off'])
    expect(road.tooSoon).toEqual([])
    expect((await whittle.tasks()).tasks).toHaveLength(before + 1)
    expect((await whittle.receipt(task.task_id)).split('.')).toHaveLength(3)
    expect(await whittle.remove(task.task_id)).toMatchObject({ deleted: true })
    await expect(whittle.task(task.task_id)).rejects.toMatchObject({ name: 'ApiError', status: 404, type: 'unknown_task' })
  })

  it('sends a large file in chunks, of which one breaks off, and saves its result', async () => {
    const sent: number[] = []
    const path = largeFile(folder)
    const task = await whittle.compress(fileAt(path), { format: 'gz' }, { onSent: (bytes) => sent.push(bytes) })
    expect(road.mishaps).toContain('a chunk broke off')
    expect([task.file_name, task.original_size, sent.at(-1)]).toEqual(['large.txt', statSync(path).size, statSync(path).size])
    await save(whittle, task, `${path}.gz`)
    expect(execFileSync('gzip', ['-dc', `${path}.gz`], { maxBuffer: 1e8 }).equals(readFileSync(path))).toBe(true)
  })

  it('says by the kind of its error what went wrong', async () => {
    const damaged = await whittle.compress(new Blob([TEXT]), {}, { name: 'damaged.txt' })
    await expect(whittle.download(damaged)).rejects.toMatchObject({ name: 'DamagedError' })
    await expect(save(whittle, damaged, join(folder, 'damaged'))).rejects.toMatchObject({ name: 'DamagedError' })
    expect(statSync(join(folder, 'damaged'), { throwIfNoEntry: false })).toBeUndefined()
    const tiny = { target_size: 100 }
    await expect(whittle.compress(new Blob([readFileSync(PHOTO)]), tiny, { name: 'a.jpg' })).rejects.toMatchObject({
      name: 'TaskFailedError',
      type: 'target_unreachable',
    })
    await expect(whittle.submit(new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ status: 400, type: 'unsupported_format' })
    const nobody = new Whittle({ baseUrl: 'http://127.0.0.1:8', key: 'whl_live_x' })
    await expect(nobody.usage()).rejects.toMatchObject({ name: 'UnreachableError' })
  })

  it('knows a callback of the service from one that somebody changed', async () => {
    const { body, headers } = await callback(whittle, new Blob([TEXT]))
    const { webhook_secret: secret } = await settingsOf(service)
    const event = await verifyCallback(secret, headers, body)
    expect(event).toMatchObject({ type: 'task.completed', data: { file_name: 'called.txt' } })
    await expect(verifyCallback(secret, headers, body.replace('called', 'forged'))).rejects.toMatchObject({ name: 'SignatureError' })
    await expect(verifyCallback('whsec_AAAA', headers, body)).rejects.toMatchObject({ name: 'SignatureError' })
    const old = { ...headers, 'webhook-timestamp': '1700000000' }
    await expect(verifyCallback(secret, old, body)).rejects.toMatchObject({ name: 'SignatureError' })
  })

  it('does what its README says', async () => {
    const [example = ''] =
      /(?<=```ts\n)[\s\S]*?(?=```)/.exec(readFileSync(join(ROOT, 'packages/clients/typescript/README.md'), 'utf8')) ?? []
    const script = example
      .replace(`'@whittle-app/client'`, `'${join(ROOT, 'packages/clients/typescript/src/index.ts')}'`)
      .replace(`'@whittle-app/client/node'`, `'${join(ROOT, 'packages/clients/typescript/src/node.ts')}'`)
    writeFileSync(join(folder, 'readme.ts'), script)
    writeFileSync(join(folder, 'photo.jpg'), readFileSync(PHOTO))
    const env = { ...process.env, WHITTLE_SERVER: service.baseUrl, WHITTLE_KEY: service.keys.enterprise }
    const { stdout } = await promisify(execFile)(process.execPath, ['readme.ts'], { cwd: folder, env, encoding: 'utf8' })
    expect(stdout).toMatch(/^240883 → \d{5} bytes, SSIM 0\.9\d+\n$/)
    expect(statSync(join(folder, 'smaller.jpg')).size).toBeLessThan(240_883)
  })
}

/** What the service sends when a task has ended. */
async function callback(whittle: Whittle, content: Content): Promise<{ body: string; headers: Record<string, string> }> {
  const { promise, resolve: heard } = Promise.withResolvers<{ body: string; headers: Record<string, string> }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.end()
    heard({ body: Buffer.concat(chunks).toString(), headers: request.headers as Record<string, string> })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const task: TaskCompleted = await whittle.compress(content, { callback_url: `http://127.0.0.1:${port}/hook` }, { name: 'called.txt' })
  expect(task.status).toBe('completed')
  const said = await promise
  server.close()
  return said
}

async function settingsOf({ baseUrl, adminToken, accountId }: Running): Promise<{ webhook_secret: string }> {
  const answer = await fetch(`${baseUrl}/admin/accounts/${accountId}/webhook-secret`, {
    headers: { Authorization: `Bearer ${adminToken}` },
  })
  return (await answer.json()) as { webhook_secret: string }
}
