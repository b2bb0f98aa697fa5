/** Rules for commit messages, as enforced by the hook and by `npm run check:commits`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'commit-messages-'))
afterAll(() => rmSync(folder, { recursive: true }))

const AFTER = '2026-12-01T00:00:00Z'

function git(cwd: string, args: readonly string[], writtenAt = AFTER) {
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example' }
  const dates = { GIT_AUTHOR_DATE: writtenAt, GIT_COMMITTER_DATE: writtenAt }
  const environment = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...identity, ...dates }
  return spawnSync('git', args, { cwd, encoding: 'utf8', env: environment })
}

interface Commit {
  readonly message: string
  readonly writtenAt?: string
}

function repository(name: string, ...commits: readonly Commit[]): string {
  const root = join(folder, name)
  mkdirSync(root)
  git(root, ['init', '-q', '-b', 'main'])
  for (const { message, writtenAt } of commits) git(root, ['commit', '-q', '--allow-empty', '-m', message], writtenAt)
  return root
}

/** Runs `npm run check:commits` on another repository. @returns its output; empty: every message is valid */
function lint(root: string): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const command = scripts['check:commits']!.replace('tools/checks', join(ROOT, 'tools/checks'))
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
    cwd: root,
    encoding: 'utf8',
    // In CI, colours are on unless they are turned off.
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
  })
  expect(status === 0).toBe(stdout === '')
  expect(stderr).toBe('')
  return stdout
}

describe('the check', () => {
  it('accepts valid messages', () => {
    const good = [
      'feat(png): rows are filtered in strips',
      'fix: two words',
      'perf(mp4,mov): the index is read once',
      'feat(api)!: tasks have no size',
      `docs: ${'x'.repeat(66)}`,
      `docs: ${'ß'.repeat(66)}`,
      'fix(png): PNG stays as it is',
      `test(gif): frames\n\nA body; it may say more, in lines as long as they have to be. ${'x'.repeat(100)}`,
    ]
    expect(lint(repository('good', ...good.map((message) => ({ message }))))).toBe('')
  })

  it('reports each invalid message with its violated rule', () => {
    const faults = [
      ['Add PNG', 'type-empty'],
      ['wip', 'type-empty'],
      ['feature(png): rows', 'type-enum'],
      ['feat(png) rows', 'type-empty'],
      [`docs: ${'x'.repeat(67)}`, 'header-max-length'],
      ['fix(png): rows; the filter too', 'one-subject'],
      ['fixup! fix(png): rows', 'type-empty'],
    ] as const
    const said = lint(repository('bad', ...faults.map(([message]) => ({ message }))))
    for (const [message, rule] of faults) {
      const [, one = ''] = said.split(`input: ${message}\n`)
      expect(one.split('input: ')[0], message).toContain(`[${rule}]`)
    }
  })

  it('ignores messages older than the rules, also in a shallow clone', () => {
    const old = { message: 'wip', writtenAt: '2026-01-01T00:00:00Z' }
    const whole = repository('whole', old, { message: 'feat: a; b' }, { message: 'fix: c' })
    const clone = join(folder, 'shallow')
    git(folder, ['clone', '-q', '--depth', '1', `file://${whole}`, clone])
    expect(lint(clone)).toBe('')
    expect(lint(whole).match(/input: /g)).toHaveLength(1)
  })

  it('does nothing outside of a repository', () => {
    const sources = join(repository('outer', { message: 'wip' }), 'sources')
    mkdirSync(sources)
    expect(lint(sources)).toBe('')
  })
})

describe('the hook', () => {
  const root = repository('hooked')
  git(root, ['config', 'core.hooksPath', join(ROOT, '.githooks')])
  const commit = (...args: string[]) => git(root, ['commit', '--allow-empty', ...args])
  const subjects = () => execFileSync('git', ['log', '--format=%s'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

  it('accepts a valid message, and refuses an invalid one with the reason', () => {
    expect(commit('-m', 'feat(png): rows').status).toBe(0)
    const { status, stdout, stderr } = commit('-m', 'rows; columns')
    expect(status).not.toBe(0)
    expect(stdout + stderr).toContain('[type-empty]')
    expect(stdout + stderr).toContain('[one-subject]')
    expect(subjects()).toEqual(['feat(png): rows'])
  })

  it('ignores the comments that git adds in the editor and removes later', () => {
    const file = join(folder, 'message')
    const scissors = '# ------------------------ >8 ------------------------'
    writeFileSync(file, `# a template\nfix(png): columns\n# Changes; to be committed\n${scissors}\ndiff; a\n`)
    const { status, stderr } = commit('--cleanup=scissors', '-F', file)
    expect(status, stderr).toBe(0)
    expect(commit('--fixup', 'HEAD').status).toBe(0)
  })
})
