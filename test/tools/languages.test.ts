/** Chinese translations of the console: complete, and without unused entries. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { chinese } from '../../console/src/chinese.ts'

const SOURCES = join(resolve(import.meta.dirname, '../..'), 'console/src')
const code = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
  .filter((file) => file !== 'chinese.ts')
  .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
  .join('\n')

const unquoted = (text: string) => text.replaceAll(/\\(.)/g, '$1')

it('translates every text of the code', () => {
  const said = [...code.matchAll(/\bt\(\s*(['"])((?:\\.|(?!\1).)+)\1/g)].map((match) => unquoted(match[2]!))
  expect(said.length).toBeGreaterThan(150)
  // Texts in tables that are shown elsewhere: page titles, states, reasons.
  const later = [...code.matchAll(/\btitle: '([^']+)'/g)].map((match) => match[1]!)
  expect([...new Set([...said, ...later])].filter((text) => !(text in chinese))).toEqual([])
})

it('uses the same placeholders in both languages', () => {
  const values = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort()
  for (const [english, other] of Object.entries(chinese)) expect(values(other), english).toEqual(values(english))
})

it('has no translation for a text that is not used', () => {
  // Quality levels and states come from the API unchanged.
  const words = new Set(code.match(/\w+/g))
  const isSaid = (text: string) => words.has(text) || code.includes(`'${text}'`) || code.includes(`"${text}"`)
  expect(Object.keys(chinese).filter((text) => !isSaid(text))).toEqual([])
})
