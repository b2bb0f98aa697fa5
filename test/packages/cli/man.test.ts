/** The manual page: everything that the help says, and nothing that a formatter would take for a request. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { manPage } from '../../../packages/cli/src/man.ts'
import { programWith } from '../../../packages/cli/src/program.ts'

const program = programWith(() => undefined)
const page = manPage(program)

it('has every option and every command', () => {
  const plain = page.replaceAll('\\-', '-')
  for (const command of program.commands) {
    if (command.name() !== 'compress') expect(plain).toContain(`.SS whittle ${command.name()} `)
    for (const { flags, description } of command.options) {
      expect(plain).toContain(`.TP\n\\fB${flags}\\fR\n`)
      expect(plain).toContain(description)
    }
  }
  expect(plain).toMatch(/\.SH EXIT STATUS\n[\s\S]*130[\s\S]*interrupted\n$/)
})

it('begins lines with the known requests only', () => {
  const requests = [...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name)
  expect([...new Set(requests)].sort()).toEqual(['SH', 'SS', 'TH', 'TP', 'br', 'fi', 'nf'])
})

it.skipIf(spawnSync('groff', ['--version']).status !== 0)('is formatted by groff without a warning', () => {
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-Kutf8'], { input: page, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toContain('whittle compress --help')
})
