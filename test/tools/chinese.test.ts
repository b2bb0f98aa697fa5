/** Chinese translations of the console: every text in its sources must be in the list. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { chinese } from '../../console/src/chinese.ts'

const ROOT = join(import.meta.dirname, '../..')

it('translates every text of the console', () => {
  const missing = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    const texts = [...source.matchAll(/\b(?:t\(|title: |error: )\s*'((?:[^'\\]|\\.)*)'/g)].map(([, text]) => text!.replaceAll("\\'", "'"))
    return texts.filter((text) => text !== '' && !Object.hasOwn(chinese, text)).map((text) => `${file}: ${text}`)
  })
  expect(missing).toEqual([])
})
