/** The generated client and the command line against a real service. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import createClient from 'openapi-fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { paths } from '../../packages/clients/typescript/schema.d.ts'
import { buildPdf, plainDocument } from '../core/formats/pdf/build.ts'
import { githubActionTests } from './github-action.ts'
import { n8nTests } from './n8n.ts'
import { preCommitTests } from './pre-commit.ts'
import { type Running, startService } from './running.ts'
import { typescriptClientTests } from './typescript-client.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const TEXT = 'the quick brown fox jumps over the lazy dog\n'.repeat(400)

let service: Running
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = mkdtempSync(join(tmpdir(), 'whittle-cli-'))
})
afterAll(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the command line as a person would. */
function whittle(
  args: string[],
  options: { key?: string; interruptAfterLines?: number; alone?: boolean } = {},
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((done) => {
    const env = {
      ...process.env,
      WHITTLE_SERVER: service.baseUrl,
      WHITTLE_KEY: options.key ?? service.keys.enterprise,
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      ...(options.alone ? { WHITTLE_SERVER: undefined, WHITTLE_KEY: undefined } : {}),
    }
    const child = spawn(process.execPath, [join(ROOT, 'packages/cli/bin/whittle.mjs'), ...args], { env, cwd: folder })
    let [out, err] = ['', '']
    let interrupted = false
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk
      if (interrupted || !options.interruptAfterLines || out.split('\n').length <= options.interruptAfterLines) return
      interrupted = child.kill('SIGINT')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk
    })
    child.on('close', (code) => done({ code, out, err }))
  })
}

describe('the generated client', () => {
  it('compresses, reads and deletes with types', async () => {
    const client = createClient<paths>({ baseUrl: service.baseUrl, headers: { Authorization: `Bearer ${service.keys.enterprise}` } })
    const { data: made } = await client.POST('/v1/compress', {
      body: { file: new File([TEXT], 'notes.md'), quality: 'high' },
      bodySerializer: (body) => {
        const form = new FormData()
        for (const [name, value] of Object.entries(body)) form.append(name, value)
        return form
      },
    })
    // With `response=file`, it would be the bytes of the result.
    if (typeof made !== 'object') throw new Error(`expected a task, got ${made}`)
    const path = { task_id: made.task_id }
    const { data: task } = await client.GET('/v1/tasks/{task_id}', { params: { path } })
    expect(task).toMatchObject({ status: 'completed', output_name: 'notes.md.zst' })
    const { data: usage } = await client.GET('/v1/usage')
    expect(usage?.tasks_completed).toBeGreaterThanOrEqual(1)
    expect((await client.DELETE('/v1/tasks/{task_id}', { params: { path } })).data).toMatchObject({ deleted: true })
    expect((await client.GET('/v1/tasks/{task_id}', { params: { path } })).response.status).toBe(404)
  })
})

describe('the TypeScript client', () => typescriptClientTests(() => service))

describe('the GitHub Action', () => githubActionTests(() => service))

describe('the pre-commit hook', () => preCommitTests(() => service))

describe('the n8n node', () => n8nTests(() => service))

describe('whittle', () => {
  it('compresses files and folders, keeps the tree, and cleans up after itself', async () => {
    mkdirSync(join(folder, 'in/deep'), { recursive: true })
    cpSync(join(ROOT, 'docs/photo.jpg'), join(folder, 'in/photo.jpg'))
    writeFileSync(join(folder, 'in/deep/notes.md'), TEXT)
    const { code, out } = await whittle(['in', '-q', 'low', '-o', 'out'])
    expect(out).toMatch(/2 files: .* saved/)
    expect(code).toBe(0)
    expect(statSync(join(folder, 'out/photo.jpg')).size).toBeLessThan(statSync(join(folder, 'in/photo.jpg')).size)
    expect(readFileSync(join(folder, 'out/deep/notes.md.zst')).subarray(0, 4)).toEqual(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))
    const { out: tasks } = await whittle(['tasks', '--json'])
    expect(tasks.trim()).toBe('')
  })

  it('writes over nothing: files of the same name from two folders, and what lies there', async () => {
    for (const side of ['left', 'right']) {
      mkdirSync(join(folder, side), { recursive: true })
      writeFileSync(join(folder, side, 'same.txt'), `${side} `.repeat(500))
    }
    mkdirSync(join(folder, 'both'))
    writeFileSync(join(folder, 'both/same.txt.gz'), 'mine')
    const { code, out } = await whittle(['left/same.txt', 'right/same.txt', '-f', 'gz', '-o', 'both'])
    expect(out).toContain('2 files: ')
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'both/same.txt.gz'), 'utf8')).toBe('mine')
    const results = ['same-2.txt.gz', 'same-3.txt.gz'].map((name) => gunzipSync(readFileSync(join(folder, 'both', name))).toString())
    expect(results.sort()).toEqual(['left '.repeat(500), 'right '.repeat(500)])
    expect(readdirSync(join(folder, 'both'))).toHaveLength(3)
  })

  it('puts a result beside its file and never over it', async () => {
    writeFileSync(join(folder, 'beside.txt'), TEXT)
    const { code } = await whittle(['beside.txt'])
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'beside.txt'), 'utf8')).toBe(TEXT)
    expect(statSync(join(folder, 'beside.whittled.txt.zst')).size).toBeGreaterThan(0)
  })

  it('tells what went wrong, and by its exit code', async () => {
    writeFileSync(join(folder, 'noise.bin'), Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 197 + (i >> 3) * 31) & 255)))
    writeFileSync(join(folder, 'good.txt'), TEXT)
    const partly = await whittle(['noise.bin', 'good.txt', '--json'])
    expect(partly.code).toBe(1)
    expect(
      partly.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { status: string }).status)
        .sort(),
    ).toEqual(['compressed', 'failed'])
    expect(await whittle(['nowhere.txt'])).toMatchObject({ code: 2, err: expect.stringContaining('nowhere.txt') })
    expect(await whittle(['good.txt', '-q', 'best'])).toMatchObject({ code: 2 })
    expect(await whittle(['usage'], { key: service.keys.disabled })).toMatchObject({ code: 3, err: expect.stringContaining('disabled') })
  })

  it('goes on after an interruption where it stopped', async () => {
    mkdirSync(join(folder, 'many'))
    for (let i = 0; i < 12; i++) writeFileSync(join(folder, `many/${i}.txt`), `${TEXT}${i}`)
    const cut = await whittle(['many', '-o', 'many-out', '-j', '1'], { interruptAfterLines: 2 })
    expect(cut.code).toBe(130)
    const rest = await whittle(['many', '-o', 'many-out', '-j', '1'])
    expect(rest.code).toBe(0)
    expect(rest.out).toContain('already done in an earlier run')
    // What the first run saved is in the sum of the second.
    expect(rest.out).toMatch(/12 files: .*, 9\d\.\d% saved/)
    for (let i = 0; i < 12; i++) expect(statSync(join(folder, `many-out/${i}.txt.zst`)).size).toBeGreaterThan(0)
  })

  it('encrypts, and fits a wanted size or says that it cannot', async () => {
    const locked = await whittle(['in/photo.jpg', '-p', 'Пароль', '-o', 'locked'])
    expect(locked.code).toBe(0)
    expect(readFileSync(join(folder, 'locked/photo.jpg.zip')).subarray(0, 2).toString()).toBe('PK')
    const fitted = await whittle(['in/photo.jpg', '-t', '60kB', '-o', 'fitted'])
    expect(fitted.code).toBe(0)
    expect(statSync(join(folder, 'fitted/photo.jpg')).size).toBeLessThanOrEqual(60_000)
    expect(await whittle(['in/photo.jpg', '-t', '1kB', '-o', 'tiny'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('minimum quality'),
    })
  })

  it('compresses a PDF without its usage rights where it may, and else says what would help', async () => {
    const pdf = buildPdf(plainDocument(3, ['<</ByteRange [0 1 2 3]/Contents<00>>>'], '/Perms<</UR3 9 0 R>>'))
    writeFileSync(join(folder, 'form.pdf'), pdf)
    expect((await whittle(['form.pdf', '-o', 'rights'])).out).toContain('usage_rights=drop')
    await whittle(['form.pdf', '--usage-rights', 'drop', '-o', 'no-rights'])
    expect(statSync(join(folder, 'no-rights/form.pdf')).size).toBeLessThan(pdf.length)
  })

  it('gives the bytes of the service without one', async () => {
    mkdirSync(join(folder, 'alone'))
    for (const name of ['photo.jpg', 'deep/notes.md']) cpSync(join(folder, 'in', name), join(folder, 'alone', name))
    const { code, out, err } = await whittle(['alone', '-q', 'low', '-o', 'alone-out'], { alone: true })
    expect({ code, err }).toMatchObject({ code: 0, err: '' })
    expect(out).toContain('saved')
    for (const name of ['photo.jpg', 'deep/notes.md.zst']) {
      expect(Buffer.compare(readFileSync(join(folder, 'alone-out', name)), readFileSync(join(folder, 'out', name))), name).toBe(0)
    }
  })
})
