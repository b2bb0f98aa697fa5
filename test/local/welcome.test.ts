/** Tests of what `npm start` prints. */
import { expect, it } from 'vitest'
import { welcomeText } from '../../src/local/welcome.ts'

const facts = {
  origin: 'http://localhost:8787',
  key: 'whl_live_abc',
  keysFile: '.dev/keys.json',
  invitation: undefined,
  sample: 'docs/photo.jpg',
}
const commandsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('  curl '))

it('names one address to open, in its first line', () => {
  const [, first] = welcomeText(facts).split('\n')
  expect(first).toBe('Whittle is ready: open http://localhost:8787/')
})

it('has commands that work as they are, without a placeholder', () => {
  const commands = commandsOf(welcomeText(facts))
  expect(commands).toHaveLength(2)
  for (const command of commands) {
    expect(command).toContain("-H 'Authorization: Bearer whl_live_abc'")
    expect(command).not.toMatch(/\b[A-Z]+_[A-Z]+\b|\$[A-Z]|<[a-z]+>|…/)
  }
  expect(commands[0]).toContain('-F file=@docs/photo.jpg -F response=file -o smaller.jpg http://localhost:8787/v1/compress')
})

it('prints an invitation only if there is one, and says otherwise how to get it', () => {
  const without = welcomeText(facts)
  expect(without).toContain('http://localhost:8787/console ')
  expect(without).toContain('--invite')
  const invitation = 'http://localhost:8787/console#invitation=acc_1'
  expect(welcomeText({ ...facts, invitation })).toContain(`console         ${invitation}\n`)
})
