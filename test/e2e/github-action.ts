/** The GitHub Action's entry script on a real repository with a real pull request; GitHub's API is a double. */
import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPdf, plainDocument } from '../core/formats/pdf/build.ts'
import { type FakeGitHub, fakeGitHub } from '../support/fake-github.ts'
import type { Running } from './running.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const ACTION = join(ROOT, 'packages/integrations/github-action')
const PHOTO = join(ROOT, 'docs/photo.jpg')
/** File name that a table of a comment must escape: a column, a tag and a mention of a user. */
const EVIL = 'a|<b>@octocat`.jpg'

/** In a `describe` of their own. */
export function githubActionTests(running: () => Running): void {
  let folder: string
  let work: string
  let github: FakeGitHub
  const git = (...args: string[]) => execFileSync('git', args, { cwd: work, encoding: 'utf8', stdio: 'pipe' }).trim()
  const commit = (title: string) => {
    git('add', '-A')
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', title)
  }
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'whittle-action-'))
    work = join(folder, 'work')
    execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'origin.git')])
    execFileSync('git', ['init', '--quiet', '-b', 'main', work])
    git('remote', 'add', 'origin', join(folder, 'origin.git'))
    cpSync(PHOTO, join(work, 'old.jpg'))
    commit('what was there')
    git('checkout', '--quiet', '-b', 'feature')
    mkdirSync(join(work, 'docs'))
    cpSync(PHOTO, join(work, EVIL))
    writeFileSync(join(work, 'docs/plain.pdf'), buildPdf(plainDocument(3)))
    writeFileSync(join(work, 'docs/broken.png'), Buffer.from([0, 159, 146, 150, 255, 0, 7]))
    writeFileSync(join(work, 'notes.md'), 'words '.repeat(1000))
    symlinkSync(PHOTO, join(work, 'link.jpg'))
    commit('a pull request')
    git('push', '--quiet', 'origin', 'main', 'feature')
    github = await fakeGitHub(work, 'main', 'feature', 'ghs_token')
  })
  afterAll(async () => {
    await github?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** As the runner starts it. */
  function act(
    inputs: Record<string, string> = {},
    head: object = {},
  ): Promise<{ code: number; log: string; outputs: string; summary: string }> {
    const { baseUrl, keys } = running()
    const repo = { full_name: 'acme/site' }
    const files = { GITHUB_EVENT_PATH: 'event.json', GITHUB_OUTPUT: 'outputs', GITHUB_STEP_SUMMARY: 'summary.md' }
    const paths = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(folder, file)]))
    const event = { pull_request: { number: 7, head: { ref: 'feature', sha: git('rev-parse', 'HEAD'), repo, ...head } } }
    writeFileSync(paths['GITHUB_EVENT_PATH']!, JSON.stringify(event))
    for (const name of ['outputs', 'summary.md']) rmSync(join(folder, name), { force: true })
    for (const name of ['outputs', 'summary.md']) appendFileSync(join(folder, name), '')
    const given = { server: baseUrl, key: keys.enterprise, quality: 'low', 'github-token': 'ghs_token', ...inputs }
    const env = {
      ...{
        PATH: process.env['PATH'],
        HOME: folder,
        GITHUB_WORKSPACE: work,
        GITHUB_API_URL: github.baseUrl,
        GITHUB_REPOSITORY: 'acme/site',
      },
      ...paths,
      ...Object.fromEntries(Object.entries(given).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    }
    const [, main = ''] = /^ {2}main: (.+)$/m.exec(readFileSync(join(ACTION, 'action.yml'), 'utf8')) ?? []
    return new Promise((done) =>
      execFile(process.execPath, [join(ACTION, main)], { cwd: work, env, encoding: 'utf8' }, (error, stdout, stderr) => {
        const [outputs, summary] = ['outputs', 'summary.md'].map((name) => readFileSync(join(folder, name), 'utf8'))
        done({ code: Number(error?.code ?? 0), log: stdout + stderr, outputs: outputs!, summary: summary! })
      }),
    )
  }

  it('pushes what became smaller to the branch, and comments with the receipts', async () => {
    const [before, pdfSize] = [git('rev-parse', 'HEAD'), statSync(join(work, 'docs/plain.pdf')).size]
    const { code, log, outputs, summary } = await act()
    expect([code, log]).toEqual([0, expect.stringContaining('::warning::docs/broken.png: ')])
    expect(git('diff', '--name-only', '-z', before, 'origin/feature').split('\0').filter(Boolean)).toEqual([EVIL, 'docs/plain.pdf'])
    expect(git('status', '--porcelain')).toBe('')
    const size = statSync(join(work, EVIL)).size
    expect(size).toBeLessThan(240_883 / 2)
    const saved = 240_883 - size + pdfSize - statSync(join(work, 'docs/plain.pdf')).size
    expect(outputs).toBe(`files=2\nsaved-bytes=${saved}\n`)
    expect(github.comments).toHaveLength(1)
    const { body } = github.comments[0]!
    expect(summary).toBe(`${body}\n`)
    expect(body).toContain('**2 files: 24')
    expect(body).toMatch(
      /<code>a&#124;&#60;b&#62;&#64;octocat&#96;\.jpg<\/code> \| 241 kB \| [\d.]+ kB \| \d\d\.\d% \| SSIM 0\.9\d+, PSNR /,
    )
    expect(body).toMatch(/<code>docs\/plain\.pdf<\/code> \|.+\| nothing \(lossless\) \|/)
    expect(body).toContain('<code>docs/broken.png</code> | 7 B | | | failed: ')
    // Neither what was there before, nor text, nor what a link leads to.
    for (const other of ['old.jpg', 'notes.md', 'link.jpg']) expect(body).not.toContain(other)
  })

  it('leaves its own results alone the next time, and writes over its comment', async () => {
    const before = git('rev-parse', 'HEAD')
    cpSync(PHOTO, join(work, 'second.jpg'))
    commit('one more')
    const { code, outputs } = await act({ commit: 'false' })
    expect([code, outputs]).toEqual([0, expect.stringMatching(/^files=1\n/)])
    expect(github.comments).toHaveLength(1)
    expect(github.comments[0]!.body).toContain('<code>second.jpg</code>')
    expect(github.comments[0]!.body).not.toContain('octocat')
    // Left in the work tree, as it was asked to.
    expect(git('status', '--porcelain')).toBe('M second.jpg')
    expect(git('rev-parse', 'origin/feature')).toBe(before)
    git('checkout', '--quiet', '--', '.')
  })

  it('does nothing without a key, from a fork, or on a merge commit, and says so', async () => {
    expect(await act({ key: '' })).toMatchObject({
      code: 0,
      outputs: '',
      log: expect.stringContaining('::notice::Whittle skipped this run: the input key is empty'),
    })
    const fork = await act({}, { repo: { full_name: 'somebody/site' } })
    expect(fork).toMatchObject({ code: 0, outputs: '', log: expect.stringContaining('from another repository') })
    const merge = await act({}, { sha: '0'.repeat(40) })
    expect(merge).toMatchObject({
      code: 1,
      outputs: '',
      log: expect.stringContaining('::error::The branch of the pull request is not checked out'),
    })
    const wrongKey = await act({ key: 'whl_live_wrong' })
    expect(wrongKey).toMatchObject({ code: 1, outputs: '', log: expect.stringContaining('::error::') })
    expect(git('status', '--porcelain')).toBe('')
  })
}
