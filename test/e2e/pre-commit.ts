/** The pre-commit hook as `.pre-commit-hooks.yaml` names it, over the staged files of a repository. */
import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Running } from './running.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const PHOTO = join(ROOT, 'docs/photo.jpg')
const HOOKS = readFileSync(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8')
const of = (field: string) => new RegExp(`^ {2}${field}: (.+)$`, 'm').exec(HOOKS)?.[1] ?? ''

/** In a `describe` of their own. */
export function preCommitTests(running: () => Running): void {
  let folder: string
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'whittle-hook-'))
    git('init', '--quiet')
    cpSync(PHOTO, join(folder, 'a photo.JPG'))
    chmodSync(join(folder, 'a photo.JPG'), 0o755)
    writeFileSync(join(folder, 'none.png'), Buffer.from([0, 159, 146, 150, 255, 0, 7]))
    writeFileSync(join(folder, 'notes.txt'), 'words '.repeat(1000))
    git('add', '.')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** With the files that pre-commit would give it. */
  function hook(server: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const pattern = new RegExp(of('files').replace('(?i)', ''), 'i')
    const staged = git('diff', '--cached', '--name-only', '-z')
      .split('\0')
      .filter((path) => pattern.test(path))
    const env = { PATH: process.env['PATH'], HOME: folder, WHITTLE_SERVER: server, WHITTLE_KEY: running().keys.enterprise }
    return new Promise((done) =>
      execFile(join(ROOT, of('entry')), [...args, ...staged], { cwd: folder, env, encoding: 'utf8' }, (error, out, err) =>
        done({ code: Number(error?.code ?? 0), out, err }),
      ),
    )
  }

  it('makes what is staged smaller, says so, and has nothing to do once it is staged again', async () => {
    const { code, out } = await hook(running().baseUrl, '--quality', 'low')
    expect(out).toMatch(
      /^a photo\.JPG: 240883 → \d{5} bytes, SSIM 0\.9\d+\nnone\.png: unchanged, because compression failed: .+\nReview these files/,
    )
    expect(code).toBe(1)
    expect(git('diff', '--name-only')).toBe('a photo.JPG\n')
    expect(statSync(join(folder, 'a photo.JPG')).mode & 0o777).toBe(0o755)
    git('add', '.')
    const again = await hook(running().baseUrl, '--quality', 'low', '--least-saving', '0')
    expect(again).toMatchObject({ code: 0, out: expect.not.stringContaining('photo') })
  })

  it('stops the commit where there is no service, and says how to go without', async () => {
    expect(await hook('http://127.0.0.1:8')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be reached.*\nTo commit without this hook: SKIP=whittle/),
    })
    expect(await hook('')).toMatchObject({ code: 1, err: expect.stringContaining('No service is configured. Run whittle login') })
    expect(git('diff', '--name-only')).toBe('')
  })
}
