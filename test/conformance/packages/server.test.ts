/**
 * `@whittle-app/server` packed and installed into an empty folder, where it serves: it needs neither a bundler nor the sources of the PDF
 * viewer. Skipped if npm cannot have Miniflare.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../src/local/service.ts'
import { ROOT } from '../../packages/pack.ts'

const ENVIRONMENT = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` }
/** Limit of the README's first command, in kilobytes of 1,024 bytes. */
const MOST_INSTALLED_KB = 250 * 1024
let folder: string
let missing: string | undefined
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'whittle-server-'))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const run = (cwd: string, ...words: string[]) => execFileSync('npm', words, { cwd, env: ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' })
  run(join(ROOT, 'packages/server'), 'pack', '--pack-destination', folder)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  try {
    run(folder, 'install', '--no-audit', '--no-fund', join(folder, `whittle-app-server-${version}.tgz`))
  } catch (error) {
    missing = `npm could not install the package: ${String(error).slice(0, 300)}`
  }
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 }))

it('installs at most 250 MB, without a bundler and without pdfjs-dist', (context) => {
  if (missing !== undefined) return context.skip(missing)
  for (const name of ['esbuild', 'pdfjs-dist', 'typescript']) expect(existsSync(join(folder, 'node_modules', name)), name).toBe(false)
  const [size] = execFileSync('du', ['-sk', join(folder, 'node_modules')], { encoding: 'utf8' }).split('\t')
  expect(Number(size)).toBeLessThan(MOST_INSTALLED_KB)
})

it('serves the pages, compresses, and its state can be backed up', { timeout: 300_000 }, async (context) => {
  if (missing !== undefined) return context.skip(missing)
  const port = await freePort()
  const program = (name: string) => join(folder, 'node_modules/.bin', name)
  const words = ['--port', String(port), '--state', 'state', '--workers', '1', '--ffmpeg', 'none']
  const service = spawn(program('whittle-server'), words, { cwd: folder, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(service, 'exit')
  try {
    let printed = ''
    for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk))
    for (let left = 1800; left > 0 && !printed.includes('Whittle is ready'); left--) {
      if (service.exitCode !== null) throw new Error(printed)
      await sleep(100)
    }
    const [, sample = ''] = /-F file=@(\S+)/.exec(printed) ?? []
    const key = (JSON.parse(readFileSync(join(folder, 'state/keys.json'), 'utf8')) as { keys: { enterprise: string } }).keys.enterprise
    const body = new FormData()
    const photo = readFileSync(sample)
    body.append('file', new Blob([photo]), 'photo.jpg')
    body.append('response', 'file')
    const base = `http://localhost:${port}`
    const answer = await fetch(`${base}/v1/compress`, { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body })
    const made = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, made.subarray(0, 3).toString('hex')]).toEqual([200, 'ffd8ff'])
    expect(made.length).toBeLessThan(photo.length / 2)
    for (const path of ['/', '/docs', '/docs/api', '/console', '/licences', '/openapi.json'])
      expect([path, (await fetch(base + path, { headers: { Accept: 'text/html' } })).status]).toEqual([path, 200])
  } finally {
    service.kill('SIGTERM')
    await gone
  }
  const backup = spawnSync(program('whittle-state'), ['backup', 'whittle.tar', '--state', 'state'], { cwd: folder, env: ENVIRONMENT })
  expect([backup.status, existsSync(join(folder, 'whittle.tar'))]).toEqual([0, true])
})
