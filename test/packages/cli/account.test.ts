/** Account commands of the CLI, and shell completion. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inFolder } from './folder.ts'
import { whittle } from './run.ts'

const here = inFolder()
const { run, list, createFiles } = here
const config = () => join(here.folder, '.config/whittle/config.json')

describe('login', () => {
  it('saves a valid key, readable by the owner only, until logout', async () => {
    const runWithoutServer = (args: string[], stdin?: string) => whittle(here.folder, '', args, stdin)
    expect(await runWithoutServer(['login', here.service.baseUrl], 'whl_live_test\n')).toMatchObject({
      code: 0,
      out: expect.stringContaining('plan free'),
    })
    expect(statSync(config()).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(config(), 'utf8'))).toEqual({ server: here.service.baseUrl, key: 'whl_live_test' })
    expect(await runWithoutServer(['usage'])).toMatchObject({ code: 0, out: 'plan               free\nstorage used       1.23 MB\n' })
    expect(await runWithoutServer(['logout'])).toMatchObject({ code: 0 })
    expect(existsSync(config())).toBe(false)
  })

  it('saves nothing if the service refuses the key', async () => {
    expect(await run(['login', here.service.baseUrl, '--key', 'whl_live_wrong'])).toMatchObject({ code: 3, err: 'No such key.\n' })
    expect(await run(['login', here.service.baseUrl], '\n')).toMatchObject({ code: 2 })
    expect(existsSync(config())).toBe(false)
  })
})

describe('tasks', () => {
  it('are listed with time and format, downloaded by id, and deleted by id or with --all', async () => {
    expect((await run(['tasks'])).out.split('\n')[0]).toMatch(
      /^tsk_a {2}2026-11-20 \d\d:00:00 {2}completed {2}txt +58 B → 29 B +notes\.txt$/,
    )
    expect(await run(['get', 'tsk_a'])).toMatchObject({ code: 0, out: 'notes.txt.zst: 29 B\n' })
    expect(await run(['get', 'tsk_a', '-o', 'n.zst'])).toMatchObject({ code: 0, out: 'n.zst: 29 B\n' })
    expect(await run(['get', 'tsk_a', '-o', 'n.zst'])).toMatchObject({ code: 1 })
    expect(list()).toEqual(['n.zst', 'notes.txt.zst'])
    expect(await run(['rm'])).toMatchObject({ code: 2 })
    expect(await run(['rm', 'tsk_x', '--all'])).toMatchObject({ code: 2 })
    expect(here.service.removed).toEqual([])
    expect(await run(['rm', '--all'])).toMatchObject({ code: 0, out: '3 tasks: 30 B freed\n' })
    expect(here.service.removed).toEqual(['tsk_a', 'tsk_b', 'tsk_c'])
  })

  it('lists formats with extensions and outputs', async () => {
    expect(await run(['formats'])).toMatchObject({ code: 0, out: expect.stringMatching(/^Text +\.txt → zst, gz\n$/) })
  })
})

describe('output', () => {
  it('prints only failures with --quiet', async () => {
    createFiles({ 'a.txt': undefined, 'b.bin': undefined })
    expect(await run(['a.txt', 'b.bin', '--quiet'])).toEqual({
      code: 1,
      out: '',
      err: '✗ b.bin: b.bin has no format that Whittle knows.\n',
    })
  })

  it.each(['bash', 'zsh', 'fish'])('has completion for %s', async (shell) => {
    const { code, out } = await run(['completion', shell])
    expect(code).toBe(0)
    for (const word of ['--in-place', '--skip-existing', 'watch', 'medium'].map((text) =>
      text.replace('--', shell === 'fish' ? '-l ' : '--'),
    ))
      expect(out).toContain(word)
  })

  it('completes commands and options in bash', async () => {
    const { out } = await run(['completion', 'bash'])
    const complete = (words: string[]) => {
      const script = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _whittle; echo "\${COMPREPLY[@]}"`
      return spawnSync('bash', ['-c', script], { cwd: here.folder, encoding: 'utf8' }).stdout.trim()
    }
    expect([complete(['whittle', 'wat']), complete(['whittle', '-q', 'm']), complete(['whittle', 'rm', '--a'])]).toEqual([
      'watch',
      'medium',
      '--all',
    ])
  })
})
