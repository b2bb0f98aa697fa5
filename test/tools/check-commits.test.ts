/** Commits have one subject of at most 72 characters; the hook and the check refuse others. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { faultsOf, faultyCommits, SINCE } from '../../tools/checks/check-commits.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'check-commits-'))
afterAll(() => rmSync(folder, { recursive: true }))

const BEFORE = '2026-01-01T00:00:00Z'
const AFTER = '2026-12-01T00:00:00Z'

function git(cwd: string, args: readonly string[], writtenAt = AFTER) {
  const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example' }
  const environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_DATE: writtenAt,
    GIT_COMMITTER_DATE: writtenAt,
    ...identity,
  }
  return spawnSync('git', args, { cwd, encoding: 'utf8', env: environment })
}

/** A new repository with a commit for each message. */
function repository(name: string, ...messages: readonly { message: string; writtenAt: string }[]): string {
  const root = join(folder, name)
  mkdirSync(root)
  git(root, ['init', '-q', '-b', 'main'])
  for (const { message, writtenAt } of messages) git(root, ['commit', '-q', '--allow-empty', '-m', message], writtenAt)
  return root
}

describe('a message', () => {
  it.each([
    'feat(png): rows are filtered in strips',
    'fix: two words',
    'perf(mp4,mov): the index is read once',
    'feat(api)!: tasks have no size',
    `docs: ${'x'.repeat(66)}`,
    `docs: ${'ß'.repeat(66)}`,
    'test(gif): frames\n\nA body; it may say more, in lines as long as they have to be.',
  ])('is good: %j', (message) => expect(faultsOf(message)).toEqual([]))

  it.each([
    ['Add PNG', /none of build/],
    ['wip', /none of build/],
    ['feature(png): rows', /none of build/],
    ['feat(png) rows', /none of build/],
    ['feat(png): ', /none of build/],
    ['', /none of build/],
    [`docs: ${'x'.repeat(67)}`, /73 characters/],
    ['fix(png): rows; the filter too', /joins several subjects/],
    ['fix(png): rows\nand columns', /second line/],
  ])('is refused: %j', (message, why) => {
    expect(faultsOf(message)).toEqual([expect.stringMatching(why)])
  })
})

describe('the check', () => {
  const good = { message: 'feat: a', writtenAt: AFTER }
  const bad = { message: 'feat: b; c', writtenAt: AFTER }
  const old = { message: 'wip', writtenAt: BEFORE }

  it('names every commit written since that is not good, and leaves older ones alone', () => {
    const faults = faultyCommits(repository('since', old, bad, good, { ...bad, message: 'more' }))
    expect(faults).toEqual([
      expect.stringMatching(/^[0-9a-f]{7,} "more" begins/),
      expect.stringMatching(/^[0-9a-f]{7,} "feat: b; c" joins/),
    ])
  })

  it('looks in a shallow clone at the commits that are there', () => {
    const whole = repository('whole', bad, old, bad, good)
    const clone = join(folder, 'shallow')
    git(folder, ['clone', '-q', '--depth', '3', `file://${whole}`, clone])
    expect(faultyCommits(clone)).toEqual([expect.stringContaining('joins')])
    expect(faultyCommits(whole)).toHaveLength(2)
  })

  it('keeps a commit that was rebased where it was written', () => {
    const root = repository('rebased', old, good)
    const head = () => git(root, ['rev-parse', 'HEAD']).stdout
    const before = head()
    git(root, ['rebase', '-q', '--root', '--force-rebase'])
    expect(head()).not.toBe(before)
    expect(faultyCommits(root)).toEqual([])
  })

  it('does nothing where there is no repository, or where it is of something else', () => {
    const inside = join(repository('outer', bad), 'sources')
    mkdirSync(inside)
    expect(faultyCommits(inside)).toBeUndefined()
    expect(faultyCommits(tmpdir())).toBeUndefined()
  })

  it('holds this repository since a time that is past', () => {
    expect(Date.parse(SINCE)).toBeLessThan(Date.now())
    expect(faultyCommits(ROOT) ?? []).toEqual([])
  })
})

describe('the hook', () => {
  const root = repository('hooked')
  git(root, ['config', 'core.hooksPath', join(ROOT, '.githooks')])
  const commit = (...args: string[]) => git(root, ['commit', '--allow-empty', ...args])
  const subjects = () => execFileSync('git', ['log', '--format=%s'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

  it('lets a good message pass', () => {
    expect(commit('-m', 'feat(png): rows').status).toBe(0)
    expect(subjects()).toEqual(['feat(png): rows'])
  })

  it('refuses a bad one and says why', () => {
    const { status, stderr } = commit('-m', 'rows; columns')
    expect(status).not.toBe(0)
    expect(stderr).toContain('the first line begins with none of')
    expect(stderr).toContain('the first line joins several subjects')
    expect(subjects()).toEqual(['feat(png): rows'])
  })

  it('does not count what git writes into the editor and leaves out again', () => {
    const file = join(folder, 'message')
    writeFileSync(file, '# a comment of git; it is long: '.padEnd(100, 'x'))
    writeFileSync(file, `# a template\nfix(png): columns\n# Changes; to be committed\n# ------------------------ >8 ------\ndiff; a\n`)
    expect(commit('--cleanup=scissors', '-F', file).status).toBe(0)
    expect(commit('--fixup', 'HEAD').status).toBe(0)
  })
})
